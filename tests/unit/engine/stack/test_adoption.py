"""Documents of adoptions: what is read from them, and what of the request goes over it."""

import types

import pytest

from heat_lite.common import exception
from heat_lite.engine.runtime import EngineLimits
from heat_lite.engine.stack import adoption

ALLOWED = types.SimpleNamespace(limits=EngineLimits(enable_stack_adopt=True))
REFUSED = types.SimpleNamespace(limits=EngineLimits())


def read(text, runtime=ALLOWED):
    return adoption.read(runtime, {'adopt_stack_data': text})


def test_read_without_document_needs_no_permission():
    assert adoption.read(REFUSED, {}) is None and read('', REFUSED) is None


def test_read_json_and_yaml_fills_missing_parts():
    empty = {'environment': {}, 'files': {}, 'resources': {}}
    assert read('{}') == empty
    assert read('resources: {a: {resource_id: x}}\ntemplate: 1') == {
        **empty,
        'resources': {'a': {'resource_id': 'x'}},
    }
    assert (
        read('{"resources": {"a": {"resource_id": null, "metadata": null}}, "files": null}')[
            'files'
        ]
        == {}
    )


def test_read_when_disabled_raises_not_supported():
    with pytest.raises(exception.NotSupported):
        read('{}', REFUSED)


@pytest.mark.parametrize(
    'text',
    ['text', '{', '{"files": 1}', '{"resources": {"a": {"resource_id": "%s"}}}' % ('x' * 256)],
)
def test_read_invalid_document_raises_invalid(text):
    with pytest.raises(exception.Invalid, match='adopt_stack_data'):
        read(text)


def test_request_overrides_document():
    document = read(
        '{"environment": {"parameters": {"a": 1, "b": 1}, "parameter_defaults": {"c": 1}}, '
        '"files": {"f": "1", "g": "1"}}'
    )
    given = {'parameters': {'b': 2}, 'resource_registry': {}}
    assert adoption.environment(document, given) == {
        'parameters': {'a': 1, 'b': 2},
        'resource_registry': {},
    }
    assert given == {'parameters': {'b': 2}, 'resource_registry': {}}
    assert adoption.environment(document, None) == {'parameters': {'a': 1, 'b': 1}}
    assert adoption.files(document, {'g': '2'}) == {'f': '1', 'g': '2'} and adoption.files(
        document, None
    ) == {'f': '1', 'g': '1'}
