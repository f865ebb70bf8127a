"""OS::Neutron::PortChain."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import list_, map_, string


class PortChain(NeutronResource):
    """A chain of services that traffic goes through."""

    resource_type = 'OS::Neutron::PortChain'
    support_status = support.unsupported('8.0.0')
    rest = Rest('neutron', '/sfc/port_chains', 'port_chain', extension='sfc')
    entity = None
    entity = None

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'port_pair_groups': list_(
            'The functions, in their order, by names or ids.', string(ref='neutron.port_pair_group'), required=True, update_allowed=True
        ),
        'chain_parameters': map_('What the chain is like.', default={'correlation': 'mpls'}),
        'description': string('A text that says what it is for.', update_allowed=True),
        'flow_classifiers': list_('The traffic, by names or ids.', string(ref='neutron.flow_classifier'), default=[], update_allowed=True),
    }
