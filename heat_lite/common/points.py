"""What installed packages bring: their entry points, which are read from the disk once, for there may be many packages."""

import functools
import importlib.metadata
import sys


def of(group: str) -> list[importlib.metadata.EntryPoint]:
    """Those of a group, in the order in which the packages are found."""
    return list(_all(tuple(sys.path)).select(group=group))


@functools.lru_cache(1)
def _all(path):
    return importlib.metadata.entry_points()
