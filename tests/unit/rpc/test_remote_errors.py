"""Exceptions across RPC keep their class, text and code."""

import inspect
import logging

import oslo_messaging
import pytest
from oslo_db import exception as db_exception

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.operations.remote_method import call
from heat_lite.rpc.contract import RpcClient


class FormatError(ValueError):
    """A class that only the server knows, with a builtin base."""


class UnknownError(Exception):
    """A class that only the server knows."""


def samples():
    """Return an instance of each class of ``heat_lite.common.exception``, by class name."""
    path = ('resources', 'web', 3, 'properties')
    special = {
        'ResourceFailure': exception.ResourceFailure(
            ValueError('no room'), path=('resources', 'web')
        ),
        'StackValidationFailed': exception.StackValidationFailed(
            'wrong', error='Property error', path=path
        ),
        'RequestLimitExceeded': exception.RequestLimitExceeded('100% of %(what)s'),
        'InvalidSchemaError': exception.InvalidSchemaError('50% off'),
        'InvalidEncryptionKey': exception.InvalidEncryptionKey('parameter "secret"'),
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


class Client(RpcClient):
    throw = call('throw')

    def __init__(self, topic):
        super().__init__(timeout=10)
        self.topic = topic


@pytest.fixture
def thrown(transport, topic, start, ctx):
    """Return the exception that the client raises for one of the server."""

    def get(error):
        start(topic, [Thrower(error)])
        with pytest.raises(Exception) as caught:
            Client(topic).throw(ctx)
        return caught.value

    return get


@pytest.fixture
def thrown_locally(local, topic, start, ctx):
    """The same, on the local transport only."""

    def get(error):
        start(topic, [Thrower(error)])
        with pytest.raises(Exception) as caught:
            Client(topic).throw(ctx)
        return caught.value

    return get


# a client repeats what an engine gives back, so its user never gets that one
@pytest.mark.parametrize('name', sorted(SAMPLES.keys() - {'RequestGivenBack'}))
def test_service_exception_keeps_class_text_and_code(thrown_locally, name):
    error = SAMPLES[name]
    got = thrown_locally(error)
    assert type(got) is type(error)
    assert str(got) == str(error)
    assert getattr(got, 'code', None) == getattr(error, 'code', None)


@pytest.mark.parametrize('error', BUILTIN, ids=repr)
def test_builtin_exception_keeps_class_text_and_args(thrown_locally, error):
    got = thrown_locally(error)
    assert type(got) is type(error)
    assert str(got) == str(error)
    assert got.args == error.args


@pytest.mark.parametrize(
    'error',
    [SAMPLES['StackValidationFailed'], KeyError('missing'), FormatError('line 3')],
    ids=repr,
)
def test_exception_crosses_both_transports(thrown, error):
    got = thrown(error)
    assert type(got).__name__ == type(error).__name__.replace('FormatError', 'ValueError')
    assert str(got) == str(error)


def test_validation_error_keeps_its_path(thrown_locally):
    got = thrown_locally(SAMPLES['StackValidationFailed'])
    assert got.error == 'Property error'
    assert (
        str(got.prefixed('resources', 'outer'))
        == 'Property error: resources.outer.resources.web[3].properties: wrong'
    )


@pytest.mark.parametrize(
    ('error', 'status'),
    [
        (errors.NoCloud(reason='no Nova'), 400),
        (errors.NoSuchObject(reason='no flavor m1'), 400),
        (errors.Unavailable('nova cannot be reached'), 503),
        (errors.ServiceError('quota', 413), 413),
        (exception.Error('x'), exception.Error.code),
    ],
    ids=repr,
)
def test_exception_keeps_the_status_of_its_class(thrown_locally, error, status):
    assert thrown_locally(error).code == status


def test_exception_that_cannot_be_rebuilt_becomes_its_base(thrown_locally):
    got = thrown_locally(UnicodeDecodeError('utf-8', b'\xff', 0, 1, 'invalid start byte'))
    assert isinstance(got, ValueError)
    assert 'invalid start byte' in str(got)


def test_unknown_exception_becomes_remote_error_with_its_name(thrown_locally):
    got = thrown_locally(UnknownError('what is this'))
    assert isinstance(got, oslo_messaging.RemoteError)
    assert (got.exc_type, got.value) == ('UnknownError', 'what is this')


@pytest.mark.parametrize(
    'error', [exception.EntityNotFound(entity='Stack', name='x'), ValueError('bad')], ids=repr
)
def test_expected_exception_is_logged_without_traceback(thrown_locally, caplog, error):
    with caplog.at_level(logging.INFO):
        thrown_locally(error)
    assert [record.levelname for record in caplog.records if record.exc_info] == []
    assert any(str(error) in record.getMessage() for record in caplog.records)


def test_unexpected_exception_is_logged_with_traceback(thrown_locally, caplog):
    thrown_locally(KeyError('a fault of ours'))
    faults = [record for record in caplog.records if record.exc_info]
    assert [record.getMessage() for record in faults] == ['RPC method throw failed']
    assert isinstance(faults[0].exc_info[1], KeyError)


def test_attribute_error_keeps_whether_python_raised_it(thrown_locally):
    missed = AttributeError('parameters must be a map')
    assert thrown_locally(missed).name is None
    with pytest.raises(AttributeError) as mistake:
        missed.nothing_of_that_name  # noqa: B018
    assert thrown_locally(mistake.value).name == 'nothing_of_that_name'


def test_lost_database_connection_becomes_service_unavailable(thrown_locally):
    caught = thrown_locally(db_exception.DBConnectionError('gone'))
    assert isinstance(caught, exception.ServiceUnavailable) and caught.code == 503
    assert 'the database does not answer' in str(caught)
