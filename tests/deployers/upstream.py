"""The packages of PyPI with the files of deployers, in an environment of their own.

It stays in ``build/deployers`` for the next run.
"""

import pathlib
import subprocess
import sys

from tests.databases import skip_or_fail

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = ROOT / 'build/deployers'
PACKAGES = ('ansible-core==2.19.14', 'kolla==23.0.0', 'kolla-ansible==22.2.0')


def environment():
    """Return the folder of the environment. Skips if PyPI does not answer; with CI set it fails."""
    mark = PLACE / '.installed'
    if not mark.exists() or mark.read_text() != str(PACKAGES):
        subprocess.run([sys.executable, '-m', 'venv', '--clear', PLACE], check=True)
        pip = [PLACE / 'bin/python', '-m', 'pip', 'install', '--quiet', *PACKAGES]
        ended = subprocess.run(pip, capture_output=True, text=True)
        if ended.returncode:
            skip_or_fail(f'pip cannot install {", ".join(PACKAGES)}: {ended.stderr[-500:]}')
        mark.write_text(str(PACKAGES))
    return PLACE


def file(name):
    """Return the path of a file of the package kolla, e.g. ``docker/base/set_configs.py``."""
    return next(environment().glob(f'lib/python3*/site-packages/kolla/{name}'))


def kolla_ansible():
    """Return the folder ``ansible`` of kolla-ansible."""
    return environment() / 'share/kolla-ansible/ansible'
