"""Options of RabbitMQ that need others: the start fails, not each request."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import oslo_messaging
import pytest
from oslo_concurrency import lockutils
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.common import exception
from heat_lite.rpc import rabbit

GROUP = 'oslo_messaging_rabbit'
#: two workers in a group of processes whose first one has ended; each prints the name of its queue
WORKERS = """
import os, sys, time
import oslo_messaging
from oslo_config import cfg
from oslo_messaging._drivers import amqpdriver
from heat_lite import conf as options
from heat_lite.rpc import rabbit

def work():
    while os.path.exists(f'/proc/{os.getpgrp()}'):
        time.sleep(0.01)
    conf = options.load(['--config-file', sys.argv[1]], 'heat-api', cfg.CONF)
    rabbit.check_options(conf, oslo_messaging.TransportURL.parse(conf))
    processname = conf.oslo_messaging_rabbit.processname
    name = amqpdriver.QManager(sys.argv[2], processname).get()
    os.write(1, f'{name}\\n'.encode())  # in one piece

if first := os.fork():
    os.waitpid(first, 0)
else:
    os.setpgid(0, 0)
    for _ in range(2):
        if not os.fork():
            work()
            break
"""
MANAGED = f'[{GROUP}]\nuse_queue_manager = true\n'


@pytest.fixture
def check(tmp_path, lock_options):
    """A function that checks the options of a file, and returns the configuration."""

    def run(text):
        file = tmp_path / 'heat-lite.conf'
        file.write_text(f'[DEFAULT]\ntransport_url = rabbit://127.0.0.1:1\n{text}')
        conf = options.load(['--config-file', str(file)], 'heat-lite-engine', cfg.CONF)
        rabbit.check_options(conf, oslo_messaging.TransportURL.parse(conf))
        return conf

    yield run
    cfg.CONF.clear()


@pytest.mark.parametrize(
    'lines',
    ['', 'rabbit_qos_prefetch_count = 1', 'rabbit_transient_quorum_queue = true'],
    ids=['none', 'prefetch', 'quorum'],
)
def test_stream_fanout_needs_two_more_options(check, lines):
    text = f'[{GROUP}]\nrabbit_stream_fanout = true\n{lines}\n'
    with pytest.raises(exception.ConfigurationError, match='rabbit_qos_prefetch_count of at least'):
        check(text)
    check(f'{text}rabbit_qos_prefetch_count = 1\nrabbit_transient_quorum_queue = true\n')


def test_default_folder_of_locks_is_private(check, tmp_path):
    folder = tmp_path / f'heat-lite-locks-{os.getuid()}'
    for _ in range(2):
        conf = check(MANAGED)
        # with a number where the process that began its group has ended
        assert conf[GROUP].processname.startswith('heat-lite-engine')
        assert lockutils.get_lock_path(cfg.CONF) == str(folder)
        assert folder.stat().st_mode & 0o777 == 0o700
        cfg.CONF.clear()
        lockutils.set_defaults(None)


@pytest.mark.parametrize('planted', ['link', 'shared'])
def test_folder_of_locks_that_others_may_write_to_is_refused(check, tmp_path, planted):
    folder = tmp_path / f'heat-lite-locks-{os.getuid()}'
    if planted == 'link':
        folder.symlink_to(tmp_path)
    else:
        folder.mkdir()
        folder.chmod(0o770)
    with pytest.raises(exception.ConfigurationError, match=rf'{folder} cannot be used\. Set'):
        check(MANAGED)
    other = tmp_path / 'other'
    check(f'{MANAGED}[oslo_concurrency]\nlock_path = {other}\n')
    assert other.is_dir()


def test_folder_of_locks_that_cannot_be_made_is_named(check):
    with pytest.raises(exception.ConfigurationError, match='/dev/null/locks'):
        check(f'{MANAGED}[oslo_concurrency]\nlock_path = /dev/null/locks\n')


def test_workers_of_a_group_without_its_first_process_share_no_queue(tmp_path):
    """Each would get replies for the other; uwsgi has such a group as a daemon."""
    file, host = tmp_path / 'heat.conf', uuid.uuid4().hex
    locks = f'[oslo_concurrency]\nlock_path = {tmp_path}\n'
    file.write_text(f'[DEFAULT]\ntransport_url = rabbit://h\n{MANAGED}processname = heat\n{locks}')
    command = [sys.executable, '-c', WORKERS, str(file), host]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for left in Path('/dev/shm').glob(f'{host}*'):
        left.unlink()
    names = done.stdout.split()
    assert len(set(names)) == 2, done.stderr
    assert all(name.startswith(f'{host}:heat-') for name in names)
