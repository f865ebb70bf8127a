"""OS::Neutron::FloatingIP, its association with a port, and port forwarding."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import needs
from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    VALUE_SPECS,
    NeutronResource,
    VisibleConnection,
    neutron_rest,
    project_property,
    tags_property,
    value_specs_property,
)
from heat_lite.template.schema import (
    OURS,
    alias,
    description_property,
    live_text,
    port_number,
    reference,
    string,
)


class FloatingIP(NeutronResource):
    """A floating IP."""

    resource_type = 'OS::Neutron::FloatingIP'
    rest = neutron_rest('/floatingips', 'floatingip', mark=MARK)

    properties_schema = {
        'floating_network': reference(
            'neutron.network',
            'External network from which the floating IP is allocated, by name or id.',
            required=True,
            since='2014.2',
        ),
        'description': description_property(since=OURS),
        'dns_domain': string(
            'DNS domain of the floating IP.',
            update_allowed=True,
            custom='dns_domain',
            since='7.0.0',
        ),
        'dns_name': string(
            'DNS name of the floating IP.',
            update_allowed=True,
            custom='rel_dns_name',
            since='7.0.0',
        ),
        'fixed_ip_address': string(
            'Fixed IP address of the port, if the port has several.',
            update_allowed=True,
            custom='ip_addr',
        ),
        'floating_ip_address': string(
            'Requested floating IP address. Requires administrator rights.',
            custom='ip_addr',
            since='5.0.0',
        ),
        'floating_network_id': alias('floating_network', 'neutron.network'),
        'floating_subnet': string(
            'Subnet from which the floating IP is allocated, by name or id.',
            ref='neutron.subnet',
            since='9.0.0',
            wire='subnet_id',
        ),
        'port_id': reference(
            'neutron.port', 'Port with which the floating IP is associated.', update_allowed=True
        ),
        'project': project_property('floating IP', since=OURS),
        'qos_policy': reference(
            'neutron.qos_policy',
            'QoS policy of the floating IP, by name or id.',
            update_allowed=True,
            since=OURS,
        ),
        'tags': tags_property('floating IP', since=OURS),
        'value_specs': value_specs_property('floating IP'),
    }
    property_rules = (needs('fixed_ip_address', 'port_id'),)
    attributes_schema = {
        'fixed_ip_address': live_text('Fixed IP address with which the floating IP is associated.'),
        'floating_ip_address': 'Address of the floating IP.',
        'floating_network_id': 'Id of the external network.',
        'port_id': live_text('Id of the associated port.'),
        'router_id': 'Id of the router of the floating IP.',
        'tenant_id': 'Id of the project that owns the floating IP.',
    }

    def normalize(self, found):
        """Return the object without its DNS name.

        Neutron clears the name when the floating IP is associated, and does not accept it again.
        """
        return {
            name: value
            for name, value in super().normalize(found).items()
            if name not in ('dns_name', 'dns_domain')
        }

    def can_be_found(self):
        """Return whether it has the description by which it is found, and none of the template."""
        given = self.stored_property(MARK), (self.stored_property(VALUE_SPECS) or {}).get(MARK)
        return given == (None, None)

    def list_by_name(self, name):
        return self.client().list(self.collection(), self.rest.list_key, description=name)

    def implied_dependencies(self, others):
        """Return the resources between port and external network.

        Neutron refuses the association while no router connects them.
        """
        external_network = implied_dependencies.own(self, 'floating_network', 'floating_network_id')
        yield from implied_dependencies.subnets_of(self, others, external_network)
        yield from implied_dependencies.gateways_to(self, others, external_network)
        yield from implied_dependencies.interfaces_near(
            self, others, implied_dependencies.own(self, 'port_id')
        )


class FloatingIPAssociation(VisibleConnection):
    """The association of a floating IP with a port."""

    resource_type = 'OS::Neutron::FloatingIPAssociation'
    default_client_name = 'neutron'
    # associating a floating IP with the same port again changes nothing
    repeatable = True

    properties_schema = {
        'floatingip_id': string(
            'Id of the floating IP to associate.', required=True, update_allowed=True
        ),
        'port_id': reference(
            'neutron.port',
            'Port with which the floating IP is associated, by name or id.',
            required=True,
            update_allowed=True,
        ),
        'fixed_ip_address': string(
            'Fixed IP address to associate, if the port has several.',
            update_allowed=True,
            custom='ip_addr',
        ),
    }

    def implied_dependencies(self, others):
        """Return the resources that connect the port with the external network."""
        yield from implied_dependencies.interfaces_near(
            self, others, implied_dependencies.own(self, 'port_id')
        )

    def handle_create(self):
        yield from self._associate(
            self.properties['floatingip_id'],
            self.properties['port_id'],
            self.properties['fixed_ip_address'],
        )
        self.resource_id_set(self.properties['floatingip_id'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'floatingip_id' in prop_diff:
            yield from self.handle_delete()
        yield from self.handle_create()

    def live_properties(self):
        found = self.client().show(f'/floatingips/{self.resource_id}', 'floatingip')
        return {'floatingip_id': self.resource_id, 'port_id': found['port_id']}

    def connection_id(self):
        return self.stored_property('floatingip_id')

    def is_connected(self):
        found = self.client().show(
            f'/floatingips/{self.stored_property("floatingip_id")}', 'floatingip'
        )
        return found['port_id'] == self.stored_property('port_id')

    def delete_object(self):
        # the physical id of an adopted resource may be another
        yield from self.delete_if_present(
            self.client().update,
            f'/floatingips/{self.stored_property("floatingip_id")}',
            'floatingip',
            {'port_id': None},
        )

    def _associate(self, floating, port, address):
        values = {'port_id': port, 'fixed_ip_address': address}
        yield from self.call_with_retry(
            self.client().update, f'/floatingips/{floating}', 'floatingip', values
        )


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
    unique_by = (
        'external_port',
        'internal_ip_address',
        'internal_port',
        'internal_port_number',
        'protocol',
    )
    entity = None

    properties_schema = {
        'external_port': port_number(
            'TCP or UDP port number of the floating IP.', required=True, update_allowed=True
        ),
        'description': description_property(since=OURS),
        'floating_ip': string(
            'Floating IP to forward from, by address or id.',
            required=True,
            resolves='neutron.floating_ip',
            sent=False,
        ),
        'internal_ip_address': string(
            'Internal IP address to forward to.',
            required=True,
            update_allowed=True,
            custom='ip_addr',
        ),
        'internal_port': reference(
            'neutron.port',
            'Internal Neutron port to forward to.',
            required=True,
            update_allowed=True,
        ),
        'protocol': string(
            'Protocol to forward.',
            required=True,
            update_allowed=True,
            allowed=['tcp', 'udp', 'icmp', 'icmp6', 'sctp', 'dccp'],
        ),
        'internal_port_number': port_number(
            'TCP or UDP port number to forward to.', update_allowed=True, wire='internal_port'
        ),
    }

    def implied_dependencies(self, others):
        """Return the resources that connect the internal port with the external network."""
        yield from implied_dependencies.interfaces_near(
            self, others, implied_dependencies.own(self, 'internal_port')
        )
