"""OS::Neutron::PortChain."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import description_property, list_, map_, name_property, string


class PortChain(NeutronResource):
    """A port chain: the service functions that traffic passes."""

    resource_type = 'OS::Neutron::PortChain'
    support_status = support.history('unsupported 8.0.0')
    rest = Rest('neutron', '/sfc/port_chains', 'port_chain', extension='sfc')
    entity = None

    properties_schema = {
        'name': name_property(),
        'port_pair_groups': list_(
            'Port pair groups in their order, by name or id.',
            string(ref='neutron.port_pair_group'),
            required=True,
            update_allowed=True,
        ),
        'chain_parameters': map_('Parameters of the chain.', default={'correlation': 'mpls'}),
        'description': description_property(),
        'flow_classifiers': list_(
            'Flow classifiers of the chain, by name or id.',
            string(ref='neutron.flow_classifier'),
            default=[],
            update_allowed=True,
        ),
    }
