"""OS::Neutron::Segment."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import integer, string


class Segment(NeutronResource):
    """A part of a network that is one layer 2."""

    resource_type = 'OS::Neutron::Segment'
    support_status = support.since('9.0.0')
    rest = Rest('neutron', '/segments', 'segment', extension='segment')
    entity = None
    entity = None

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'network': string('The network, by name or id.', required=True, ref='neutron.network', wire='network_id'),
        'network_type': string(
            'How it is carried.', required=True, constraints=[AllowedValues(['local', 'vlan', 'vxlan', 'gre', 'geneve', 'flat'])]
        ),
        'description': string('A text that says what it is for.', update_allowed=True),
        'physical_network': string('The physical network that carries it.'),
        'segmentation_id': integer('Its VLAN or tunnel number.', constraints=[Range(min=1)]),
    }
