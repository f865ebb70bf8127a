"""OS::Neutron::FloatingIPPortForward."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import integer, string


class FloatingIPPortForward(NeutronResource):
    """A port forwarding of a floating IP."""

    resource_type = 'OS::Neutron::FloatingIPPortForward'
    since = '19.0.0'
    rest = Rest(
        'openstack',
        '/floatingips/{floating_ip}/port_forwardings',
        'port_forwarding',
        extension='floating-ip-port-forwarding',
    )
    entity = None

    properties_schema = {
        'external_port': integer(
            'TCP or UDP port number of the floating IP.',
            required=True,
            update_allowed=True,
            min=1,
            max=65535,
        ),
        'floating_ip': string('Id of the floating IP to forward from.', required=True, sent=False),
        'internal_ip_address': string(
            'Internal IP address to forward to.',
            required=True,
            update_allowed=True,
            custom='ip_addr',
        ),
        'internal_port': string(
            'Internal Neutron port to forward to.',
            required=True,
            update_allowed=True,
            ref='neutron.port',
            wire='internal_port_id',
        ),
        'protocol': string(
            'Protocol to forward.',
            required=True,
            update_allowed=True,
            allowed=['tcp', 'udp', 'icmp', 'icmp6', 'sctp', 'dccp'],
        ),
        'internal_port_number': integer(
            'TCP or UDP port number to forward to.',
            update_allowed=True,
            min=1,
            max=65535,
            wire='internal_port',
        ),
    }

    def implied_dependencies(self, others):
        """Return the resources that connect the internal port with the external network."""
        yield from implied_dependencies.interfaces_near(
            self, others, implied_dependencies.own(self, 'internal_port')
        )
