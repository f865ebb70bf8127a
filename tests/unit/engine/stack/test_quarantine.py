import threading
import types

import pytest

from heat_lite.common import exception
from heat_lite.engine import runtime, scheduler
from heat_lite.engine.stack import quarantine
from tests.timeouts import WAIT_SECONDS


class Column:
    """The column of the lock, all that was stored in it, and what is told of ended engines."""

    def __init__(self):
        self.stored, self.held, self.ended = [], True, {}

    def load(self):
        return {'ended': self.ended}

    def store(self, value):
        self.stored.append(value)
        return self.held

    def called(self):
        return [value and value['called'] for value in self.stored]


@pytest.fixture
def column():
    return Column()


def make(column, names=('a', 'b'), dead=None, slot=None):
    guarding = slot or threading.Lock()
    return quarantine.Quarantine(
        'CREATE 7', set(names), dict(dead or {}), column.store, column.load, guarding, 'here'
    )


def resource(name='a', action='CREATE', limit=2):
    limits = runtime.EngineLimits(engine_death_limit=limit)
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
    found = make(column, dead={'a': ['e1']})
    run(found.guard(resource(), work(column)))
    run(found.guard(resource(), work(column)))
    assert column.called() == ['a', 'step 0', None, 'step 1', 'step 0', 'step 1']
    assert column.stored[0] == {
        'action': 'CREATE 7',
        'called': 'a',
        'engine': 'here',
        'deaths': {'a': 1},
        'dead': {'a': ['e1']},
    }
    assert column.stored[2] is None


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


def guarded(column, dead, ended, limit=2):
    """Return the guarded work on a resource in whose call engines have died."""
    column.ended = ended
    return make(column, dead={'a': dead}).guard(resource(limit=limit), work(column))


@pytest.mark.parametrize(
    'dead, ended, limit, fails',
    [
        (['e1'], {'e1': True}, 2, False),
        (['e1', 'e2'], {'e1': True, 'e2': True}, 2, True),
        (['e1', 'e2'], {'e1': True, 'e2': True}, 3, False),
        # others have killed an engine
        (['e1', 'e2'], {'e1': True, 'e2': False}, 2, False),
        (['e1', 'e2', 'e3'], {'e1': True, 'e2': False, 'e3': True}, 2, True),
        # six of them in a row, always in this call, are no chance
        ([f'e{number}' for number in range(5)], {f'e{n}': False for n in range(5)}, 2, False),
        ([f'e{number}' for number in range(6)], {f'e{n}': False for n in range(6)}, 2, True),
        # an earlier version has counted them
        (['', ''], {}, 2, False),
        (['', '', '', 'e1'], {'e1': True}, 2, True),
    ],
)
def test_resource_fails_where_it_has_ended_its_engines(dead, ended, limit, fails, column):
    calling = guarded(column, dead, ended, limit)
    if not fails:
        assert next(calling) == 0
        return
    with pytest.raises(exception.EnginesDied, match=f'{len(dead)} engines in a row died in the'):
        next(calling)
    assert column.stored == []


def test_call_waits_for_what_is_told_of_a_dead_engine(column):
    calling = guarded(column, ['e1', 'e2'], {'e1': True})
    assert next(calling) == next(calling) == quarantine.REPORT_POLL_SECONDS
    column.ended['e2'] = True
    with pytest.raises(exception.EnginesDied):
        next(calling)


def test_call_waits_not_without_end_for_what_is_told(column, monkeypatch):
    monkeypatch.setattr(quarantine, 'REPORT_SECONDS', 0)
    assert next(guarded(column, ['e1', 'e2'], {'e1': True})) == 0


def test_call_waits_not_for_what_does_not_decide(column):
    assert next(guarded(column, ['e1', 'e2'], {'e1': False})) == 0


def test_engine_without_the_lock_makes_no_call(column):
    column.held = False
    slot = threading.Lock()
    with pytest.raises(scheduler.Abandoned):
        next(make(column, slot=slot).guard(resource(), work(column)))
    assert 'step 0' not in column.called() and not slot.locked()


@pytest.mark.parametrize(
    'called, action, found',
    [
        (None, 'CREATE 7', {'b': ['e1']}),
        ('a', 'CREATE 7', {'a': ['e2'], 'b': ['e1']}),
        ('b', 'CREATE 7', {'b': ['e1', 'e2']}),
        # another action, or one with another template, counts anew
        ('b', 'DELETE 7', {}),
        ('b', 'CREATE 8', {}),
    ],
)
def test_dead_engines_are_kept_by_resource(called, action, found):
    stored = {
        'action': 'CREATE 7',
        'called': called,
        'engine': 'e2',
        'deaths': {'b': 1},
        'dead': {'b': ['e1']},
    }
    assert quarantine.dead_engines(stored, action) == found
    assert quarantine.dead_engines(None, action) == {}


def test_deaths_that_an_earlier_version_has_counted_are_kept():
    stored = {'action': 'CREATE 7', 'called': 'b', 'deaths': {'a': 1, 'b': 2}}
    assert quarantine.dead_engines(stored, 'CREATE 7') == {'a': [''], 'b': ['', '', '']}


def test_resources_of_another_dead_engine_are_guarded_too(column):
    guarding = make(column, names=['a'])
    run(guarding.guard(resource('c'), work(column)))
    assert 'c' not in column.called()
    guarding.add({'c'})
    run(guarding.guard(resource('c'), work(column)))
    assert column.called()[2:4] == ['c', 'step 0']
