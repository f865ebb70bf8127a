"""``--version`` of all programs, in a checkout and in an installed package."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from heat_lite.common import installation

ROOT = Path(__file__).parents[3]
PROGRAMS = {
    'heat-lite': 'heat_lite.cli.main',
    'heat-lite-api': 'heat_lite.cmd.api',
    'heat-lite-api-cfn': 'heat_lite.cmd.api_cfn',
    'heat-lite-api-cloudwatch': 'heat_lite.cmd.api_cloudwatch',
    'heat-lite-engine': 'heat_lite.cmd.engine',
    'heat-lite-manage': 'heat_lite.operate.manage',
}


def run(*words, path=ROOT, cwd=ROOT):
    env = {'PYTHONPATH': str(path), 'PATH': '/usr/bin:/bin', 'HOME': str(cwd)}
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize('program', PROGRAMS)
def test_program_prints_its_version(program, tmp_path):
    printed = run('-m', PROGRAMS[program], '--version', cwd=tmp_path)
    assert printed == f'{program} {installation.revision()}'


@pytest.fixture
def checkout(tmp_path):
    """A copy of the package with the files of a checkout."""
    shutil.copytree(
        ROOT / 'heat_lite',
        tmp_path / 'heat_lite',
        ignore=shutil.ignore_patterns('__pycache__', '_data'),
    )
    for name in ('docs', 'etc', 'migrations'):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ('setup.py', 'setup.cfg', 'pyproject.toml', 'README.md', 'LICENSE'):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def git(folder, *words):
    identity = ('-c', 'user.name=a', '-c', 'user.email=a@b')
    return subprocess.run(
        ['git', *identity, *words], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def version_in(folder, cwd):
    return run('-m', PROGRAMS['heat-lite'], '--version', path=folder, cwd=cwd).split(' ')[1]


def test_version_of_checkout_and_of_build_have_the_commit(checkout):
    version = version_in(checkout, checkout)
    assert '+' not in version
    git(checkout, 'init', '-q')
    git(checkout, 'commit', '-q', '--allow-empty', '-m', 'first')
    expected = f'{version}+{git(checkout, "rev-parse", "HEAD")[:12]}'
    assert version_in(checkout, checkout) == expected
    git(checkout, 'pack-refs', '--all')
    assert version_in(checkout, checkout) == expected
    run('setup.py', '-q', 'build', '--build-lib', 'built', cwd=checkout, path='')
    git(checkout, 'commit', '-q', '--allow-empty', '-m', 'second')
    git(checkout, 'checkout', '-q', '--detach')
    assert version_in(checkout, checkout) != expected
    built = version_in(checkout / 'built', checkout / 'etc')
    assert built.partition('+')[2] == expected.partition('+')[2]


def test_build_name_is_that_of_the_operator():
    assert installation.build_name('2026.2') == '2026.2'
    assert installation.build_name('unknown') == installation.revision()
