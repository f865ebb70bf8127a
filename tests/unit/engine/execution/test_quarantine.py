import threading
import types

import pytest

from heat_lite.common import exception
from heat_lite.engine import runtime, scheduler
from heat_lite.engine.execution import quarantine
from tests.timeouts import WAIT_SECONDS


class Column:
    """The column of the lock, and all that was stored in it."""

    def __init__(self):
        self.stored, self.held = [], True

    def store(self, value):
        self.stored.append(value)
        return self.held

    def called(self):
        return [value and value['called'] for value in self.stored]


@pytest.fixture
def column():
    return Column()


def make(column, names=('a', 'b'), deaths=None, slot=None):
    return quarantine.Quarantine(
        'CREATE 7', set(names), dict(deaths or {}), column.store, slot or threading.Lock()
    )


def resource(name='a', action='CREATE', limit=2):
    limits = runtime.Limits(engine_death_limit=limit)
    stack = types.SimpleNamespace(action=action, limits=limits)
    return types.SimpleNamespace(name=name, action=action, stack=stack)


def work(column, steps=2):
    """A handler that notes its steps among the stored values."""
    for step in range(steps):
        column.stored.append({'called': f'step {step}'})
        yield step
    return 'done'


def run(generator):
    """Return what a generator yields and returns."""
    yielded = []
    try:
        while True:
            yielded.append(next(generator))
    except StopIteration as end:
        return yielded, end.value


def test_only_the_first_step_is_announced(column):
    assert run(make(column).guard(resource(), work(column))) == ([0, 1], 'done')
    assert column.called() == ['a', 'step 0', None, 'step 1']


def test_resource_is_acquitted_for_good(column):
    found = make(column, deaths={'a': 1})
    run(found.guard(resource(), work(column)))
    run(found.guard(resource(), work(column)))
    assert column.called() == ['a', 'step 0', None, 'step 1', 'step 0', 'step 1']
    assert column.stored[0]['deaths'] == {'a': 1} and column.stored[2] is None


@pytest.mark.parametrize('other', [resource('c'), resource(action='ROLLBACK')])
def test_other_resources_and_actions_are_not_announced(other, column):
    assert run(make(column).guard(other, work(column))) == ([0, 1], 'done')
    assert column.called() == ['step 0', 'step 1']


def test_work_without_a_wait_is_announced_and_keeps_its_result(column):
    assert run(make(column).guard(resource(), work(column, steps=0))) == ([], 'done')
    assert column.called() == ['a', None]


def test_error_of_the_call_withdraws_the_announcement(column):
    def fail():
        raise ValueError
        yield

    slot = threading.Lock()
    with pytest.raises(ValueError):
        run(make(column, slot=slot).guard(resource(), fail()))
    assert column.called() == ['a', None] and not slot.locked()


def test_one_call_at_a_time_is_announced(column):
    slot = threading.Lock()
    first, second = (make(column, slot=slot) for _ in range(2))
    entered, go_on = threading.Event(), threading.Event()

    def block():
        entered.set()
        assert go_on.wait(WAIT_SECONDS)
        yield

    thread = threading.Thread(target=lambda: next(first.guard(resource(), block())))
    thread.start()
    assert entered.wait(WAIT_SECONDS)
    waiting = second.guard(resource('b'), work(column))
    assert next(waiting) == next(waiting) == quarantine.POLL_SECONDS
    assert column.called() == ['a']
    go_on.set()
    thread.join()
    assert next(waiting) == 0
    assert column.called() == ['a', None, 'b', 'step 0', None]


def test_slow_call_makes_room_for_others(column, monkeypatch):
    monkeypatch.setattr(quarantine, 'SLOW_SECONDS', 0.01)
    slot = threading.Lock()

    def take_long():
        assert slot.acquire(timeout=WAIT_SECONDS)  # free although this call goes on
        slot.release()
        yield

    next(make(column, slot=slot).guard(resource(), take_long()))
    assert column.called() == ['a', None] and not slot.locked()


@pytest.mark.parametrize('deaths, limit, fails', [(1, 2, False), (2, 2, True), (2, 3, False)])
def test_resource_fails_at_the_limit(deaths, limit, fails, column):
    guarded = make(column, deaths={'a': deaths}).guard(resource(limit=limit), work(column))
    if not fails:
        assert next(guarded) == 0
        return
    with pytest.raises(exception.EnginesDied, match='2 engines in a row died in the first call of'):
        next(guarded)
    assert column.stored == []


def test_engine_without_the_lock_makes_no_call(column):
    column.held = False
    slot = threading.Lock()
    with pytest.raises(scheduler.Abandoned):
        next(make(column, slot=slot).guard(resource(), work(column)))
    assert 'step 0' not in column.called() and not slot.locked()


@pytest.mark.parametrize(
    'called, action, found',
    [
        (None, 'CREATE 7', {'b': 1}),
        ('a', 'CREATE 7', {'a': 1, 'b': 1}),
        ('b', 'CREATE 7', {'b': 2}),
        # another action, or one with another template, counts anew
        ('b', 'DELETE 7', {}),
        ('b', 'CREATE 8', {}),
    ],
)
def test_deaths_are_counted_by_resource(called, action, found):
    stored = {'action': 'CREATE 7', 'called': called, 'deaths': {'b': 1}}
    assert quarantine.count_deaths(stored, action) == found
    assert quarantine.count_deaths(None, action) == {}


def test_resources_of_another_dead_engine_are_guarded_too(column):
    guarding = make(column, names=['a'])
    run(guarding.guard(resource('c'), work(column)))
    assert 'c' not in column.called()
    guarding.add({'c'})
    run(guarding.guard(resource('c'), work(column)))
    assert column.called()[2:4] == ['c', 'step 0']
