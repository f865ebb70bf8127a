"""The files that templates and environments refer to, for the linter and the command line.

A file has a name: a path, relative to the working directory or absolute, or a URL. A reference in a
file is relative to that file.
"""

import difflib
import os
import pathlib
import stat
import sys
import urllib.parse
import urllib.request

STDIN = '-'
MAX_BYTES = 8 * 1024 * 1024
#: files of a folder that are compared with a misspelt name
MAX_NAMES = 1000


def is_url(name: str) -> bool:
    return '://' in name


def join(name: str, reference: str) -> str:
    """Return the name of the file that the file ``name`` refers to as ``reference``."""
    if reference.startswith('file://'):
        return os.path.relpath(path_of(reference))
    if is_url(reference) or os.path.isabs(reference) and not is_url(name) or name == STDIN:
        return reference
    if is_url(name):
        return urllib.parse.urljoin(name, reference)
    return os.path.normpath(os.path.join(os.path.dirname(name), reference))


def path_of(url: str) -> str:
    """Return the path of a ``file://`` URL."""
    return urllib.request.url2pathname(url.removeprefix('file://'))


def url_of(name: str) -> str:
    """Return the URL of a file, as the stock client names it."""
    return name if is_url(name) else pathlib.Path(os.path.abspath(name)).as_uri()


def read_stdin() -> bytes:
    """Return the content of the standard input. Raises ValueError if the caller has closed it."""
    if sys.stdin is None:
        raise ValueError('The standard input is closed')
    return sys.stdin.buffer.read(MAX_BYTES)


def decode(content: bytes) -> str:
    """Return the text of a file. Raises ValueError for other bytes than UTF-8."""
    try:
        return content.decode('utf-8')
    except UnicodeDecodeError as error:
        raise ValueError(f'The file is not UTF-8 text from byte {error.start} on') from None


def read_bytes(name: str) -> bytes:
    """Return the content of a local file.

    Raises ValueError, with the reason, for a file that is missing, too long or no regular file.
    """
    try:
        with open(name, 'rb', opener=_open_without_wait) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ValueError('The file is no regular file: use - to read from a pipe')
            if status.st_size > MAX_BYTES:
                raise ValueError(f'The file is longer than {MAX_BYTES} bytes')
            return file.read(MAX_BYTES)
    except OSError as error:
        similar = _similar_file(name) if isinstance(error, FileNotFoundError) else None
        hint = f'. Did you mean {similar}?' if similar else ''
        raise ValueError(f'The file cannot be read: {error.strerror}{hint}') from None


def _similar_file(name: str) -> str | None:
    """Return the name of the file of the same folder that is most similar; None if none is."""
    folder, base = os.path.split(name)
    try:
        names = os.listdir(folder or '.')[:MAX_NAMES]
    except OSError:
        return None
    found = difflib.get_close_matches(base, names, n=1, cutoff=0.8)
    return os.path.join(folder, found[0]) if found else None


def _open_without_wait(name: str, flags: int) -> int:
    """Open a file; a pipe would wait for its writer."""
    return os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY)
