"""Signatures of signal URLs, for containers, which have no login.

A signature is over the decoded path of a URL. So a container that has the URL may signal one
resource of one stack, and no more. A new ``auth_encryption_key`` makes all signatures invalid.
"""

import hashlib
import hmac
import urllib.parse

#: the parameter of the URL that has the signature
PARAMETER = 'signature'


def sign(url: str, secret: bytes) -> str:
    """Return a URL with the signature of its path."""
    return f'{url}?{PARAMETER}={_signature(urllib.parse.urlsplit(url).path, secret)}'


def is_signed(path: str, query: str, secret: bytes) -> bool:
    """Return whether the query of a request has the signature of its path, which is decoded."""
    given = urllib.parse.parse_qs(query).get(PARAMETER, [''])[0]
    return hmac.compare_digest(given.encode(), _signature(path, secret).encode())


def _signature(path: str, secret: bytes) -> str:
    """Return the signature of a path, which may be quoted, in hexadecimal digits."""
    # the text separates these signatures from others with the key of the service
    text = urllib.parse.unquote(path).encode()
    return hmac.new(b'signal of a container' + secret, text, hashlib.sha256).hexdigest()
