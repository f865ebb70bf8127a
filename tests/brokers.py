"""RabbitMQ for tests: a virtual host per test, deleted afterwards.

``HEAT_LITE_TEST_RABBIT`` (rabbit://user:password@host:port) is the broker; the default is the
standard port of localhost.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.parse
import uuid

import kombu

from tests.databases import skip_or_fail
from tests.timeouts import WAIT_SECONDS

URL = os.environ.get('HEAT_LITE_TEST_RABBIT', 'rabbit://guest:guest@127.0.0.1:5672')


class BrokerUnavailable(Exception):
    """The broker cannot be used; the message gives the reason."""


@contextlib.contextmanager
def virtual_host():
    """Yield the transport URL of a virtual host that is deleted at the end of the block."""
    missing = why_missing()
    if missing:
        raise BrokerUnavailable(missing)
    name = f'heat_lite_test_{uuid.uuid4().hex[:12]}'
    _run_rabbitmqctl('add_vhost', name)
    try:
        user = urllib.parse.urlsplit(URL).username or 'guest'
        _run_rabbitmqctl('set_permissions', '-p', name, user, '.*', '.*', '.*')
        yield f'{URL.rstrip("/")}/{name}'
    finally:
        _run_rabbitmqctl('delete_vhost', name)


@contextlib.contextmanager
def virtual_host_or_skip():
    """The same for fixtures: skip the test without a broker; fail it if CI is set."""
    with contextlib.ExitStack() as stack:
        try:
            url = stack.enter_context(virtual_host())
        except BrokerUnavailable as error:
            skip_or_fail(f'RabbitMQ is needed: {error}')
        yield url


def close_connections(url):
    """Let the broker close all connections of the virtual host of a transport URL."""
    name = url.rpartition('/')[2]
    _run_rabbitmqctl('close_all_connections', '--vhost', name, 'a test closes them')


def queues(url):
    """Return the names of the queues of the virtual host of a transport URL."""
    return _run_rabbitmqctl('list_queues', '-p', url.rpartition('/')[2], 'name').split()


def queue_kinds(url):
    """Return {name: (is it durable, is it exclusive, its arguments)} of the same queues."""
    columns = ('name', 'durable', 'exclusive', 'arguments')
    listed = _run_rabbitmqctl(
        'list_queues', '-p', url.rpartition('/')[2], *columns, '--formatter', 'json'
    )
    return {
        queue['name']: (
            queue['durable'],
            queue['exclusive'],
            # newer brokers list the default
            {'x-queue-type': 'classic'} | {name: value for name, _, value in queue['arguments']},
        )
        for queue in json.loads(listed)
    }


def why_missing():
    """Return why the broker cannot be used, or None."""
    parts = urllib.parse.urlsplit(URL)
    try:
        socket.create_connection(
            (parts.hostname or '127.0.0.1', parts.port or 5672), timeout=2
        ).close()
    except OSError as error:
        return f'{parts.hostname}:{parts.port}: {error}'
    return None if _rabbitmqctl() else 'rabbitmqctl is not on the path'


def _rabbitmqctl():
    return shutil.which('rabbitmqctl') or shutil.which(
        'rabbitmqctl', path='/usr/sbin:/usr/local/sbin'
    )


def _run_rabbitmqctl(*arguments):
    done = subprocess.run(
        [_rabbitmqctl(), '-q', *arguments], capture_output=True, text=True, timeout=60
    )
    if done.returncode != 0:
        raise BrokerUnavailable(
            f'rabbitmqctl {arguments[0]}: {(done.stderr or done.stdout).strip()}'
        )
    return done.stdout


class Reader:
    """Collects notifications of all priorities of a topic."""

    def __init__(self, channel, topic='notifications'):
        self.told = []
        exchange = kombu.Exchange('heat', 'topic', durable=False)
        queue = kombu.Queue(exchange=exchange, routing_key=f'{topic}.#', exclusive=True)(channel)
        queue.declare()
        self.consumer = kombu.Consumer(
            channel, queue, callbacks=[self._receive], auto_declare=False
        )

    def _receive(self, body, message):
        self.told.append((message.delivery_info['routing_key'], json.loads(body['oslo.message'])))
        message.ack()

    def until(self, event_type, seconds=WAIT_SECONDS):
        """Return all notifications up to the first of this type."""
        end = time.monotonic() + seconds
        with self.consumer:
            while not self.told or self.told[-1][1]['event_type'] != event_type:
                assert time.monotonic() < end, [told['event_type'] for _, told in self.told]
                try:
                    self.consumer.channel.connection.client.drain_events(timeout=1)
                except TimeoutError:
                    continue
        return self.told
