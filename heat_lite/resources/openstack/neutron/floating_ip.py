"""OS::Neutron::FloatingIP."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron import neighbours
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import CACHE_NONE, map_, string, text


class FloatingIP(NeutronResource):
    """An address outside that stands for a port inside."""

    resource_type = 'OS::Neutron::FloatingIP'
    rest = Rest('neutron', '/floatingips', 'floatingip')

    properties_schema = {
        'floating_network': string(
            'The network that the address comes from, by name or id.',
            required=True,
            ref='neutron.network',
            support=support.since('2014.2'),
            wire='floating_network_id',
        ),
        'dns_domain': string(
            'The domain of that name.', update_allowed=True, constraints=[CustomConstraint('dns_domain')], support=support.since('7.0.0')
        ),
        'dns_name': string(
            'Its name in the DNS.', update_allowed=True, constraints=[CustomConstraint('rel_dns_name')], support=support.since('7.0.0')
        ),
        'fixed_ip_address': string(
            'The address of the port that it stands for, where the port has several.',
            update_allowed=True,
            constraints=[CustomConstraint('ip_addr')],
        ),
        'floating_ip_address': string(
            'The very address that is wanted; only an administrator may say so.',
            constraints=[CustomConstraint('ip_addr')],
            support=support.since('5.0.0'),
        ),
        'floating_network_id': string(
            ref='neutron.network', support=support.hidden('5.0.0', previous=support.deprecated('2014.2')), alias_of='floating_network'
        ),
        'floating_subnet': string(
            'The subnet that the address comes from.', ref='neutron.subnet', support=support.since('9.0.0'), wire='subnet_id'
        ),
        'port_id': string('The port that it stands for.', update_allowed=True, ref='neutron.port'),
        'value_specs': map_('Further keys for the request, for what extensions of the service understand.', default={}, sent=False),
    }
    attributes_schema = {
        'fixed_ip_address': text('The address of the port.', cache_mode=CACHE_NONE),
        'floating_ip_address': text('The address itself.'),
        'floating_network_id': text('The network that the address comes from.'),
        'port_id': text('The port that it stands for.', cache_mode=CACHE_NONE),
        'router_id': text('The router that connects it with the port.'),
        'tenant_id': text('The project that owns it.'),
    }

    def as_told(self, found):
        """Its name in the DNS goes when it comes to stand for a port, and the service lets nobody set it again."""
        return {name: value for name, value in super().as_told(found).items() if name not in ('dns_name', 'dns_domain')}

    def implied_dependencies(self, others):
        """What leads from the port to the network outside: a port that nothing leads to gets no floating address."""
        outside = neighbours.own(self, 'floating_network', 'floating_network_id')
        yield from neighbours.subnets_of(self, others, outside)
        yield from neighbours.gateways_to(self, others, outside)
        yield from neighbours.interfaces_near(self, others, neighbours.own(self, 'port_id'))
