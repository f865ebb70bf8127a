"""The files that the commands for authors of templates read and write."""

import contextlib
import os
import tempfile
from collections.abc import Iterable

from heat_lite.authoring import file_references, lint_settings, located_errors
from heat_lite.cli import errors
from heat_lite.template import reader
from heat_lite.template.lint import document
from heat_lite.template.lint.settings import Settings


def read(name: str) -> str:
    """Return the text of a file, of standard input for ``-``. Raises FileError."""
    try:
        is_input = name == file_references.STDIN
        return file_references.decode(
            file_references.read_stdin() if is_input else file_references.read_bytes(name)
        )
    except ValueError as error:
        raise errors.FileError(f'{name}: {error}') from None


def parse(name: str, text: str) -> dict:
    """Return the data of a text. Raises FileError, which names the place, for an invalid one."""
    try:
        return reader.parse(text, name=name)
    except reader.FormatError as error:
        raise located_errors.format_error(name, error, text) from None


def write(name: str, text: str) -> None:
    """Replace the content of a file as a whole; its mode is kept. Raises FileError."""
    path = os.path.realpath(name)
    try:
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix='.heat-lite-')
        try:
            with open(handle, 'w', encoding='utf-8', newline='') as file:
                file.write(text)
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise errors.FileError(f'{name}: The file cannot be written: {error.strerror}') from None


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def create(name: str, text: str) -> None:
    """Write a file, and make its folder. Raises FileError."""
    folder = os.path.dirname(name)
    try:
        if folder:
            os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise errors.FileError(f'{folder}: no folder can be made: {error.strerror}') from None
    write(name, text)


def expand(names: Iterable[str]) -> list[str]:
    """Return the named files, and the templates and environments in the named folders."""
    try:
        files, candidates = lint_settings.expand(names, Settings())
    except ValueError as error:
        raise errors.FileError(str(error)) from None
    return [*files, *(name for name in candidates if _is_of_heat(name))]


def _is_of_heat(name: str) -> bool:
    try:
        return document.looks_like_heat(document.Document(name, read(name)))
    except errors.FileError:
        return False
