"""What the database keeps so that a copy of it alone tells nothing (see ``common.crypt``).

Credentials and private data of resources are always sealed. With [DEFAULT] encrypt_parameters_and_properties so is all that may hold
values of parameters and properties: columns of the type ``types.Secret``, each sealed as a whole. Such a text says itself that it is
sealed, so that rows of both kinds may stand side by side.
"""

import hashlib
import hmac

from heat_lite.common import crypt
from heat_lite.conf import identity

#: no JSON begins like this
MARK = f'{crypt.METHOD}:'


class _Keys:
    key: str | None = None
    everything = False


def configure(key: str | None, everything: bool = False):
    """``key`` is [DEFAULT] auth_encryption_key; with ``everything`` parameters and properties are sealed, too."""
    _Keys.key, _Keys.everything = key, everything and bool(key)


def seal(text: str, always: bool = True) -> tuple[str | None, str]:
    """(method, text) as they are to be stored; the text itself, by no method, where no key is configured. What may be a value of a
    parameter or a property is not ``always`` secret."""
    return crypt.seal(text, _Keys.key) if _Keys.key and (always or _Keys.everything) else (None, text)


def unseal(method: str | None, text: str | None) -> str | None:
    """What ``seal`` sealed."""
    return text if method is None or text is None else crypt.unseal(method, text, _Keys.key or '')


def lock_up(text: str) -> str | None:
    """The text sealed, for what must not be kept otherwise: None where no key is configured that others do not know."""
    return None if _Keys.key in (None, '', identity.WELL_KNOWN_KEY) else MARK + crypt.seal(text, _Keys.key)[1]


def wrap(text: str) -> str:
    """The text as a column of the type ``types.Secret`` keeps it."""
    return MARK + crypt.seal(text, _Keys.key)[1] if _Keys.everything and _Keys.key else text


def unwrap(text: str) -> str:
    """What ``wrap`` wrapped, or ``lock_up`` sealed, whatever is configured now."""
    return crypt.unseal(crypt.METHOD, text[len(MARK) :], _Keys.key or '') if text.startswith(MARK) else text


def digest(text: str) -> str:
    """A fingerprint of a content. That of a sealed one needs the key, or else its secrets could be tried out."""
    if _Keys.everything and _Keys.key:
        return hmac.new(_Keys.key.encode(), text.encode(), hashlib.sha256).hexdigest()
    return hashlib.sha256(text.encode()).hexdigest()
