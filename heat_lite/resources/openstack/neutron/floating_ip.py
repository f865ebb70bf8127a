"""OS::Neutron::FloatingIP."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import needs
from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.neutron.base import NeutronResource, value_specs_property
from heat_lite.template.schema import CACHE_NONE, string, text


class FloatingIP(NeutronResource):
    """A floating IP."""

    resource_type = 'OS::Neutron::FloatingIP'
    rest = Rest('neutron', '/floatingips', 'floatingip')

    properties_schema = {
        'floating_network': string(
            'External network from which the floating IP is allocated, by name or id.',
            required=True,
            ref='neutron.network',
            since='2014.2',
            wire='floating_network_id',
        ),
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
        'floating_network_id': string(
            ref='neutron.network',
            history='hidden 5.0.0, deprecated 2014.2',
            alias_of='floating_network',
        ),
        'floating_subnet': string(
            'Subnet from which the floating IP is allocated, by name or id.',
            ref='neutron.subnet',
            since='9.0.0',
            wire='subnet_id',
        ),
        'port_id': string(
            'Port with which the floating IP is associated.',
            update_allowed=True,
            ref='neutron.port',
        ),
        'value_specs': value_specs_property('floating IP'),
    }
    property_rules = (needs('fixed_ip_address', 'port_id'),)
    attributes_schema = {
        'fixed_ip_address': text(
            'Fixed IP address with which the floating IP is associated.', cache_mode=CACHE_NONE
        ),
        'floating_ip_address': text('Address of the floating IP.'),
        'floating_network_id': text('Id of the external network.'),
        'port_id': text('Id of the associated port.', cache_mode=CACHE_NONE),
        'router_id': text('Id of the router of the floating IP.'),
        'tenant_id': text('Id of the project that owns the floating IP.'),
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
