"""Checks of a process: what fails, since when, and an end that does not wait for it."""

import threading

import pytest

from heat_lite.common import health_checks as health
from tests.timeouts import WAIT_SECONDS


def refuse():
    raise ConnectionRefusedError('the port is closed\nsecond line')


@pytest.fixture
def hanging():
    """Return a probe that hangs until the end of the test."""
    released = threading.Event()
    yield released.wait
    released.set()


def test_checks_that_succeed_are_ok():
    found = health.Health({'database': lambda: None})
    assert found.look() == []
    assert found.report() == {'status': 'ok', 'checks': [{'name': 'database', 'status': 'ok'}]}


def test_failure_is_named_with_its_reason_and_duration(monkeypatch):
    now = 1000.0
    monkeypatch.setattr(health.time, 'monotonic', lambda: now)
    found = health.Health({'database': lambda: None, 'broker': refuse})
    found.look()
    now += 2.5
    found.look()
    report = found.report()
    assert report['status'] == 'failing' and report['checks'][0]['status'] == 'ok'
    broker = report['checks'][1]
    assert broker['reason'] == 'ConnectionRefusedError: the port is closed'
    assert broker['seconds'] == 2.5 and broker['since'].endswith('+00:00')


def test_probe_that_hangs_fails_and_is_not_begun_again(hanging):
    calls = []
    found = health.Health({'broker': lambda: calls.append(1) or hanging()})
    for _ in range(2):
        (check,) = found.look(0.1)
        assert check.reason.startswith('no answer for ')
    assert calls == [1]


def test_check_recovers():
    away = threading.Event()
    away.set()
    found = health.Health({'broker': lambda: refuse() if away.is_set() else None})
    assert [check.name for check in found.look()] == ['broker']
    away.clear()
    assert found.look() == [] and found.checks[0].seconds() == 0


def test_watch_tells_reports_until_it_is_stopped():
    told = threading.Event()
    found = health.Health({'broker': refuse})
    reports = []
    found.watch(lambda report: (reports.append(report), told.set()))
    assert told.wait(WAIT_SECONDS)
    found.stop()
    assert reports[0]['status'] == 'failing'


def test_end_of_a_healthy_process_is_waited_for():
    done = []
    assert health.finish(
        lambda: (threading.Event().wait(0.3), done.append(1)),
        lambda: done.append(2),
        health.Health({}),
        0.1,
    )
    assert done == [1, 2]


def test_end_is_left_behind_when_a_check_fails(hanging):
    closed = []
    broken = health.Health({'broker': refuse})
    assert not health.finish(hanging, lambda: closed.append(1), broken, 0.3)
    assert not closed


def test_end_is_waited_for_while_a_failure_is_short(hanging):
    failures = iter([True])
    ended = threading.Event()

    def probe():
        if next(failures, False):
            refuse()
        ended.set()

    assert health.finish(
        lambda: ended.wait(WAIT_SECONDS), lambda: None, health.Health({'x': probe}), 2
    )


def test_connections_that_do_not_close_are_left_behind(hanging, monkeypatch):
    monkeypatch.setattr(health, 'CLOSE_SECONDS', 0.2)
    assert not health.finish(lambda: None, hanging, health.Health({}), 2)
