"""What errors look like from outside."""

import pytest

from heat_lite.api.middleware import fault
from heat_lite.common import exception


def mistake():
    with pytest.raises(AttributeError) as caught:
        [].split()
    return caught.value


@pytest.mark.parametrize(
    ('error', 'status'),
    [
        (ValueError('x is no number'), 400),
        (AttributeError('parameters must be a map'), 400),
        (mistake(), 500),
        (KeyError('x'), 500),
        (exception.EngineTooOld(method='m', reason='no such method'), 501),
        (exception.EngineTimeout(engine='e', method='m', seconds=1), 504),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whose_fault_it_is(error, status):
    assert fault.status_of(error) == status


def test_mistakes_of_ours_say_nothing_about_themselves():
    assert fault.message_of(mistake()) is None
