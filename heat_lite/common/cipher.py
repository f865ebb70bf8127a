"""Encryption of secrets at rest with [DEFAULT] auth_encryption_key."""

import base64
import functools
import hashlib
from collections.abc import Sequence

from cryptography import fernet

from heat_lite.common import exception

# The only method so far. It is stored with each secret, so that further methods can be added.
METHOD = 'fernet_sha256'
#: characters of a key; keys of the short lengths are accepted with a warning
KEY_LENGTH = 32
SHORT_KEY_LENGTHS = (16, 24)


def encrypt(text: str, key: str) -> tuple[str, str]:
    """Return (method, ciphertext)."""
    return METHOD, _fernet(key).encrypt(text.encode()).decode()


def decrypt(method: str, ciphertext: str, key: str, former_keys: Sequence[str] = ()) -> str:
    """Return the plain text of what ``key`` or one of ``former_keys`` has encrypted.

    Raises InvalidEncryptionKey for another key or an unknown method.
    """
    if method != METHOD:
        raise exception.InvalidEncryptionKey()
    try:
        return _fernet(key, *former_keys).decrypt(ciphertext.encode()).decode()
    except fernet.InvalidToken as error:
        raise exception.InvalidEncryptionKey() from error


def length_error(key: str) -> str | None:
    """Return why a key has a wrong length, or None. Heat accepts the same lengths."""
    if len(key) in (KEY_LENGTH, *SHORT_KEY_LENGTHS):
        return None
    return f'it has {len(key)} characters instead of {KEY_LENGTH}'


@functools.lru_cache(8)
def _fernet(*keys):
    return fernet.MultiFernet(
        fernet.Fernet(base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()))
        for key in keys
    )
