"""Transports under test: the driver for one process, and RabbitMQ."""

import tempfile
import uuid

import pytest
from oslo_concurrency import lockutils
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.common import context
from heat_lite.rpc import messaging
from tests import brokers


@pytest.fixture(scope='session')
def rabbit():
    with brokers.virtual_host_or_skip() as url:
        yield url


@pytest.fixture(params=['local', 'rabbit'])
def url(request):
    return (
        f'local:///{uuid.uuid4().hex}'
        if request.param == 'local'
        else request.getfixturevalue('rabbit')
    )


@pytest.fixture
def conf():
    conf = options.register(cfg.ConfigOpts())
    conf([])
    return conf


@pytest.fixture
def transport(conf, url):
    yield messaging.setup(conf, url)
    messaging.cleanup()


@pytest.fixture
def lock_options(tmp_path, monkeypatch):
    """Keep the library's options for locks, and their default folder, to a test."""
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    for option in lockutils._opts:
        monkeypatch.setattr(option, 'default', option.default)


@pytest.fixture
def local(conf):
    yield messaging.setup(conf, f'local:///{uuid.uuid4().hex}')
    messaging.cleanup()


@pytest.fixture
def ctx():
    return context.RequestContext(
        user_id='u1',
        project_id='p1',
        roles=['member', 'reader'],
        auth_token='secret',
        user_domain_id='default',
        overwrite=False,
    )


@pytest.fixture
def topic():
    """A topic of one test: queues of RabbitMQ outlive their consumers."""
    return f'topic_{uuid.uuid4().hex[:10]}'


@pytest.fixture
def start():
    """Start servers; they are stopped after the test."""
    servers = []

    def start_server(topic, endpoints, server='one', **options):
        new_server = messaging.serve(topic, server, endpoints, **options)
        new_server.start()
        servers.append(new_server)
        return new_server

    yield start_server
    for server in servers:
        server.stop()
        server.wait()
