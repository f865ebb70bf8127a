"""The installation: entry points of installed packages, data files of this package, data folder."""

import functools
import hashlib
import hmac
import importlib
import os
import re
import sys
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent

# Data files are in heat_lite/_data of a wheel (setup.py copies them), or beside the package in a
# checkout.
INSTALLED = {each: PACKAGE / '_data' / each for each in ('docs', 'etc', 'migrations')}
CHECKOUT = {
    'docs': PACKAGE.parent / 'docs',
    'etc': PACKAGE.parent / 'etc' / 'heat_lite',
    'migrations': PACKAGE.parent / 'migrations',
}

# files of the data folder: the token of the embedded service, the URL that it belongs to, the
# access keys for its AWS APIs and their URLs, and the file that the service locks while it runs
TOKEN_FILE = 'token'
URL_FILE = 'url'
KEYS_FILE = 'access-keys'
AWS_URLS_FILE = 'aws-urls'
LOCK_FILE = 'lock'
# and the names of the clouds that the stacks in the folder may be in, one a line
CLOUDS_FILE = 'clouds'


#: the value of [revision] heat_revision that says nothing
UNKNOWN = 'unknown'
_COMMIT_LENGTH = 12
_VERSION = re.compile(r'^version = (\S+)$', re.MULTILINE)


def service_id(key: bytes) -> str:
    """Return the id of the service with this encryption key, which does not disclose the key."""
    return hmac.new(key, b'id of a service', hashlib.sha256).hexdigest()[:16]


def build_name(configured: str) -> str:
    """Return the operator's name of the build; without one, the version of the code."""
    return revision() if configured in ('', UNKNOWN) else configured


@functools.lru_cache(1)
def revision() -> str:
    """Return the version of the code that runs, with its commit as far as known: 0.1.0+1a2b3c..."""
    commit = _read(PACKAGE / '_data' / 'commit')
    setup = None if commit else _VERSION.search(_read(PACKAGE.parent / 'setup.cfg'))
    if setup:
        found, commit = setup[1], _checked_out(PACKAGE.parent / '.git')
    else:
        found = _installed_version()
    return f'{found}+{commit[:_COMMIT_LENGTH]}' if commit else found


def _installed_version() -> str:
    metadata = importlib.import_module('importlib.metadata')
    try:
        return metadata.version('heat-lite')
    except metadata.PackageNotFoundError:
        return UNKNOWN


def _checked_out(folder: Path) -> str:
    """Return the commit of a checkout, an empty text if it is unknown."""
    head = _read(folder / 'HEAD')
    name = head.removeprefix('ref: ')
    if name == head:
        return head
    packed = (line.split(' ') for line in _read(folder / 'packed-refs').splitlines())
    return _read(folder / name) or next((words[0] for words in packed if words[1:] == [name]), '')


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ''


def data_folder() -> Path:
    """Return the folder of the embedded service: HEAT_LITE_DATA_DIR, or one of the user."""
    named = os.environ.get('HEAT_LITE_DATA_DIR')
    return Path(named) if named else default_folder()


def default_folder() -> Path:
    """Return the folder of the embedded service of this user."""
    return Path(os.environ.get('XDG_DATA_HOME') or Path.home() / '.local' / 'share', 'heat-lite')


def known_clouds(folder: Path) -> set[str]:
    """Return the clouds of all starts of the embedded service with a data folder."""
    file = folder / CLOUDS_FILE
    return set(file.read_text().splitlines()) if file.exists() else set()


def entry_points(group: str) -> list[Any]:
    """Return the entry points of a group, in the order in which the packages are found."""
    return list(_all_entry_points(tuple(sys.path)).select(group=group))


# Cached, because the metadata of all installed packages is read from disk.
@functools.lru_cache(1)
def _all_entry_points(path: tuple[str, ...]) -> Any:
    # Loaded here, because it takes longer than a short command.
    return importlib.import_module('importlib.metadata').entry_points()


def data_path(kind: str, *parts: str) -> Path:
    """Return the path of a data file or directory; ``kind`` is a key of CHECKOUT."""
    installed = INSTALLED[kind]
    base = installed if installed.is_dir() else CHECKOUT[kind]
    return base.joinpath(*parts)
