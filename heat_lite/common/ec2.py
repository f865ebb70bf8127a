"""EC2 signatures of versions 2 and 4.

The holder of the secret of an access key signs a URL; Keystone, which stores the secret, verifies
the signature.
"""

import base64
import hashlib
import hmac
import urllib.parse
from collections.abc import Mapping
from typing import Any

METHOD, VERSION = 'HmacSHA256', '2'
V4_ALGORITHM_NAME = 'AWS4-HMAC-SHA256'
#: parameters of a presigned URL of version 4
V4_ALGORITHM, V4_SIGNATURE = 'X-Amz-Algorithm', 'X-Amz-Signature'


def sign(secret: str, verb: str, host: str, path: str, params: Mapping[str, str]) -> str:
    """Return the signature of a request.

    ``path`` is unquoted, as the server sees it. ``params`` are the query parameters without the
    signature.
    """
    text = '\n'.join((verb, host.lower(), path, canonical_query(params)))
    return base64.b64encode(
        hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    ).decode()


def signed_url(url: str, access: str, secret: str, verb: str = 'PUT') -> str:
    """Return the URL with a signature for requests with ``verb``.

    The signature is valid as long as the access key exists. It contains no timestamp, because
    Keystone rejects timestamps that are older than 15 minutes.
    """
    parts = urllib.parse.urlsplit(url)
    params = {
        'SignatureMethod': METHOD,
        'SignatureVersion': VERSION,
        'AWSAccessKeyId': access,
    }
    signature = sign(secret, verb, parts.netloc, urllib.parse.unquote(parts.path), params)
    return f'{url}?{urllib.parse.urlencode({**params, "Signature": signature})}'


def sign_v4(secret: str, credentials: Mapping[str, Any]) -> str:
    """Return the signature of version 4 of a request.

    ``credentials``: ``verb``, ``path`` (quoted), ``params`` without the signature, ``headers``: the
    signed ones and Authorization, or the parameters of a presigned URL instead, and ``body_hash``.
    """
    headers, params = credentials['headers'], credentials['params']
    header = headers.get('Authorization', '')
    credential = _v4_part(header, params, 'Credential')
    signed = _v4_part(header, params, 'SignedHeaders')
    date = headers.get('X-Amz-Date') or params.get('X-Amz-Date', '')
    values = {name.lower(): value for name, value in headers.items()}
    lines = [f'{name}:{values[name]}' for name in signed.split(';') if name in values]
    # the parameters of a POST are in its body
    pairs = '' if credentials['verb'] == 'POST' else canonical_query(params)
    request = '\n'.join(
        (
            credentials['verb'],
            credentials['path'],
            pairs,
            *lines,
            '',
            signed,
            credentials['body_hash'],
        )
    )
    _, _, scope = credential.partition('/')
    text = '\n'.join((V4_ALGORITHM_NAME, date, scope, hashlib.sha256(request.encode()).hexdigest()))
    key = f'AWS4{secret}'.encode()
    for part in (*scope.split('/'), text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


def _v4_part(header: str, params: Mapping[str, str], name: str) -> str:
    if not header:
        return params.get(f'X-Amz-{name}', '')
    return header.partition(f'{name}=')[2].partition(',')[0]


def canonical_query(params: Mapping[str, str]) -> str:
    """Return parameters in the form that is signed: sorted and quoted."""
    return '&'.join(f'{_quote(name)}={_quote(params[name])}' for name in sorted(params))


def quoted_path(path: str) -> str:
    """Return a decoded path in the form that version 4 signs."""
    return urllib.parse.quote(path, safe='/-_~')


def _quote(text: object) -> str:
    return urllib.parse.quote(str(text), safe='-_~')
