"""The types of service function chains."""

from heat_lite.resources.openstack.neutron.base import NeutronResource, neutron_rest
from heat_lite.template import support
from heat_lite.template.schema import (
    boolean,
    description_property,
    list_,
    map_,
    name_property,
    port_number,
    string,
)


class FlowClassifier(NeutronResource):
    """A flow classifier: selects the traffic of a port chain."""

    resource_type = 'OS::Neutron::FlowClassifier'
    support_status = support.history('unsupported 8.0.0')
    rest = neutron_rest('/sfc/flow_classifiers', 'flow_classifier', 'sfc')
    entity = None

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'destination_ip_prefix': string('Destination CIDR of the traffic.', custom='net_cidr'),
        'destination_port_range_max': port_number('Last destination port number of the traffic.'),
        'destination_port_range_min': port_number('First destination port number of the traffic.'),
        'ethertype': string(
            'Ethertype of the classified traffic.', default='IPv4', allowed=['IPv4', 'IPv6']
        ),
        'l7_parameters': map_('Layer 7 parameters of the traffic.', history='unsupported'),
        'logical_destination_port': string(
            'Destination Neutron port of the traffic.', ref='neutron.port'
        ),
        'logical_source_port': string('Source Neutron port of the traffic.', ref='neutron.port'),
        'protocol': string('IP protocol of the traffic.', allowed=['tcp', 'udp', 'icmp']),
        'source_ip_prefix': string('Source CIDR of the traffic.', custom='net_cidr'),
        'source_port_range_max': port_number('Last source port number of the traffic.'),
        'source_port_range_min': port_number('First source port number of the traffic.'),
    }


class PortPair(NeutronResource):
    """A port pair: the ports of a service function."""

    resource_type = 'OS::Neutron::PortPair'
    support_status = support.history('unsupported 7.0.0')
    rest = neutron_rest('/sfc/port_pairs', 'port_pair', 'sfc')
    entity = None

    properties_schema = {
        'name': name_property(),
        'egress': string(
            'Egress port of the service function, by name or id.', required=True, ref='neutron.port'
        ),
        'ingress': string(
            'Ingress port of the service function, by name or id.',
            required=True,
            ref='neutron.port',
        ),
        'description': description_property(),
        'service_function_parameters': map_(
            'Parameters of the service function.', default={'correlation': None}
        ),
    }


class PortPairGroup(NeutronResource):
    """A port pair group: equivalent service functions that share the load."""

    resource_type = 'OS::Neutron::PortPairGroup'
    support_status = support.history('unsupported 8.0.0')
    rest = neutron_rest('/sfc/port_pair_groups', 'port_pair_group', 'sfc')
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
        'port_pair_group_parameters': map_('Parameters of the group.', since=support.OURS),
        'tap_enabled': boolean('Whether the group gets copies of the traffic.', since=support.OURS),
    }


class PortChain(NeutronResource):
    """A port chain: the service functions that traffic passes."""

    resource_type = 'OS::Neutron::PortChain'
    support_status = support.history('unsupported 8.0.0')
    rest = neutron_rest('/sfc/port_chains', 'port_chain', 'sfc')
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
