"""The built page in heat_lite/ui equals its sources in ui/."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES, BUILT = ROOT / 'ui', ROOT / 'heat_lite' / 'ui'
ADVICE = 'run "make ui" and commit heat_lite/ui'
BUILD_FILES = ('package.json', 'package-lock.json', 'tsconfig.json', 'build.mjs')


def digests(folder, paths):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
    }


@pytest.fixture(scope='module')
def manifest():
    return json.loads((BUILT / 'manifest.json').read_text())


def test_page_is_built_from_the_present_sources(manifest):
    present = [SOURCES / name for name in BUILD_FILES]
    present += [path for path in (SOURCES / 'src').rglob('*') if path.is_file()]
    assert digests(SOURCES, present) == manifest['sources'], ADVICE


def test_built_files_are_those_of_the_build(manifest):
    files = [path for path in BUILT.iterdir() if path.name != 'manifest.json']
    assert digests(BUILT, files) == manifest['files'], ADVICE


def test_lock_file_names_no_place_of_packages():
    packages = json.loads((SOURCES / 'package-lock.json').read_text())['packages']
    assert len(packages) > 10
    assert [name for name, each in packages.items() if 'resolved' in each] == []
    assert [name for name, each in packages.items() if name and 'integrity' not in each] == []


def test_rebuild_equals_the_built_files(tmp_path):
    if not (shutil.which('node') and (SOURCES / 'node_modules').is_dir()):
        assert not os.environ.get('CI'), 'Node.js or ui/node_modules is missing: run "make ui"'
        pytest.skip('needs Node.js and ui/node_modules, which "make ui" installs')
    command = ['node', 'build.mjs', tmp_path / 'ui']
    subprocess.run(command, cwd=SOURCES, check=True, timeout=120)
    made = {path.name: path.read_bytes() for path in (tmp_path / 'ui').iterdir()}
    assert made == {path.name: path.read_bytes() for path in BUILT.iterdir()}, ADVICE
