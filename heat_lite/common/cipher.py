"""Encryption of secrets at rest with [DEFAULT] auth_encryption_key.

New secrets are encrypted by ``METHOD``. The methods of Heat's releases are known for databases that
Heat has written; each is stored with its secret.
"""

import base64
import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from cryptography import fernet
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from heat_lite.common import exception

METHOD = 'fernet_sha256'
#: Heat's method since 2016, and the two before it
HEAT_METHOD, HEAT_CBC, HEAT_CFB = HEAT_METHODS = (
    'cryptography_decrypt_v1',
    'oslo_decrypt_v1',
    'heat_decrypt',
)
METHODS = (METHOD, *HEAT_METHODS)
#: bytes of the initialization vector before a ciphertext of HEAT_CBC and HEAT_CFB
VECTOR_LENGTH = 16
#: characters of a key; keys of the short lengths are accepted with a warning
KEY_LENGTH = 32
SHORT_KEY_LENGTHS = (16, 24)


def encrypt(text: str, key: str) -> tuple[str, str]:
    """Return (method, ciphertext)."""
    return METHOD, _fernet(key).encrypt(text.encode()).decode()


def heat_encrypt(text: str, key: str) -> tuple[str, str]:
    """Return (method, ciphertext) as Heat stores them."""
    return HEAT_METHOD, _heat_fernet(key).encrypt(text.encode()).decode()


def decrypt(method: str, ciphertext: str, key: str, former_keys: Sequence[str] = ()) -> str:
    """Return the plain text of what ``key`` or one of ``former_keys`` has encrypted.

    Raises InvalidEncryptionKey for another key or an unknown method.
    """
    decrypt_by_method = _DECRYPTIONS.get(method)
    if decrypt_by_method is None:
        raise exception.InvalidEncryptionKey()
    for each in (key, *former_keys):
        try:
            return decrypt_by_method(ciphertext, each).decode()
        except (fernet.InvalidToken, ValueError):
            continue
    raise exception.InvalidEncryptionKey()


def is_encrypted_pair(value: object) -> bool:
    """Return whether a value is the list [method, ciphertext] that Heat stores for a secret."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and value[0] in METHODS
        and isinstance(value[1], str)
    )


def length_error(key: str) -> str | None:
    """Return why a key has a wrong length, or None. Heat accepts the same lengths."""
    if len(key) in (KEY_LENGTH, *SHORT_KEY_LENGTHS):
        return None
    return f'it has {len(key)} characters instead of {KEY_LENGTH}'


@functools.lru_cache(8)
def _fernet(key: str) -> fernet.Fernet:
    return fernet.Fernet(base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()))


@functools.lru_cache(8)
def _heat_fernet(key: str) -> fernet.Fernet:
    return fernet.Fernet(base64.urlsafe_b64encode(_fitted(key)))


def _fitted(key: str) -> bytes:
    """Return the bytes of a key in the length that Heat's methods use: repeated or cut."""
    if not key:
        raise ValueError('There is no key.')
    return (key * KEY_LENGTH)[:KEY_LENGTH].encode()


def _raw_key(key: str) -> bytes:
    """Return the bytes of a key for AES, whose length selects the variant."""
    return key.encode() if len(key) in SHORT_KEY_LENGTHS else _fitted(key)


def _decrypt_aes(ciphertext: str, key: str, mode: Any) -> bytes:
    data = base64.b64decode(ciphertext)
    aes = Cipher(algorithms.AES(_raw_key(key)), mode(data[:VECTOR_LENGTH])).decryptor()
    return aes.update(data[VECTOR_LENGTH:]) + aes.finalize()


def _decrypt_cbc(ciphertext: str, key: str) -> bytes:
    """Return the plain text. The last byte is the number of zeros between the text and it."""
    padded = _decrypt_aes(ciphertext, key, modes.CBC)
    zeros = padded[-1] if padded else VECTOR_LENGTH
    if zeros >= VECTOR_LENGTH or any(padded[-1 - zeros : -1]):
        raise ValueError('The padding is wrong: the text was encrypted with another key.')
    return padded[: -1 - zeros]


_DECRYPTIONS: dict[str, Callable[[str, str], bytes]] = {
    METHOD: lambda text, key: _fernet(key).decrypt(text.encode()),
    HEAT_METHOD: lambda text, key: _heat_fernet(key).decrypt(text.encode()),
    HEAT_CBC: _decrypt_cbc,
    HEAT_CFB: lambda text, key: _decrypt_aes(text, key, modes.CFB),
}
