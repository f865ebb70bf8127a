"""Signatures of EC2, version 2: who knows the secret of an access key can make a URL that only Keystone, which knows it too, can check."""

import base64
import hashlib
import hmac
import urllib.parse

METHOD, VERSION = 'HmacSHA256', '2'


def sign(secret, verb, host, path, params):
    """The signature of a request. ``path`` is as the server sees it, without escapes; ``params`` do not include the signature."""
    pairs = '&'.join(f'{_quote(name)}={_quote(params[name])}' for name in sorted(params))
    text = '\n'.join((verb, host.lower(), path, pairs))
    return base64.b64encode(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()).decode()


def signed_url(url, access, secret, verb='PUT'):
    """The URL with a signature by which ``verb`` may be done there, as long as the access key lives: without a time in it, for Keystone
    takes signatures of a certain time for a quarter of an hour only."""
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
