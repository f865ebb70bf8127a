"""The contexts of images in compose files: the files that a build gets."""

import fnmatch
import os
import pathlib
import re
from collections.abc import Callable, Iterator, Sequence

from heat_lite.common.value_types import Value, Values

#: a context with more is not written into a template
MAX_FILES, MAX_BYTES = 500, 8 << 20


class ContextError(Exception):
    """Why a context cannot be written into a template."""


def context(
    folder: pathlib.Path, dockerfile: str, reference: Callable[[pathlib.Path], str]
) -> Values:
    """Return ``{path: file}`` of a folder, without what .dockerignore names. Raises ContextError.

    ``reference`` returns the text by which a template refers to a file of this machine.
    """
    if not folder.is_dir():
        raise ContextError(f'the folder {folder} of the build does not exist')
    found: Values = {}
    size = 0
    for name in sorted(_names(folder, _ignored(folder, dockerfile), dockerfile)):
        path = folder / name
        size += path.stat().st_size
        if len(found) >= MAX_FILES or size > MAX_BYTES:
            raise ContextError(
                f'the folder {folder} has more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB: '
                'name what the build does not need in .dockerignore, or give the name of an image '
                'that is built already'
            )
        found[name] = _file(path, reference(path))
    if dockerfile not in found:
        found[dockerfile] = {'get_file': reference(folder / dockerfile)}
    return found


def _names(
    folder: pathlib.Path, patterns: Sequence[tuple[bool, str]], dockerfile: str
) -> Iterator[str]:
    for top, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each != '.git']
        for each in files:
            name = (pathlib.Path(top) / each).relative_to(folder).as_posix()
            is_file = (folder / name).is_file()
            if is_file and (name == dockerfile or not _is_ignored(name, patterns)):
                yield name


def _ignored(folder: pathlib.Path, dockerfile: str) -> list[tuple[bool, str]]:
    """Return pairs (whether the file is left out, pattern) of .dockerignore."""
    for name in (f'{dockerfile}.dockerignore', '.dockerignore'):
        if (folder / name).is_file():
            lines = (folder / name).read_text().splitlines()
            given = [each.strip() for each in lines]
            given = [each for each in given if each and not each.startswith('#')]
            return [(each[0] != '!', each.lstrip('!').strip('/')) for each in given]
    return []


def _is_ignored(name: str, patterns: Sequence[tuple[bool, str]]) -> bool:
    """Return whether the last pattern that matches a file or one of its folders leaves it out."""
    places = [name[: found.start()] for found in re.finditer('/', name)] + [name]
    result = False
    for leaves_out, pattern in patterns:
        if any(_matches(each, pattern) for each in places):
            result = leaves_out
    return result


def _matches(name: str, pattern: str) -> bool:
    """Return whether a path matches a pattern, in which * ends at a slash and ** does not."""
    parts = re.split(r'(\*\*/?)', pattern)
    regex = ''.join(
        '(?:.*/)?' if each == '**/' else '.*' if each == '**' else _segment(each) for each in parts
    )
    return re.fullmatch(regex, name) is not None


def _segment(pattern: str) -> str:
    # without (?s: and )\Z, which is )\z from Python 3.14 on
    text = fnmatch.translate(pattern)[4:-3]
    return text.replace('.*', '[^/]*')


def _file(path: pathlib.Path, url: str) -> Value:
    """Return a file of a context: a text, or a map for a binary or an executable file."""
    try:
        path.read_bytes().decode()
        content = {'content': {'get_file': url}}
    except UnicodeDecodeError:
        content = {'base64': {'get_file': url}}
    if os.access(path, os.X_OK):
        return {**content, 'mode': '0755'}
    return content['content'] if 'content' in content else content
