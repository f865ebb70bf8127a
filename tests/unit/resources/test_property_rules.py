"""The rules between properties: what each type refuses, with its text, and what it accepts.

The texts are those of Heat 27, which refuses and accepts the same properties.
"""

import functools
import json

import pytest

from heat_lite.authoring import offline_types
from heat_lite.engine.validation import offline_validation
from heat_lite.template.lint.linter import Linter

TYPES = offline_types.OfflineTypes()
ADDRESS = {'floating_network': 'public', 'fixed_ip_address': '10.0.0.5'}
VLAN, FLAT = {'network_type': 'vlan'}, {'network_type': 'flat'}
VXLAN = {'network_type': 'vxlan'}
PHYSICAL, ID = {'physical_network': 'p'}, {'segmentation_id': 5}
SEGMENT = {'network': 'net'}
NO_ID = 'segmentation_id not allowed for network types: local, flat'
NO_PHYSICAL = 'physical_network not allowed for network types: vxlan, gre, geneve, flat'
LISTENER = {'loadbalancer': 'lb', 'protocol_port': 443}
IMAGE = {'location': 'http://x', 'disk_format': 'qcow2', 'container_format': 'bare'}
MIX = (
    'Invalid mix of disk and container formats. When setting a disk or container format to one of '
    "'aki', 'ari', or 'ami', the container and disk formats must match."
)
SHARED = 'members property should only be specified for visibility with value shared.'
CLUSTER = {'image': 'i', 'external_network': 'net'}
DRIVER = 'Volume driver type {} is not supported by COE:{}, expecting a {} volume driver.'
POLICY = (
    'restart_policy "{}" is invalid. Valid values are "no", "on-failure[:max-retry]", "always", '
    'and "unless-stopped".'
)


def gateway(**connection):
    return {
        'devices': [{'id': 'd', 'interface_name': 'x'}],
        'connections': [{'network': 'net', **connection}],
    }


def container(**properties):
    return {'image': 'x', **properties}


