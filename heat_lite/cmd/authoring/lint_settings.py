"""What ``heat-lite lint`` checks and how: the file of the settings, and the files of folders."""

import dataclasses
import os
import sys
from collections.abc import Iterable, Iterator

from heat_lite.template.lint import settings as lint_settings
from heat_lite.template.lint.settings import Settings

FILE = '.heat-lint.yaml'
SUFFIXES = ('.yaml', '.yml', '.template', '.json')
#: number of files of all folders together
MAX_FILES = 10_000
#: bytes of the file of the settings
MAX_BYTES = 256 * 1024


def load(path: str | None) -> Settings:
    """Return the settings in a file, by default in that of the working directory, if it exists.

    Plug-ins are code. They are loaded only if the user names the file: the working directory may be
    that of a stranger. Raises ValueError for a file that cannot be read or is invalid.
    """
    name = path or FILE
    try:
        with open(name, encoding='utf-8') as file:
            text = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        if path is None:
            return Settings()
        raise ValueError(f'{name}: there is no such file') from None
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f'{name}: the file cannot be read: {error}') from None
    if len(text) > MAX_BYTES:
        raise ValueError(f'{name}: the file is longer than {MAX_BYTES} characters')
    found = lint_settings.parse(text, name)
    if found.plugin_dirs and path is None:
        print(
            f'heat-lite lint: plugin_dirs in {name} is ignored: plug-ins are code. Name the file'
            f' (--config {name}) to load them',
            file=sys.stderr,
        )
        found = dataclasses.replace(found, plugin_dirs=())
    return _relative_to(os.path.dirname(name), found)


def _relative_to(folder, found):
    """Return settings with names of files relative to the working directory."""
    return dataclasses.replace(
        found,
        environments=tuple(_join(folder, name) for name in found.environments),
        plugin_dirs=tuple(_join(folder, name) for name in found.plugin_dirs),
        ignore=tuple(_join(folder, name) for name in found.ignore),
    )


def _join(folder, name):
    return os.path.normpath(os.path.join(folder, name))


def expand(names: Iterable[str], settings: Settings) -> tuple[list[str], list[str]]:
    """Return the files among the names, and the files of the folders among them.

    Raises ValueError for folders with too many files.
    """
    files, candidates = [], []
    for name in names:
        if not os.path.isdir(name):
            files.append(name)
            continue
        for path in _walk(name, settings):
            candidates.append(path)
            if len(candidates) > MAX_FILES:
                raise ValueError(f'The folders contain more than {MAX_FILES} files: name fewer')
    return files, candidates


def _walk(top, settings) -> Iterator[str]:
    """Yield the files of a folder that may be templates. Symbolic links are not followed."""
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith('.'))
        for name in sorted(names):
            path = os.path.normpath(os.path.join(folder, name))
            is_candidate = name.endswith(SUFFIXES) and not name.startswith('.')
            if is_candidate and not settings.is_ignored(path) and not os.path.islink(path):
                yield path
