"""The access keys of the embedded service: they sign requests to its CFN and CloudWatch APIs.

They are in a file of the data folder with mode 0600, one key a project. The service reads the file
again when it has changed, so a rotation needs no restart.
"""

import fcntl
import json
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from heat_lite.common import installation

LOCK = 'access-keys.lock'


class AccessKey(NamedTuple):
    access: str
    secret: str
    project: str


class KeysUnreadable(Exception):
    """The file has another form. The text says what to do."""


class AccessKeys:
    """The keys in a data folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / installation.KEYS_FILE
        self._lock = folder / LOCK
        self._read: tuple[object, dict[str, AccessKey]] = (None, {})

    def find(self, access: str) -> AccessKey | None:
        """Return the key with this id, or None."""
        return self._keys().get(access)

    def ensure_key(self, project: str, renew: bool = False) -> AccessKey:
        """Return the key of a project. Create it if there is none, or with ``renew``."""
        with open(self._lock, 'w') as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            others, own = {}, None
            for each in self._keys().values():
                if each.project == project:
                    own = each
                else:
                    others[each.access] = each
            if own is None or renew:
                own = AccessKey(secrets.token_hex(16), secrets.token_urlsafe(30), project)
                self._write([*others.values(), own])
            return own

    def _keys(self) -> dict[str, AccessKey]:
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return {}
        version = (found.st_mtime_ns, found.st_ino, found.st_size)
        if self._read[0] != version:
            self._read = version, {each.access: each for each in self._parse()}
        return self._read[1]

    def _parse(self) -> list[AccessKey]:
        try:
            rows = json.loads(self._file.read_text())
            return [AccessKey(*(str(row[name]) for name in AccessKey._fields)) for row in rows]
        except (ValueError, KeyError, TypeError):
            raise KeysUnreadable(
                f'{self._file} is no list of access keys: delete it, and new ones are created'
            ) from None

    def _write(self, keys: Iterable[AccessKey]) -> None:
        new = self._file.with_suffix('.new')
        new.unlink(missing_ok=True)
        new.touch(mode=0o600)
        new.write_text(json.dumps([each._asdict() for each in keys], indent=1))
        new.replace(self._file)  # a crash leaves a whole text or none
