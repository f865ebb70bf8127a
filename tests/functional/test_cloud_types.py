"""Each type that stands for an object of the cloud lives its life, in a whole engine, against a cloud that speaks HTTP."""

import copy

import pytest

from heat_lite import resources
from heat_lite.resources.cloud import CloudResource, ServiceResource
from tests import samples
from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures

REGISTRY = resources.build_registry()
TYPES = [name for name in REGISTRY.names() if issubclass(REGISTRY.get(name), ServiceResource)]


def one(type_name, values):
    """A template with one resource, whose attributes are all outputs."""
    outputs = {name: {'value': {'get_attr': ['it', name]}} for name in REGISTRY.get(type_name).all_attributes_schema()}
    return {'resources': {'it': {'type': type_name, 'properties': values}}, 'outputs': outputs}


@pytest.mark.parametrize('name', TYPES)
def test_life(name, place, driver, ids):  # noqa: F811 - fixtures
    kind, world = REGISTRY.get(name), place.cloud
    before = whole(world)
    stack = driver.create(one(name, samples.properties(kind, ids)), name=name.rpartition(':')[2])
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']

    told, physical_id = driver.outputs(stack), driver.physical_id(stack, 'it')
    shown = issubclass(kind, CloudResource) and not name.startswith('AWS::')
    assert {key for key, value in told.items() if value is None} <= UNTOLD.get(name, set() if shown else {'show'})
    assert told['show'] or not shown

    if any(schema.update_allowed for schema in kind.properties_schema.values()):
        driver.update(stack, one(name, samples.properties(kind, ids, update=True)))
        assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
        if name not in MOVED:
            assert driver.physical_id(stack, 'it') == physical_id, 'it was replaced'

    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert driver.state(stack) == 'CHECK_COMPLETE', driver.stack(stack)['stack_status_reason']

    driver.delete(stack)
    assert whole(world) == before


def whole(world):
    """All that a cloud holds; an empty list is as good as none."""
    objects = {key: {name: value for name, value in each.items() if value and name != 'looks'} for key, each in world.objects.items()}
    return copy.deepcopy((objects, {key: value for key, value in world.state.items() if value}))


#: attributes that this cloud has nothing to say about
UNTOLD = {
    'OS::Barbican::Order': {'certificate', 'container_ref', 'intermediates', 'private_key', 'public_key'},
    'OS::Cinder::Volume': {'multiattach', 'snapshot_id', 'source_volid'},
    'OS::Keystone::User': {'password_expires_at'},
    'OS::Neutron::FirewallRule': {'firewall_policy_id', 'position', 'protocol'},
    'OS::Neutron::FloatingIP': {'router_id'},
}
#: types whose physical id is that of what they connect
MOVED = {'AWS::EC2::EIPAssociation', 'OS::Neutron::FloatingIPAssociation'}
