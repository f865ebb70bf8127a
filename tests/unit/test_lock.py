"""requirements.lock names one version of each dependency of setup.cfg and of theirs."""

import configparser
import importlib.metadata
import re
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
#: of python-dateutil in the lock, while botocore, which only tests need, takes an older one; and of
#: WebOb on Python 3.13 and later, while the lock is for 3.11
OF_OTHER_VERSIONS = {'tzdata', 'legacy-cgi'}


def locked():
    """``{canonical name: version}`` of the lock file."""
    lines = (ROOT / 'requirements.lock').read_text().splitlines()
    pairs = [line.split('==') for line in lines if line and not line.startswith('#')]
    return {canonicalize_name(name): version for name, version in pairs}


def required():
    """The requirements of the service in setup.cfg, and those of images."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / 'setup.cfg')
    extras = parser['options.extras_require']
    lists = (parser['options']['install_requires'], extras['traces'], extras['uwsgi'])
    lines = '\n'.join(lists).split('\n')
    return [Requirement(line) for line in lines if line]


def closure():
    """``{canonical name}`` of the requirements and all of theirs, of what is installed."""
    found, waiting = set(), [(each.name, each.extras) for each in required()]
    while waiting:
        name, extras = waiting.pop()
        if (canonicalize_name(name), *extras) in found:
            continue
        found.add((canonicalize_name(name), *extras))
        for line in importlib.metadata.requires(name) or ():
            each = Requirement(line)
            if each.marker is None or any(
                each.marker.evaluate({'extra': extra}) for extra in (*extras, '')
            ):
                waiting.append((each.name, each.extras))
    return {name for name, *_ in found} - {'setuptools'}  # part of a virtual environment


def test_lock_satisfies_setup_cfg():
    versions = locked()
    wrong = [
        str(each)
        for each in required()
        if not each.specifier.contains(versions.get(canonicalize_name(each.name), '0'))
    ]
    assert wrong == [], 'Run `make lock`.'


def test_lock_names_exactly_the_needed_packages():
    assert closure() ^ locked().keys() <= OF_OTHER_VERSIONS, 'Run `make lock`.'


def test_lock_pins_exact_versions():
    assert all(re.fullmatch(r'[0-9][\w.]*', version) for version in locked().values())
