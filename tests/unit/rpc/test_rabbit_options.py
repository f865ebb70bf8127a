"""Options of RabbitMQ that need others: the start fails, not each request."""

import os
import tempfile

import oslo_messaging
import pytest
from oslo_concurrency import lockutils
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.common import exception
from heat_lite.rpc import rabbit

GROUP = 'oslo_messaging_rabbit'
MANAGED = f'[{GROUP}]\nuse_queue_manager = true\n'


@pytest.fixture
def check(tmp_path, monkeypatch):
    """A function that checks the options of a file, and returns the configuration."""
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    opts = lockutils._opts
    defaults = [opt.default for opt in opts]

    def run(text):
        file = tmp_path / 'heat-lite.conf'
        file.write_text(f'[DEFAULT]\ntransport_url = rabbit://127.0.0.1:1\n{text}')
        conf = options.load(['--config-file', str(file)], 'heat-lite-engine', cfg.CONF)
        rabbit.check_options(conf, oslo_messaging.TransportURL.parse(conf))
        return conf

    yield run
    cfg.CONF.clear()
    for opt, default in zip(opts, defaults, strict=True):
        opt.default = default


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
        assert conf[GROUP].processname == 'heat-lite-engine'
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
