"""``heat-lite-status upgrade check`` as a process."""

import json
import subprocess
import sys

import pytest

from heat_lite.db import migration

KEY = 'auth_encryption_key = a key of these tests, 32 letters\n'


@pytest.fixture
def status(tmp_path):
    """A function that writes a configuration and runs the command; returns its process."""

    def run(text, url=f'sqlite:///{tmp_path}/heat.sqlite'):
        file = tmp_path / 'heat-lite.conf'
        file.write_text(f'[DEFAULT]\n{text}\n[database]\nconnection = {url}\n')
        command = [sys.executable, '-W', 'ignore', '-m', 'heat_lite.operate.status']
        command += ['--config-file', str(file), 'upgrade', 'check', '--json']
        return subprocess.run(command, capture_output=True, text=True)

    return run


def results(done):
    return {each['check']: each['result'] for each in json.loads(done.stdout)['checks']}


def test_ready_installation_succeeds_and_each_fault_is_named(status, tmp_path):
    done = status(KEY)
    assert done.returncode == 2, done.stderr
    assert results(done)['Tables of the database'] == 2 and 'run db_sync' in done.stdout
    migration.sync(f'sqlite:///{tmp_path}/heat.sqlite')
    done = status(KEY)
    assert (done.returncode, set(results(done).values())) == (0, {0}), done.stdout
    done = status('num_engine_worker = 2')
    assert done.returncode == 2
    assert results(done)['Options of the configuration files'] == 2
    assert results(done)['Encryption key'] == 2 and 'num_engine_workers' in done.stdout


def test_unreachable_database_is_a_failed_check(status):
    done = status(KEY, 'sqlite:////nowhere/at/all.sqlite')
    assert done.returncode == 2 and 'connection failed' in done.stdout
