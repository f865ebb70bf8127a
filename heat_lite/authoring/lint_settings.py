"""What ``heat-lite lint`` checks and how: the file of the settings, and the files of folders."""

import dataclasses
import os
import sys
from collections.abc import Iterable, Iterator

from heat_lite.authoring import file_references
from heat_lite.template.lint import settings as lint_settings
from heat_lite.template.lint.settings import Settings

FILE = '.heat-lint.yaml'
SUFFIXES = ('.yaml', '.yml', '.template', '.json', '.env')
#: number of files of all folders together
MAX_FILES = 10_000
#: bytes of the file of the settings
MAX_BYTES = 256 * 1024


def load(path: str | None) -> Settings:
    """Return the settings in a file, by default in that of the working directory, if it exists.

    The working directory may be that of a stranger: unless the user names the file, no plug-in is
    loaded, and no file outside of the directory is read. Raises ValueError for a file that cannot
    be read or is invalid.
    """
    name = path or FILE
    if not os.path.lexists(name):
        if path is None:
            return Settings()
        raise ValueError(f'{name}: there is no such file')
    if path is None and not _is_below_working_directory(name):
        raise ValueError(
            f'{name} leads out of the working directory. Name the file (--config FILE) to use it'
        )
    found = lint_settings.parse(_read(name), name)
    return _relative_to(os.path.dirname(name), found if path else _harmless(found))


def _read(name: str) -> str:
    try:
        content = file_references.read_bytes(name)
        if len(content) > MAX_BYTES:
            raise ValueError(f'The file is longer than {MAX_BYTES} bytes')
        return content.decode()
    except ValueError as error:
        raise ValueError(f'{name}: {error}') from None


def _is_below_working_directory(name: str) -> bool:
    """Whether the file that a name leads to, through symbolic links, is in the directory."""
    here = os.path.realpath('.')
    return os.path.commonpath((here, os.path.realpath(name))) == here


def _harmless(found: Settings) -> Settings:
    """Return settings without what the file of a stranger may not choose, and print that."""
    inner = tuple(name for name in found.environments if _is_below_working_directory(name))
    for setting, used, reason in (
        ('plugin_dirs', not found.plugin_dirs, 'plug-ins are code'),
        ('environments', inner == found.environments, 'a file is outside of the directory'),
    ):
        if not used:
            print(
                f'heat-lite lint: {setting} in {FILE} is ignored: {reason}. Name the file'
                f' (--config {FILE}) to load them',
                file=sys.stderr,
            )
    kept = found.environments if inner == found.environments else ()
    return dataclasses.replace(found, plugin_dirs=(), environments=kept)


def _relative_to(folder: str, found: Settings) -> Settings:
    """Return settings with names of files relative to the working directory."""

    def join(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(os.path.normpath(os.path.join(folder, name)) for name in names)

    return dataclasses.replace(
        found,
        environments=join(found.environments),
        plugin_dirs=join(found.plugin_dirs),
        ignore=join(found.ignore),
    )


def expand(names: Iterable[str], settings: Settings) -> tuple[list[str], list[str]]:
    """Return the files among the names, and the files of the folders among them.

    Raises ValueError for folders with too many files.
    """
    files, candidates = [], []
    for name in names:
        if not os.path.isdir(name):
            files.append(name)
            continue
        for path in walk(name, SUFFIXES):
            if _may_be_template(path, settings):
                candidates.append(path)
            if len(candidates) > MAX_FILES:
                raise ValueError(f'The folders contain more than {MAX_FILES} files: name fewer')
    return files, candidates


def walk(top: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Yield the files of a folder with one of the suffixes. Hidden folders are left out."""
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith('.'))
        for name in sorted(names):
            if name.endswith(suffixes):
                yield os.path.normpath(os.path.join(folder, name))


def _may_be_template(path: str, settings: Settings) -> bool:
    is_hidden = os.path.basename(path).startswith('.')
    return not (is_hidden or settings.is_ignored(path) or os.path.islink(path))
