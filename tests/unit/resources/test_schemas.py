"""Each registered type has the properties, attributes and update policies that OpenStack Heat's type of that name has.

``tests/reference/resource_types.json`` holds the facts: names, types, defaults, constraints, since when. What is left out is as usual.
"""

import json
from pathlib import Path

import pytest

from heat_lite import resources
from heat_lite.template.constraints import CustomConstraint

FACTS = json.loads((Path(__file__).parents[2] / 'reference' / 'resource_types.json').read_text())['types']
REGISTRY = resources.build_registry()
SHARED = [name for name in REGISTRY.names() if name in FACTS]
FLAGS = ('required', 'update_allowed', 'immutable', 'allow_conversion')
PLAIN = {'status': 'SUPPORTED'}


def test_there_is_something_to_compare():
    assert len(SHARED) > 5


@pytest.mark.parametrize('name', SHARED)
def test_properties(name):
    wanted, kind = FACTS[name], REGISTRY.get(name)
    assert told(kind.properties_schema) == wanted['properties']
    assert told(kind.update_policy_schema) == wanted.get('update_policy', {})


@pytest.mark.parametrize('name', SHARED)
def test_attributes(name):
    assert {key: _attribute(each) for key, each in REGISTRY.get(name).all_attributes_schema().items()} == FACTS[name]['attributes']


@pytest.mark.parametrize('name', SHARED)
def test_support_and_flags(name):
    wanted, kind = FACTS[name], REGISTRY.get(name)
    assert _support(kind.support_status) == wanted['support']
    assert (kind.default_client_name, kind.entity) == (wanted.get('client'), wanted.get('entity'))
    flags = wanted.get('flags', {})
    assert kind.physical_resource_name_limit == flags.get('physical_resource_name_limit', 255)
    assert kind.always_replace_on_check_failed == flags.get('always_replace_on_check_failed', True)
    assert sorted(kind.no_signal_actions) == sorted(flags.get('no_signal_actions', ['DELETE', 'SUSPEND']))


@pytest.mark.parametrize('name', SHARED)
def test_everything_is_described(name):
    kind = REGISTRY.get(name)
    for key, schema in {**kind.properties_schema, **kind.update_policy_schema, **kind.all_attributes_schema()}.items():
        assert schema.hidden or schema.description, key


def told(schemata):
    return {name: _property(schema) for name, schema in schemata.items()}


def _property(schema):
    facts = {'type': schema.type.title(), **{flag: True for flag in FLAGS if getattr(schema, flag)}}
    if schema.default is not None:
        facts['default'] = schema.default
    if not schema.implemented:
        facts['implemented'] = False
    if schema.constraints:
        facts['constraints'] = [_rule(each) for each in schema.constraints]
    if _support(schema.support) != PLAIN:
        facts['support'] = _support(schema.support)
    if schema.schema is not None and schema.type == 'list':
        facts['items'] = _property(schema.schema)
    elif schema.schema is not None:
        facts['keys'] = told(schema.schema)
    return facts


def _attribute(schema):
    facts = {'type': schema.type.title() if schema.type else 'Unknown'}
    if schema.cache_mode != 'cache_local':
        facts['cache_mode'] = schema.cache_mode
    if _support(schema.support) != PLAIN:
        facts['support'] = _support(schema.support)
    return facts


def _rule(constraint):
    return {'custom': constraint.name} if isinstance(constraint, CustomConstraint) else constraint.rule()


def _support(status):
    facts = {'status': status.status}
    if status.version:
        facts['since'] = status.version
    if status.previous:
        facts['previous'] = _support(status.previous)
    return facts
