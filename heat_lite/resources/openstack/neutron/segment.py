"""OS::Neutron::Segment."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import description_property, integer, name_property, string


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
