"""The properties, attributes and update policies of each type equal those of Heat's type.

``tests/reference/resource_types.json`` holds the facts about Heat's types: names, types, defaults,
constraints, support status. A fact that is missing has the default value.
"""

import pytest

from heat_lite import resources
from tests import reference_types
from tests.reference_types import FACTS

REGISTRY = resources.build_registry()
SHARED = [name for name in REGISTRY.names() if name in FACTS]


def test_reference_covers_most_types():
    assert len(SHARED) > 120


@pytest.mark.parametrize('name', SHARED)
def test_type_properties_equal_those_of_heat(name):
    wanted, kind = FACTS[name], REGISTRY.get(name)
    relaxed = reference_types.RELAXED.get(name, ())
    in_place = reference_types.IN_PLACE.get(name, ())
    facts = reference_types.properties(kind.properties_schema, relaxed, in_place)
    assert facts == wanted['properties']
    assert reference_types.properties(kind.update_policy_schema) == wanted.get('update_policy', {})


@pytest.mark.parametrize('name', SHARED)
def test_type_attributes_equal_those_of_heat(name):
    assert reference_types.attributes(REGISTRY.get(name)) == FACTS[name]['attributes']


@pytest.mark.parametrize('name', SHARED)
def test_type_support_status_and_flags_equal_those_of_heat(name):
    wanted, kind = FACTS[name], REGISTRY.get(name)
    assert reference_types.support(kind.support_status) == wanted['support']
    assert (kind.default_client_name, kind.entity) == (wanted.get('client'), wanted.get('entity'))
    flags = wanted.get('flags', {})
    assert kind.physical_resource_name_limit == flags.get('physical_resource_name_limit', 255)
    always = name not in REPAIRED and flags.get('always_replace_on_check_failed', True)
    assert kind.always_replace_on_check_failed == always
    assert sorted(kind.no_signal_actions) == sorted(
        flags.get('no_signal_actions', ['DELETE', 'SUSPEND'])
    )


#: types that repair what Heat replaces: the delete of the replaced one would end both
REPAIRED = {'OS::Nova::FloatingIPAssociation'}
#: a type of Heat's folder ``contrib``, which is in no package
CONTRIBUTED = {'DockerInc::Docker::Container'}


def test_types_that_heat_does_not_have_are_marked():
    ours = {name for name in REGISTRY.names() if REGISTRY.get(name).support_status.is_ours}
    assert ours == set(REGISTRY.names()) - FACTS.keys() - CONTRIBUTED


@pytest.mark.parametrize('name', REGISTRY.names())
def test_type_properties_and_attributes_have_descriptions(name):
    kind = REGISTRY.get(name)
    for key, schema in {
        **kind.properties_schema,
        **kind.update_policy_schema,
        **kind.all_attributes_schema(),
    }.items():
        assert schema.hidden or schema.description, key
