"""Exceptions of an engine, as they arrive: class, text and code as they were raised."""

import inspect
import logging

import oslo_messaging
import pytest
from oslo_db import exception as db_exception

from heat_lite.common import exception
from heat_lite.rpc.remote import Remote, call


class FormatError(ValueError):
    """One that only the engine knows."""


class Strange(Exception):
    """Of no family that the API knows."""


def samples():
    """One of each class of ours, and some that are awkward to make again."""
    path = ('resources', 'web', 3, 'properties')
    special = {
        'ResourceFailure': exception.ResourceFailure(ValueError('no room'), path=('resources', 'web')),
        'StackValidationFailed': exception.StackValidationFailed('wrong', error='Property error', path=path),
        'RequestLimitExceeded': exception.RequestLimitExceeded('100% of %(what)s'),
        'InvalidSchemaError': exception.InvalidSchemaError('50% off'),
        'UpdateReplace': exception.UpdateReplace('web'),
        'UpdateInProgress': exception.UpdateInProgress('web'),
        'ImmutableParameterModified': exception.ImmutableParameterModified('b', 'a'),
        'ResourcePropertyConflict': exception.ResourcePropertyConflict('b', 'a'),
    }
    for name, kind in inspect.getmembers(exception, inspect.isclass):
        if issubclass(kind, exception.HeatException) and name not in special:
            special[name] = kind(message=f'the text of {name}: 5% of %(gap)s')
    return special


SAMPLES = samples()
BUILTIN = [
    ValueError('bad value'),
    ValueError(),
    TypeError('bad type', 3),
    KeyError('missing'),
    AttributeError("'X' object has no attribute 'y'"),
    NotImplementedError('not yet'),
    RuntimeError('two\nlines'),
]


class Thrower:
    def __init__(self, error):
        self.error = error

    def throw(self, ctxt):
        raise self.error


class Client(Remote):
    throw = call('throw')

    def __init__(self, topic):
        super().__init__(timeout=10)
        self.topic = topic


@pytest.fixture
def thrown(transport, topic, start, ctx):
    """What arrives when an engine raises an error."""

    def get(error):
        start(topic, [Thrower(error)])
        with pytest.raises(Exception) as caught:
            Client(topic).throw(ctx)
        return caught.value

    return get


@pytest.fixture
def thrown_here(local, topic, start, ctx):
    """The same, on the quick transport alone."""

    def get(error):
        start(topic, [Thrower(error)])
        with pytest.raises(Exception) as caught:
            Client(topic).throw(ctx)
        return caught.value

    return get


@pytest.mark.parametrize('name', SAMPLES)
def test_ours_keep_class_text_and_code(thrown_here, name):
    error = SAMPLES[name]
    got = thrown_here(error)
    assert type(got) is type(error)
    assert str(got) == str(error)
    assert getattr(got, 'code', None) == getattr(error, 'code', None)


@pytest.mark.parametrize('error', BUILTIN, ids=repr)
def test_builtins_arrive_as_themselves(thrown_here, error):
    got = thrown_here(error)
    assert type(got) is type(error)
    assert str(got) == str(error)
    assert got.args == error.args


@pytest.mark.parametrize('error', [SAMPLES['StackValidationFailed'], KeyError('missing'), FormatError('line 3')], ids=repr)
def test_both_transports_carry_them(thrown, error):
    got = thrown(error)
    assert type(got).__name__ == type(error).__name__.replace('FormatError', 'ValueError')
    assert str(got) == str(error)


def test_where_a_failure_is_stays_known(thrown_here):
    got = thrown_here(SAMPLES['StackValidationFailed'])
    assert got.error == 'Property error'
    assert str(got.prefixed('resources', 'outer')) == 'Property error: resources.outer.resources.web[3].properties: wrong'


def test_one_that_cannot_be_made_again_is_its_parent(thrown_here):
    got = thrown_here(UnicodeDecodeError('utf-8', b'\xff', 0, 1, 'invalid start byte'))
    assert isinstance(got, ValueError)
    assert 'invalid start byte' in str(got)


def test_strangers_are_remote_errors_with_their_name(thrown_here):
    got = thrown_here(Strange('who am I'))
    assert isinstance(got, oslo_messaging.RemoteError)
    assert (got.exc_type, got.value) == ('Strange', 'who am I')


@pytest.mark.parametrize('error', [exception.EntityNotFound(entity='Stack', name='x'), ValueError('bad')], ids=repr)
def test_expected_ones_leave_no_traceback_in_the_log(thrown_here, caplog, error):
    with caplog.at_level(logging.INFO):
        thrown_here(error)
    assert [record.levelname for record in caplog.records if record.exc_info] == []
    assert any(str(error) in record.getMessage() for record in caplog.records)


def test_faults_leave_a_traceback_in_the_log(thrown_here, caplog):
    thrown_here(KeyError('a fault of ours'))
    faults = [record for record in caplog.records if record.exc_info]
    assert [record.getMessage() for record in faults] == ['throw failed']
    assert isinstance(faults[0].exc_info[1], KeyError)


def test_an_attribute_that_is_missing_stays_known_from_one_that_we_miss(thrown_here):
    missed = AttributeError('parameters must be a map')
    assert thrown_here(missed).name is None
    with pytest.raises(AttributeError) as mistake:
        missed.nothing_of_that_name  # noqa: B018
    assert thrown_here(mistake.value).name == 'nothing_of_that_name'


def test_a_database_that_is_away_is_a_service_that_is_away(thrown_here):
    caught = thrown_here(db_exception.DBConnectionError('gone'))
    assert isinstance(caught, exception.ServiceUnavailable) and caught.code == 503
    assert 'the database does not answer' in str(caught)
