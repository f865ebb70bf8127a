"""OS::Neutron::PortPairGroup."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import description_property, list_, name_property, string


class PortPairGroup(NeutronResource):
    """A port pair group: equivalent service functions that share the load."""

    resource_type = 'OS::Neutron::PortPairGroup'
    support_status = support.history('unsupported 8.0.0')
    rest = Rest('neutron', '/sfc/port_pair_groups', 'port_pair_group', extension='sfc')
    entity = None

    properties_schema = {
        'name': name_property(),
        'port_pairs': list_(
            'Port pairs of the group, by name or id.',
            string(ref='neutron.port_pair'),
            required=True,
            update_allowed=True,
        ),
        'description': description_property(),
    }
