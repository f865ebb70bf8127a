"""The page of metrics and health: who answers, what, and in which time."""

import socket

import pytest
import requests

from heat_lite.server.monitoring import page
from tests.timeouts import NEVER_SECONDS, wait_until


@pytest.fixture
def url():
    sock = page.listen('127.0.0.1', 0)
    served = page.Page(sock, {'/health/live': lambda: page.json_answer(False, {'status': 'x'})})
    served.start()
    yield f'http://127.0.0.1:{sock.getsockname()[1]}'
    served.stop()


def test_paths_of_the_table_are_answered(url):
    answer = requests.get(f'{url}/health/live?verbose=1', timeout=60)
    assert (answer.status_code, answer.json()) == (503, {'status': 'x'})
    assert requests.head(f'{url}/health/live', timeout=60).text == ''
    assert requests.get(f'{url}/stacks', timeout=60).status_code == 404
    assert requests.post(f'{url}/health/live', timeout=60).status_code == 501


def test_client_that_sends_nothing_loses_its_connection(url, monkeypatch):
    monkeypatch.setattr(page.Handler, 'timeout', 0.2)
    port = int(url.rpartition(':')[2])
    idle = [socket.create_connection(('127.0.0.1', port)) for _ in range(page.MAX_CONNECTIONS)]
    assert requests.get(f'{url}/health/live', timeout=30).status_code == 503
    assert all(each.recv(1) == b'' for each in idle)
    for each in idle:
        each.close()


@pytest.mark.parametrize(('pause', 'attempts'), [(0.01, 3), (NEVER_SECONDS, 1)])
def test_socket_that_accepts_nothing_is_tried_at_intervals(caplog, monkeypatch, pause, attempts):
    """A process without free file descriptors would be busy with it, or hang."""
    caplog.set_level('DEBUG', logger=page.LOG.name)
    monkeypatch.setattr(page, 'PAUSE_SECONDS', pause)
    with socket.socket() as sock:  # it does not listen
        shown = page.Page(sock, {})
        shown.start()
        wait_until(lambda: len(caplog.records) >= attempts)
        shown.stop()
    assert pause < NEVER_SECONDS or len(caplog.records) == 1
