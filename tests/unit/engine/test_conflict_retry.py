import types

import pytest

from heat_lite.common import exception
from heat_lite.engine import patience


class Http(Exception):
    def __init__(self, **values):
        super().__init__('in use')
        vars(self).update(values)


@pytest.mark.parametrize('error', [Http(code=409), Http(http_status=409), Http(status_code=409), exception.StackExists(stack_name='s')])
def test_conflicts(error):
    assert patience.is_conflict(error)


@pytest.mark.parametrize('error', [Http(code=404), Http(http_status=500), ValueError('409')])
def test_no_conflicts(error):
    assert not patience.is_conflict(error)


class Held:
    """A resource whose deletion conflicts for some tries."""

    def __init__(self, *errors, wait=300, forcing=False):
        self.errors = list(errors)
        limits = types.SimpleNamespace(delete_conflict_wait=wait)
        self.stack = types.SimpleNamespace(limits=limits, forcing=forcing, runtime=types.SimpleNamespace(sinks=None))
        self.told, self.events = [], 0
        journal = types.SimpleNamespace(event=self._event)
        self.record = types.SimpleNamespace(
            set=lambda **values: self.told.append(values['status_reason']), journal=journal, action='DELETE', status='IN_PROGRESS',
            name='r', nova_instance='id', status_reason='',
        )  # fmt: skip

    def _event(self, *_, **__):
        self.events += 1

    @staticmethod
    def type():
        return 'T'

    def attempt(self):
        if self.errors:
            raise self.errors.pop(0)
        return 'done'
        yield


def test_pauses_grow_and_one_event_is_enough():
    held = Held(*[Http(code=409)] * 7)
    assert list(patience.deleting(held, held.attempt)) == [1, 2, 4, 8, 16, 30, 30]
    assert held.told[:2] == ['in use, tried 1 time: in use', 'in use, tried 2 times: in use'] and held.events == 1


@pytest.mark.parametrize('held', [Held(Http(code=409), wait=0), Held(Http(code=404))])
def test_what_is_raised_at_once(held):
    with pytest.raises(Http):
        list(patience.deleting(held, held.attempt))


def test_force_waits_less(monkeypatch):
    monkeypatch.setattr(patience, 'FORCED_WAIT', 0)
    held = Held(Http(code=409), forcing=True)
    with pytest.raises(Http):
        list(patience.deleting(held, held.attempt))
