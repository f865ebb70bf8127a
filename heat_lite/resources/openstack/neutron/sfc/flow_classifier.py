"""OS::Neutron::FlowClassifier."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import description_property, integer, map_, name_property, string


class FlowClassifier(NeutronResource):
    """A flow classifier: selects the traffic of a port chain."""

    resource_type = 'OS::Neutron::FlowClassifier'
    support_status = support.history('unsupported 8.0.0')
    rest = Rest('neutron', '/sfc/flow_classifiers', 'flow_classifier', extension='sfc')
    entity = None

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'destination_ip_prefix': string('Destination CIDR of the traffic.', custom='net_cidr'),
        'destination_port_range_max': integer(
            'Last destination port number of the traffic.', min=1, max=65535
        ),
        'destination_port_range_min': integer(
            'First destination port number of the traffic.', min=1, max=65535
        ),
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
        'source_port_range_max': integer(
            'Last source port number of the traffic.', min=1, max=65535
        ),
        'source_port_range_min': integer(
            'First source port number of the traffic.', min=1, max=65535
        ),
    }
