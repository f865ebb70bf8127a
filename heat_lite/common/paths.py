"""Where the files are that are not code: configuration, templates, migrations."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent

# in a wheel they lie inside the package (setup.py puts them there), in a checkout beside it
INSTALLED = {'etc': PACKAGE / '_data' / 'etc', 'migrations': PACKAGE / '_data' / 'migrations'}
CHECKOUT = {'etc': PACKAGE.parent / 'etc' / 'heat_lite', 'migrations': PACKAGE.parent / 'migrations'}


def data(kind: str, *parts: str) -> Path:
    """The path of a file or folder of ``kind`` ('etc' or 'migrations'), in a checkout and in an installed package alike."""
    installed = INSTALLED[kind]
    base = installed if installed.is_dir() else CHECKOUT[kind]
    return base.joinpath(*parts)
