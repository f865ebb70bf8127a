"""How many stacks inside others an engine takes on."""

import types

import pytest

from heat_lite.engine import running


@pytest.fixture
def asked(monkeypatch):
    """Asks for room for a stack of this name."""
    clock = types.SimpleNamespace(now=0.0)
    monkeypatch.setattr(running.time, 'monotonic', lambda: clock.now)
    works = running.Running(None, 'engine', None)

    def ask(name, most=2):
        return works.make_room(types.SimpleNamespace(name=name), most)

    ask.clock = clock
    return ask


def test_room_is_kept_for_what_has_not_begun(asked):
    assert asked('a') and asked('b')
    assert not asked('c')


def test_room_that_is_not_taken_is_free_again(asked):
    assert asked('a') and asked('b')
    asked.clock.now += running.BEGIN_SECONDS
    assert asked('c')


def test_no_room_where_none_may_be_at_work(asked):
    assert not asked('a', most=0)
