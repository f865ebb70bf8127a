"""Secrets at rest: sealed with [DEFAULT] auth_encryption_key, so that a copy of the database alone tells nothing."""

import base64
import functools
import hashlib

from cryptography import fernet

from heat_lite.common import exception

# the only one so far; kept beside each secret, so that there can be others
METHOD = 'fernet_sha256'


def seal(text: str, key: str) -> tuple[str, str]:
    """The method by which the text was sealed, and what came out of it."""
    return METHOD, _box(key).encrypt(text.encode()).decode()


def unseal(method: str, sealed: str, key: str) -> str:
    """The text again. Raises InvalidEncryptionKey where the key or the method is not the one that it was sealed with."""
    if method != METHOD:
        raise exception.InvalidEncryptionKey()
    try:
        return _box(key).decrypt(sealed.encode()).decode()
    except fernet.InvalidToken as error:
        raise exception.InvalidEncryptionKey() from error


@functools.lru_cache(8)
def _box(key):
    return fernet.Fernet(base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()))
