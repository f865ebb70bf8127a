"""The life cycle of each cloud resource type: a whole engine against a fake cloud over HTTP."""

import copy

import pytest

from heat_lite import resources
from heat_lite.resources.base.cloud import CloudResource, ServiceResource
from tests import samples
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

REGISTRY = resources.build_registry()
TYPES = [name for name in REGISTRY.names() if issubclass(REGISTRY.get(name), ServiceResource)]


def one_resource(type_name, values):
    """A template with one resource and an output for each of its attributes."""
    outputs = {
        name: {'value': {'get_attr': ['it', name]}}
        for name in REGISTRY.get(type_name).all_attributes_schema()
    }
    return {'resources': {'it': {'type': type_name, 'properties': values}}, 'outputs': outputs}


@pytest.mark.parametrize('name', TYPES)
def test_resource_type_life_cycle_restores_cloud(name, running_cloud, driver, ids):  # noqa: F811
    kind, fake = REGISTRY.get(name), running_cloud.cloud
    before = contents(fake)
    stack = driver.create(
        one_resource(name, samples.properties(kind, ids)), name=name.rpartition(':')[2]
    )
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']

    outputs, physical_id = driver.outputs(stack), driver.physical_id(stack, 'it')
    has_show = issubclass(kind, CloudResource) and not name.startswith('AWS::')
    assert {key for key, value in outputs.items() if value is None} <= NULL_ATTRIBUTES.get(
        name, set() if has_show else {'show'}
    )
    assert outputs['show'] or not has_show

    if any(schema.update_allowed for schema in kind.properties_schema.values()):
        driver.update(stack, one_resource(name, samples.properties(kind, ids, update=True)))
        assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
        if name not in RENAMED_BY_UPDATE:
            assert driver.physical_id(stack, 'it') == physical_id, 'the resource was replaced'

    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert driver.state(stack) == 'CHECK_COMPLETE', driver.stack(stack)['stack_status_reason']

    driver.delete(stack)
    assert contents(fake) == before


def contents(fake):
    """A copy of all objects of a cloud, without their empty values."""
    objects = {
        key: {name: value for name, value in each.items() if value and name != 'looks'}
        for key, each in fake.objects.items()
    }
    return copy.deepcopy((objects, {key: value for key, value in fake.state.items() if value}))


#: resource type -> attributes without a value in the fake cloud
NULL_ATTRIBUTES = {
    'OS::Barbican::Order': {
        'certificate',
        'container_ref',
        'intermediates',
        'private_key',
        'public_key',
    },
    'OS::Cinder::Volume': {'multiattach', 'snapshot_id', 'source_volid'},
    'OS::Keystone::User': {'password_expires_at'},
    'OS::Neutron::FirewallRule': {'firewall_policy_id', 'position', 'protocol'},
    'OS::Neutron::FloatingIP': {'router_id'},
}
#: types whose physical id is the id of the object that they associate
RENAMED_BY_UPDATE = {'AWS::EC2::EIPAssociation', 'OS::Neutron::FloatingIPAssociation'}
