"""Encryption of columns, so that a copy of the database alone discloses no secrets.

Credentials and private data of resources are always encrypted. With [DEFAULT]
encrypt_parameters_and_properties, so are all columns of type ``column_types.Secret``: they can
contain values of parameters and properties. Their ciphertext starts with PREFIX, so encrypted and
plain rows can coexist. See ``common.cipher`` for the cipher.
"""

import hashlib
import hmac
import json
import typing
from collections.abc import Mapping, Sequence

from heat_lite.common import cipher, exception
from heat_lite.common.value_texts import from_json
from heat_lite.common.value_types import Value
from heat_lite.conf import identity

#: Start of an encrypted column. No JSON text starts with it.
PREFIX = f'{cipher.METHOD}:'
#: Keys of an environment as Heat stores it.
PARAMETERS, ENCRYPTED_NAMES = 'parameters', 'encrypted_param_names'


class _Settings:
    key: str | None = None
    #: the key, if parameters and properties are encrypted
    parameters_key: str | None = None
    former_keys: tuple[str, ...] = ()


def configure(
    key: str | None, encrypt_parameters: bool = False, former_keys: Sequence[str] = ()
) -> None:
    """Set the keys and whether parameters and properties are encrypted.

    The arguments are the options auth_encryption_key, encrypt_parameters_and_properties and
    former_encryption_keys. ``former_keys`` only decrypt.
    """
    _Settings.key, _Settings.parameters_key = key, (key or None) if encrypt_parameters else None
    _Settings.former_keys = tuple(former_keys)


def encrypt(text: str, always: bool = True) -> tuple[str | None, str]:
    """Return (method, text) as they are stored; the method of a plain text is None.

    The text stays plain without a configured key. A value that is not ``always`` secret is
    encrypted only if parameters and properties are.
    """
    key = _Settings.key if always else _Settings.parameters_key
    return cipher.encrypt(text, key) if key else (None, text)


def decrypt(method: str | None, text: str | None, place: str = '') -> str | None:
    """Return the plain text of what ``encrypt`` or Heat has stored.

    Heat stores '' as the method of a plain text. Raises InvalidEncryptionKey, which names the
    ``place`` of the secret.
    """
    if not method or text is None:
        return text
    try:
        return cipher.decrypt(method, text, _Settings.key or '', _Settings.former_keys)
    except exception.InvalidEncryptionKey:
        raise exception.InvalidEncryptionKey(place) from None


def decrypt_parameters(environment: dict | None) -> dict:
    """Return an environment with plain parameters.

    Heat lists encrypted parameters in ``encrypted_param_names`` and stores [method, ciphertext] as
    their values. A parameter of the list can be plain: Heat keeps the list of another template.
    The list stays: GET .../environment shows it.
    """
    environment = environment or {}
    names = environment.get(ENCRYPTED_NAMES)
    if not names:
        return environment
    values = {**(environment.get(PARAMETERS) or {})}
    for name in names:
        if cipher.is_encrypted_pair(values.get(name)):
            method, text = values[name]
            values[name] = decrypt(method, text, f'parameter {name}')
    return {**environment, PARAMETERS: values}


def encrypts_parameters() -> bool:
    """Return whether parameters and properties are stored encrypted."""
    return _Settings.parameters_key is not None


def encrypt_or_none(text: str) -> str | None:
    """Return the ciphertext; None unless a private key is configured.

    It is for secrets that must not be stored in plain text or with the well-known default key.
    """
    if _Settings.key in (None, '', identity.WELL_KNOWN_KEY):
        return None
    return PREFIX + cipher.encrypt(text, _Settings.key)[1]


def encrypt_column(text: str) -> str:
    """Return the text as a column of type ``column_types.Secret`` stores it."""
    key = _Settings.parameters_key
    return PREFIX + cipher.encrypt(text, key)[1] if key else text


def decrypt_column(text: str, place: str = '') -> str:
    """Return the plain text of ``encrypt_column`` or ``encrypt_or_none``, encrypted or not.

    Raises InvalidEncryptionKey, which names the ``place``, for a text of another key.
    """
    if not text.startswith(PREFIX):
        return text
    return decrypt(cipher.METHOD, text[len(PREFIX) :], place) or ''


def encrypt_properties(values: Mapping[str, typing.Any]) -> tuple[bool, Mapping[str, typing.Any]]:
    """Return (encrypted, values) of a row of ``resource_properties_data``, in Heat's form.

    An encrypted value is a list of the method and the ciphertext of its JSON.
    """
    key = _Settings.parameters_key
    if key is None:
        return False, values
    return True, {
        name: list(cipher.encrypt(json.dumps(value), key)) for name, value in values.items()
    }


def decrypt_properties(encrypted: bool | None, values: Value) -> Value:
    """Return the plain values of ``encrypt_properties``. Raises InvalidEncryptionKey."""
    if not encrypted or not values:
        return values
    return {
        name: from_json(decrypt(method, text, f'property {name}') or 'null')
        for name, (method, text) in values.items()
    }


def digest(text: str) -> str:
    """Return the fingerprint of a content.

    If contents are encrypted, the fingerprint depends on the key. Otherwise a reader of the
    database could guess secrets and compare fingerprints.
    """
    key = _Settings.parameters_key
    if key:
        return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
    return hashlib.sha256(text.encode()).hexdigest()
