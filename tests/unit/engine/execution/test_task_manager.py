"""How many nested stacks an engine accepts."""

import types

import pytest

from heat_lite.engine.execution import task_manager


@pytest.fixture
def reserve(monkeypatch):
    """Reserves a slot for a nested stack of this name."""
    clock = types.SimpleNamespace(now=0.0)
    monkeypatch.setattr(task_manager.time, 'monotonic', lambda: clock.now)
    manager = task_manager.ThreadGroupManager(None, 'engine', None)

    def ask(name, limit=2):
        return manager.reserve_slot(types.SimpleNamespace(name=name), limit)

    ask.clock = clock
    return ask


def test_reserve_slot_at_the_limit_is_refused(reserve):
    assert reserve('a') and reserve('b')
    assert not reserve('c')


def test_reserve_slot_after_an_unused_reservation_expired_succeeds(reserve):
    assert reserve('a') and reserve('b')
    reserve.clock.now += task_manager.BEGIN_SECONDS
    assert reserve('c')


def test_reserve_slot_with_a_limit_of_zero_is_refused(reserve):
    assert not reserve('a', limit=0)
