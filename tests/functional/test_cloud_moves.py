"""Moves of objects of a cloud, which gets no request but the reads of a validation."""

import json

from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401

OWN = {'heat_template_version': 'heat_lite_2026-12-01'}
NET = {'type': 'OS::Neutron::Net'}
SERVER = {
    'type': 'OS::Nova::Server',
    'properties': {
        'flavor': 'small',
        'image': 'cirros',
        'networks': [{'port': {'get_resource': 'port'}}],
        'metadata': {'volume': {'get_resource': 'volume'}},
    },
}
OUTSIDE = {
    'net': NET,
    'subnet': {
        'type': 'OS::Neutron::Subnet',
        'properties': {'network': {'get_resource': 'net'}, 'cidr': '10.0.0.0/24'},
    },
}
INSIDE = {
    'port': {
        'type': 'OS::Neutron::Port',
        'depends_on': 'subnet',
        'properties': {'network': {'get_resource': 'net'}},
    },
    'volume': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}},
    'server': SERVER,
}
ADDRESS = {'value': {'get_attr': ['server', 'first_address']}}
MODULE = {
    'heat_template_version': '2021-04-16',
    'parameters': {'net': {'type': 'string'}},
    'resources': {
        **INSIDE,
        'port': {'type': 'OS::Neutron::Port', 'properties': {'network': {'get_param': 'net'}}},
    },
    'outputs': {'address': ADDRESS},
}
FILES = {'module.yaml': json.dumps(MODULE)}
WHOLE = {**OWN, 'resources': {**OUTSIDE, **INSIDE}, 'outputs': {'address': ADDRESS}}
PARTED = {
    **OWN,
    'moved': [{'from': name, 'to': f'part/{name}'} for name in INSIDE],
    'resources': {
        **OUTSIDE,
        'part': {
            'type': 'module.yaml',
            'depends_on': 'subnet',
            'properties': {'net': {'get_resource': 'net'}},
        },
    },
    'outputs': {'address': {'value': {'get_attr': ['part', 'address']}}},
}


def changes(cloud):
    """Return the requests since the last call that are no reads."""
    asked, cloud.asked[:] = [*cloud.asked], []
    return [each for each in asked if each[0] not in ('GET', 'HEAD')]


def test_cloud_gets_no_request_for_moves_into_a_nested_stack_and_back(driver, ids, running_cloud):  # noqa: F811
    running_cloud.cloud.put('image', '/images', name='cirros')
    running_cloud.cloud.put('compute', '/flavors', name='small')
    app = driver.create(WHOLE, 'app')
    assert driver.state(app) == 'CREATE_COMPLETE', driver.stack(app)['stack_status_reason']
    assert changes(running_cloud.cloud)
    for template in (PARTED, WHOLE):
        driver.update(app, template, files=FILES if template is PARTED else {})
        assert driver.state(app) == 'UPDATE_COMPLETE'
        assert ('part' in driver.resources(app)) == (template is PARTED)
        assert changes(running_cloud.cloud) == []
    driver.delete(app)
    assert driver.state(app) == 'DELETE_COMPLETE'
    gone = [each for each in changes(running_cloud.cloud) if each[0] == 'DELETE']
    assert len(gone) >= len(OUTSIDE) + len(INSIDE)
