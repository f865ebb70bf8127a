"""OS::Neutron::Segment."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import given, missing, refuse
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import description_property, integer, name_property, string

_REQUIRED = 'physical_network is required for {network_type} provider network.'
_PROHIBITED = 'physical_network is prohibited for {network_type} provider network.'
_ID_REQUIRED = 'segmentation_id is required for {network_type} provider network.'
_ID_PROHIBITED = 'segmentation_id is prohibited for {network_type} provider network.'


class Segment(NeutronResource):
    """A segment of a network."""

    resource_type = 'OS::Neutron::Segment'
    since = '9.0.0'
    rest = Rest('neutron', '/segments', 'segment', extension='segment')
    entity = None

    properties_schema = {
        'name': name_property(),
        'network': string(
            'Network of the segment, by name or id.',
            required=True,
            ref='neutron.network',
            wire='network_id',
        ),
        'network_type': string(
            'Network type of the segment.',
            required=True,
            allowed=['local', 'vlan', 'vxlan', 'gre', 'geneve', 'flat'],
        ),
        'description': description_property(),
        'physical_network': string('Physical network of the segment.'),
        'segmentation_id': integer('VLAN id or tunnel id of the segment.', min=1),
    }
    property_rules = (
        refuse(_REQUIRED, network_type=('flat', 'vlan'), physical_network=missing),
        refuse(_ID_REQUIRED, network_type=('vlan',), segmentation_id=missing),
        refuse(_ID_PROHIBITED, network_type=('local', 'flat'), segmentation_id=given),
        refuse(_PROHIBITED, network_type=('vxlan', 'gre', 'geneve'), physical_network=given),
        refuse(
            'Up to 4094 VLAN network segments can exist on each physical_network.',
            network_type=('vlan',),
            segmentation_id=lambda value, read: value > 4094,
        ),
    )
