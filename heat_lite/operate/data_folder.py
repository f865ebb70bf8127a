"""The data folder of the embedded service: database, key, token and lock."""

import contextlib
import fcntl
import json
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from heat_lite.common import cipher, installation

#: the files with the database and the key
DATABASE, KEY = 'heat.sqlite', 'key'
OTHERS = stat.S_IRWXG | stat.S_IRWXO
#: the user who can read each file anyway
ROOT = 0


class FolderError(Exception):
    """The folder cannot be used. The text states the reason and what to do."""


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Create the data folder with mode 0700 and lock it.

    Raises FolderError if it is locked or accessible to other users, OSError if not writable.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_access(folder)
        with open(folder / installation.LOCK_FILE, 'w') as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError:
        raise FolderError(
            f'another heat_lite uses {folder}: stop it, or give another folder with --data-dir'
        ) from None


def _check_access(folder: Path) -> None:
    found = folder.stat()
    if found.st_uid not in (os.geteuid(), ROOT):
        raise FolderError(
            f'{folder} belongs to another user, who could read the key and the secrets of stacks; '
            'give it to the user of the service (chown), or select another with --data-dir'
        )
    mode = found.st_mode
    if mode & OTHERS:
        raise FolderError(
            f'other users can access {folder} (mode {stat.S_IMODE(mode):04o}), which keeps the '
            f'key and the secrets of stacks; run: chmod 700 {folder}'
        )


def token(folder: Path) -> str:
    """Return the token of the service. Create the token file once."""
    return secret(folder, installation.TOKEN_FILE, lambda: secrets.token_urlsafe(32))


def secret(folder: Path, name: str, make: Callable[[], str]) -> str:
    """Return the text of a file with mode 0600. If there is none, create it with ``make()``."""
    file = folder / name
    if not file.exists() or not file.read_text().strip():
        new = folder / f'{name}.new'
        new.unlink(missing_ok=True)
        new.touch(mode=0o600)
        new.write_text(make())
        new.replace(file)  # a crash leaves a whole text or none
    file.chmod(0o600)
    return file.read_text().strip()


def encryption_key(folder: Path) -> str:
    """Return the key of the data folder. Create its file, with mode 0600, if there is none."""
    return secret(folder, KEY, lambda: secrets.token_hex(cipher.KEY_LENGTH // 2))


def remember_clouds(folder: Path, names: Iterable[str]) -> set[str]:
    """Add the clouds of a start to those of earlier ones. Return all of them."""
    known = installation.known_clouds(folder)
    found = known | set(names)
    if found != known:
        (folder / installation.CLOUDS_FILE).write_text('\n'.join(sorted(found)))
    return found


@contextlib.contextmanager
def announce(folder: Path, url: str, aws_urls: Mapping[str, str]) -> Iterator[None]:
    """Tell the command line, for the time of the context, which URL the token belongs to.

    ``aws_urls``: those of the AWS APIs, by their names.
    """
    file, aws_file = folder / installation.URL_FILE, folder / installation.AWS_URLS_FILE
    aws_file.write_text(json.dumps(aws_urls))
    file.write_text(url)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)
        aws_file.unlink(missing_ok=True)
