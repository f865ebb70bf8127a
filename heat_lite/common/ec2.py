"""EC2 signatures of version 2.

The holder of the secret of an access key signs a URL; Keystone, which stores the secret, verifies
the signature.
"""

import base64
import hashlib
import hmac
import urllib.parse
from collections.abc import Mapping

METHOD, VERSION = 'HmacSHA256', '2'


def sign(secret: str, verb: str, host: str, path: str, params: Mapping[str, str]) -> str:
    """Return the signature of a request.

    ``path`` is unquoted, as the server sees it. ``params`` are the query parameters without the
    signature.
    """
    pairs = '&'.join(f'{_quote(name)}={_quote(params[name])}' for name in sorted(params))
    text = '\n'.join((verb, host.lower(), path, pairs))
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


def _quote(text):
    return urllib.parse.quote(str(text), safe='-_~')
