import types

import pytest

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.engine.stack import conflict_retry
from heat_lite.engine.stack.action_run import ActionRun


class Http(Exception):
    def __init__(self, **values):
        super().__init__('in use')
        vars(self).update(values)


@pytest.mark.parametrize(
    'error',
    [
        Http(code=409),
        Http(http_status=409),
        Http(status_code=409),
        exception.StackExists(stack_name='s'),
    ],
)
def test_is_conflict_by_status_409_is_true(error):
    assert conflict_retry.is_conflict(error)


@pytest.mark.parametrize(
    'text',
    [
        'Endpoint group 016d is in use and cannot be deleted',
        'Unable to delete subnet pool: Subnet pool has existing allocations.',
        'Validation failure: Cannot delete Load Balancer f9be - it has children',
    ],
)
def test_is_conflict_by_status_400_of_an_object_in_use_is_true(text):
    assert conflict_retry.is_conflict(errors.BadRequest(text))
    assert not conflict_retry.is_conflict(errors.Forbidden(text))


@pytest.mark.parametrize(
    'error',
    [
        Http(code=404),
        Http(http_status=500),
        ValueError('409'),
        errors.BadRequest('Invalid input for cidr'),
    ],
)
def test_is_conflict_by_other_errors_is_false(error):
    assert not conflict_retry.is_conflict(error)


class Held:
    """A resource whose deletion conflicts for some tries."""

    def __init__(self, *errors, wait=300, forcing=False):
        self.errors = list(errors)
        limits = types.SimpleNamespace(delete_conflict_wait=wait)
        self.stack = types.SimpleNamespace(
            limits=limits,
            run=ActionRun(force=forcing),
            runtime=types.SimpleNamespace(event_sinks=None),
            redact=str,
        )
        self.told, self.events = [], 0
        journal = types.SimpleNamespace(event=self._event)
        self.record = types.SimpleNamespace(
            set=lambda **values: self.told.append(values['status_reason']),
            journal=journal,
            action='DELETE',
            status='IN_PROGRESS',
            name='r',
            nova_instance='id',
            status_reason='',
        )

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


def test_retry_on_conflict_pauses_grow_with_one_event():
    held = Held(*[Http(code=409)] * 7)
    assert list(conflict_retry.retry_on_conflict(held, held.attempt)) == [1, 2, 4, 8, 16, 30, 30]
    assert (
        held.told[:2] == ['in use, tried 1 time: in use', 'in use, tried 2 times: in use']
        and held.events == 1
    )


@pytest.mark.parametrize('held', [Held(Http(code=409), wait=0), Held(Http(code=404))])
def test_retry_on_conflict_other_error_is_raised_at_once(held):
    with pytest.raises(Http):
        list(conflict_retry.retry_on_conflict(held, held.attempt))


def test_retry_on_conflict_with_force_ends_early(monkeypatch):
    monkeypatch.setattr(conflict_retry, 'FORCED_CONFLICT_WAIT', 0)
    held = Held(Http(code=409), forcing=True)
    with pytest.raises(Http):
        list(conflict_retry.retry_on_conflict(held, held.attempt))
