"""Status and message of errors in responses."""

import pytest

from heat_lite.api.middleware import fault
from heat_lite.common import exception


def missing_attribute_error():
    with pytest.raises(AttributeError) as caught:
        [].split()
    return caught.value


@pytest.mark.parametrize(
    ('error', 'status'),
    [
        (ValueError('x is no number'), 400),
        (AttributeError('parameters must be a map'), 400),
        (missing_attribute_error(), 500),
        (KeyError('x'), 500),
        (exception.EngineTooOld(method='m', reason='no such method'), 501),
        (exception.EngineTimeout(engine='e', method='m', seconds=1), 504),
    ],
    ids=lambda value: type(value).__name__,
)
def test_status_of_error_follows_its_class(error, status):
    assert fault.status_of(error) == status


@pytest.mark.parametrize('kind', [ValueError, AttributeError])
def test_message_of_error_about_invalid_data_is_its_text(kind):
    assert fault.message_of(kind('parameters must be a map')) == 'parameters must be a map'
    assert fault.message_of(kind()) is None


def test_message_of_programming_error_is_none():
    assert fault.message_of(missing_attribute_error()) is None
