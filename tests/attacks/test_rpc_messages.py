"""Messages of a broker that others can write to: no message names a class that is looked up."""

import json

import oslo_messaging
import pytest

from heat_lite.common import exception
from heat_lite.rpc import remote_errors


def carried(**facts):
    """Return the error that a caller raises for a reply with these facts."""
    remote = oslo_messaging.RemoteError('Carrier', json.dumps(facts), [])
    return remote_errors.unpack(remote, 'show_stack')


FORGED = {
    'function that executes code': {
        'home': 'builtins',
        'class': 'exec',
        'args': ['import pathlib; pathlib.Path("{mark}").touch()'],
    },
    'function that opens a file': {'home': 'builtins', 'class': 'open', 'args': ['{mark}', 'w']},
    'end of the process': {'home': 'builtins', 'class': 'SystemExit', 'args': [0]},
    'end of a thread': {'home': 'builtins', 'class': 'StopIteration', 'args': [0]},
    'base class': {'home': 'builtins', 'class': 'BaseException', 'args': []},
    'module of the exceptions': {'home': 'common', 'class': 're', 'state': {'message': 'x'}},
    'function of the exceptions': {'home': 'common', 'class': 'append_hint', 'state': {}},
    'attribute of a class': {'home': 'common', 'class': '__builtins__', 'state': {}},
    'another module': {'home': 'os', 'class': 'system', 'args': ['touch {mark}']},
    'name that is no text': {'home': ['builtins'], 'class': {'a': 1}, 'args': []},
    'state that is no map': {'home': 'common', 'class': 'NotFound', 'state': [1]},
    'message that is no text': {'home': 'common', 'class': 'NotFound', 'state': {'message': 3}},
    'no state': {'home': 'common', 'class': 'NotFound'},
    'imported class': {'home': 'common', 'class': 'Iterable', 'state': {}},
    'arguments that are no list': {'home': 'builtins', 'class': 'ValueError', 'args': 7},
}


@pytest.mark.parametrize('name', FORGED)
def test_forged_error_becomes_a_remote_error(name, tmp_path):
    mark = tmp_path / 'mark'
    facts = json.loads(json.dumps(FORGED[name]).replace('{mark}', str(mark)))
    error = carried(text='forged', **facts)
    assert isinstance(error, oslo_messaging.RemoteError)
    assert error.value == 'forged'
    assert not mark.exists()


@pytest.mark.parametrize('text', ['', 'no JSON', '[1]', '"x"', 'null', '[' * 100_000])
def test_text_that_is_no_carrier_becomes_a_remote_error(text):
    error = remote_errors.unpack(oslo_messaging.RemoteError('Carrier', text, []))
    assert isinstance(error, oslo_messaging.RemoteError)
    assert error.value == text


@pytest.mark.parametrize('text', [None, 7, {'a': 1}])
def test_error_without_a_text_becomes_a_remote_error(text):
    facts = {'home': 'common', 'class': 'NotFound', 'text': text, 'state': {'message': 'm'}}
    assert isinstance(carried(**facts), oslo_messaging.RemoteError)


def test_state_replaces_no_method_and_no_status():
    state = {'message': 'gone', '_set_text': 'x', 'with_hint': 'x', 'code': 200, '__str__': 'x'}
    error = carried(home='common', **{'class': 'NotFound'}, text='gone', state=state)
    assert type(error) is exception.NotFound
    assert vars(error) == {'message': 'gone'}
    assert (error.code, str(error.with_hint(' Really.'))) == (404, 'gone. Really.')


def test_table_holds_exceptions_only():
    for home in remote_errors.CLASSES.values():
        assert all(isinstance(kind, type) and issubclass(kind, Exception) for kind in home.values())
    assert {'eval', 'exec', 'SystemExit'}.isdisjoint(remote_errors.CLASSES['builtins'])
