"""The release before this one: its source, which tests run beside this one's.

``source.tar.xz`` is written by ``make previous RELEASE=TAG`` after a release, and kept here because
a checkout may lack the history. Its programs use the libraries of this release.
"""

import sys
import tarfile
from pathlib import Path

SOURCE = Path(__file__).parent / 'source.tar.xz'


def unpack(folder):
    """Unpack the release into a folder; return the beginning of a command that uses its code."""
    with tarfile.open(SOURCE) as archive:
        archive.extractall(folder, filter='data')
    # without the bytecode each of its processes would compile everything anew
    return ('env', '-C', folder, '--unset=PYTHONDONTWRITEBYTECODE', f'PYTHONPATH={folder}')


def python(wrapper, *arguments):
    """Return the command of Python with the code of the release."""
    return (*wrapper, sys.executable, *arguments)
