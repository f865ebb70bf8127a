"""RabbitMQ for tests: the real one, a virtual host of our own in it, and none of its queues left behind.

The broker is that of ``HEAT_LITE_TEST_RABBIT`` (rabbit://user:password@host:port), or of the standard port of this machine.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import urllib.parse
import uuid

import pytest

URL = os.environ.get('HEAT_LITE_TEST_RABBIT', 'rabbit://guest:guest@127.0.0.1:5672')


class NoBroker(Exception):
    """There is none to be used; the text says why."""


@contextlib.contextmanager
def virtual_host():
    """The transport URL of a virtual host that exists as long as this context."""
    _reach()
    name = f'heat_lite_test_{uuid.uuid4().hex[:12]}'
    _control('add_vhost', name)
    try:
        user = urllib.parse.urlsplit(URL).username or 'guest'
        _control('set_permissions', '-p', name, user, '.*', '.*', '.*')
        yield f'{URL.rstrip("/")}/{name}'
    finally:
        _control('delete_vhost', name)


@contextlib.contextmanager
def virtual_host_or_skip():
    """The same for a fixture: without a broker the test is skipped, or fails where CI is set."""
    with contextlib.ExitStack() as stack:
        try:
            url = stack.enter_context(virtual_host())
        except NoBroker as error:
            (pytest.fail if os.environ.get('CI') else pytest.skip)(f'RabbitMQ is needed: {error}')
        yield url


def _reach():
    parts = urllib.parse.urlsplit(URL)
    try:
        socket.create_connection((parts.hostname or '127.0.0.1', parts.port or 5672), timeout=2).close()
    except OSError as error:
        raise NoBroker(f'{parts.hostname}:{parts.port}: {error}') from None
    if _rabbitmqctl() is None:
        raise NoBroker('rabbitmqctl is not on the path')


def _rabbitmqctl():
    return shutil.which('rabbitmqctl') or shutil.which('rabbitmqctl', path='/usr/sbin:/usr/local/sbin')


def _control(*arguments):
    done = subprocess.run([_rabbitmqctl(), '-q', *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise NoBroker(f'rabbitmqctl {arguments[0]}: {(done.stderr or done.stdout).strip()}')
