"""OS::Neutron::FloatingIPPortForward."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron import neighbours
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import integer, string


class FloatingIPPortForward(NeutronResource):
    """One port of a floating address that is led on to a port inside."""

    resource_type = 'OS::Neutron::FloatingIPPortForward'
    support_status = support.since('19.0.0')
    rest = Rest('openstack', '/floatingips/{floating_ip}/port_forwardings', 'port_forwarding', extension='floating-ip-port-forwarding')
    entity = None

    properties_schema = {
        'external_port': integer('The port number outside.', required=True, update_allowed=True, constraints=[Range(min=1, max=65535)]),
        'floating_ip': string('The floating address, by its id.', required=True, sent=False),
        'internal_ip_address': string('The address inside.', required=True, update_allowed=True, constraints=[CustomConstraint('ip_addr')]),
        'internal_port': string(
            'The port (of Neutron) inside.', required=True, update_allowed=True, ref='neutron.port', wire='internal_port_id'
        ),
        'protocol': string(
            'The protocol that is led on.',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['tcp', 'udp', 'icmp', 'icmp6', 'sctp', 'dccp'])],
        ),
        'internal_port_number': integer(
            'The port number inside.', update_allowed=True, constraints=[Range(min=1, max=65535)], wire='internal_port'
        ),
    }

    def implied_dependencies(self, others):
        """What leads to the port inside."""
        yield from neighbours.interfaces_near(self, others, neighbours.own(self, 'internal_port'))
