"""OS::Neutron::FlowClassifier."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import integer, map_, string


class FlowClassifier(NeutronResource):
    """Which traffic goes through a chain of services."""

    resource_type = 'OS::Neutron::FlowClassifier'
    support_status = support.unsupported('8.0.0')
    rest = Rest('neutron', '/sfc/flow_classifiers', 'flow_classifier', extension='sfc')
    entity = None
    entity = None

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'destination_ip_prefix': string('The addresses that it goes to.', constraints=[CustomConstraint('net_cidr')]),
        'destination_port_range_max': integer('The last port number that it goes to.', constraints=[Range(min=1, max=65535)]),
        'destination_port_range_min': integer('The first port number that it goes to.', constraints=[Range(min=1, max=65535)]),
        'ethertype': string('The family of the addresses.', default='IPv4', constraints=[AllowedValues(['IPv4', 'IPv6'])]),
        'l7_parameters': map_('What it is like on layer 7.', support=support.unsupported()),
        'logical_destination_port': string('The port that it goes to.', ref='neutron.port'),
        'logical_source_port': string('The port that it comes from.', ref='neutron.port'),
        'protocol': string('The protocol.', constraints=[AllowedValues(['tcp', 'udp', 'icmp'])]),
        'source_ip_prefix': string('The addresses that it comes from.', constraints=[CustomConstraint('net_cidr')]),
        'source_port_range_max': integer('The last port number that it comes from.', constraints=[Range(min=1, max=65535)]),
        'source_port_range_min': integer('The first port number that it comes from.', constraints=[Range(min=1, max=65535)]),
    }
