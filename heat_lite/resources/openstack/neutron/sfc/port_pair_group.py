"""OS::Neutron::PortPairGroup."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import list_, string


class PortPairGroup(NeutronResource):
    """Functions of one kind, of which any may serve."""

    resource_type = 'OS::Neutron::PortPairGroup'
    support_status = support.unsupported('8.0.0')
    rest = Rest('neutron', '/sfc/port_pair_groups', 'port_pair_group', extension='sfc')
    entity = None
    entity = None

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'port_pairs': list_('The port pairs, by names or ids.', string(ref='neutron.port_pair'), required=True, update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
    }