#: type -> (properties, the text of the error, None for what is accepted)
CASES = {
    'OS::Neutron::FloatingIP': [
        (ADDRESS, 'fixed_ip_address cannot be specified without port_id.'),
        ({**ADDRESS, 'port_id': 'p'}, None),
        ({**ADDRESS, 'port_id': {'get_resource': 'other'}}, None),
        ({**ADDRESS, 'port_id': {'get_attr': ['other', 'value']}}, None),
    ],
    'OS::Neutron::ProviderNet': [
        ({**FLAT, **PHYSICAL, **ID}, NO_ID),
        ({'network_type': 'local', **ID}, NO_ID),
        ({**VXLAN, **PHYSICAL}, NO_PHYSICAL),
        ({'network_type': 'local', **PHYSICAL}, NO_PHYSICAL),
        ({**VXLAN, **ID}, None),
        ({**FLAT, **PHYSICAL}, None),
        ({**VLAN, **PHYSICAL, **ID}, None),
        ({**VXLAN, 'physical_network': ''}, None),
        ({**FLAT, 'segmentation_id': {'get_attr': ['other', 'value']}}, None),
    ],
    'OS::Neutron::Segment': [
        ({**SEGMENT, **VLAN}, 'physical_network is required for vlan provider network.'),
        ({**SEGMENT, **FLAT}, 'physical_network is required for flat provider network.'),
        (
            {**SEGMENT, **VLAN, **PHYSICAL},
            'segmentation_id is required for vlan provider network.',
        ),
        (
            {**SEGMENT, **FLAT, **PHYSICAL, **ID},
            'segmentation_id is prohibited for flat provider network.',
        ),
        (
            {**SEGMENT, **VXLAN, **PHYSICAL, **ID},
            'physical_network is prohibited for vxlan provider network.',
        ),
        (
            {**SEGMENT, **VLAN, **PHYSICAL, 'segmentation_id': 4095},
            'Up to 4094 VLAN network segments can exist on each physical_network.',
        ),
        ({**SEGMENT, **VLAN, **PHYSICAL, 'segmentation_id': 4094}, None),
        ({**SEGMENT, **VXLAN, 'segmentation_id': 4095}, None),
        ({**SEGMENT, 'network_type': 'local', **PHYSICAL}, None),
        ({**SEGMENT, **FLAT, **PHYSICAL}, None),
    ],
    'OS::Neutron::NetworkGateway': [
        (gateway(segmentation_type='vlan'), 'segmentation_id must be specified for using vlan'),
        (
            gateway(segmentation_id=7),
            'segmentation_id cannot be specified except 0 for using flat',
        ),
        (gateway(segmentation_type='vlan', segmentation_id=0), None),
        (gateway(segmentation_type='flat', segmentation_id=0), None),
        (gateway(), None),
    ],
    'OS::Octavia::Listener': [
        (
            {**LISTENER, 'protocol': 'TERMINATED_HTTPS', 'sni_container_refs': ['x']},
            'Property default_tls_container_ref required when protocol is TERMINATED_HTTPS.',
        ),
        (
            {**LISTENER, 'protocol': 'TERMINATED_HTTPS', 'default_tls_container_ref': 'x'},
            None,
        ),
        ({**LISTENER, 'protocol': 'HTTPS'}, None),
    ],
    'OS::Glance::WebImage': [
        ({**IMAGE, 'container_format': 'ami'}, MIX),
        ({**IMAGE, 'container_format': 'ami', 'disk_format': 'aki'}, MIX),
        ({**IMAGE, 'disk_format': 'ami'}, None),
        ({**IMAGE, 'members': ['p']}, SHARED),
        ({**IMAGE, 'members': ['p'], 'visibility': 'public'}, SHARED),
        ({**IMAGE, 'members': ['p'], 'visibility': 'shared'}, None),
        ({**IMAGE, 'members': []}, None),
    ],
    'OS::Magnum::ClusterTemplate': [
        (
            {**CLUSTER, 'coe': 'swarm', 'volume_driver': 'cinder'},
            DRIVER.format('cinder', 'swarm', "['rexray']"),
        ),
        (
            {**CLUSTER, 'coe': 'kubernetes', 'volume_driver': 'rexray'},
            DRIVER.format('rexray', 'kubernetes', "['cinder']"),
        ),
        ({**CLUSTER, 'coe': 'mesos', 'volume_driver': 'rexray'}, None),
        ({**CLUSTER, 'coe': 'swarm'}, None),
    ],
    'OS::Manila::ShareNetwork': [
        (
            {'neutron_network': 'net'},
            'neutron_network cannot be specified without neutron_subnet.',
        ),
        ({'nova_network': 'x'}, 'Nova network is no longer supported'),
        ({'neutron_network': 'net', 'neutron_subnet': 'subnet'}, None),
        ({'neutron_subnet': 'subnet'}, None),
        ({}, None),
    ],
    'OS::Zun::Container': [
        (container(restart_policy='sometimes'), POLICY.format('sometimes')),
        (container(restart_policy='always:3'), POLICY.format('always:3')),
        (container(restart_policy='on-failure:3'), None),
        (container(restart_policy='unless-stopped'), None),
        (container(restart_policy='no'), None),
        (
            container(mounts=[{'mount_path': '/'}]),
            'One of the properties "volume_id" or "volume_size" should be set for the specified '
            'mount of container "it".',
        ),
        (
            container(mounts=[{'mount_path': '/', 'volume_id': 'v', 'volume_size': 1}]),
            'Cannot define the following properties at the same time: networks/volume_id, '
            'networks/volume_size.',
        ),
        (container(mounts=[{'mount_path': '/', 'volume_size': 1}]), None),
        (
            container(networks=[{'fixed_ip': '10.0.0.5'}]),
            'At least one of the following properties must be specified: network, port.',
        ),
        (
            container(networks=[{'port': 'p', 'fixed_ip': '10.0.0.5'}]),
            'Cannot define the following properties at the same time: networks.fixed_ip, '
            'networks.port.',
        ),
        (container(networks=[{'network': 'net', 'fixed_ip': '10.0.0.5'}]), None),
        (container(networks=[{'port': {'get_resource': 'other'}}]), None),
    ],
}


class NoFiles:
    """The template, and no other file."""

    def __init__(self, text):
        self.text = text

    def join(self, name, reference):
        return reference

    def has(self, name):
        return False

    def read(self, name):
        return self.text


def refusals(kind, properties):
    """Return the texts of the findings of the types of a template with one resource of the kind."""
    resources = {
        'it': {'type': kind, 'properties': properties},
        'other': {'type': 'OS::Heat::RandomString'},
    }
    text = json.dumps({'heat_template_version': '2021-04-16', 'resources': resources})
    errors = functools.partial(offline_validation.validation_errors, TYPES)
    found = Linter(TYPES, NoFiles(text), errors, (), TYPES.base).lint(['app.yaml'])
    return [each.text for each in found if each.level == 'error']


@pytest.mark.parametrize(
    ('kind', 'properties', 'text'),
    [(kind, *case) for kind, cases in CASES.items() for case in cases],
)
def test_properties_that_break_a_rule_are_refused_and_others_accepted(kind, properties, text):
    assert refusals(kind, properties) == ([] if text is None else [text])
