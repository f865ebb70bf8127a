"""OS::Neutron::RouterGateway."""

from heat_lite.resources.openstack.neutron import neighbours
from heat_lite.resources.openstack.neutron.base import SeenConnection
from heat_lite.template import support
from heat_lite.template.schema import string


class RouterGateway(SeenConnection):
    """A router's way out; the router itself can say it, too (external_gateway_info)."""

    resource_type = 'OS::Neutron::RouterGateway'
    support_status = support.hidden('5.0.0', previous=support.deprecated('2014.1'))
    default_client_name = 'neutron'

    properties_schema = {
        'router_id': string('The router.', required=True, ref='neutron.router'),
        'network': string('The network outside.', ref='neutron.network'),
        'network_id': string(
            ref='neutron.network', support=support.hidden('9.0.0', previous=support.deprecated('2014.2')), alias_of='network'
        ),
    }

    def implied_dependencies(self, others):
        """The subnets of the network outside, and what puts the router into others."""
        outside = neighbours.own(self, 'network', 'network_id')
        yield from neighbours.subnets_of(self, others, outside)
        yield from neighbours.interfaces_of(self, others, neighbours.own(self, 'router_id'))

    def handle_create(self):
        router, network = self.properties['router_id'], self.properties['network']
        yield from self.ask(self.client().update, f'/routers/{router}', 'router', {'external_gateway_info': {'network_id': network}})
        self.resource_id_set(f'{router}:{network}')

    def is_there(self):
        router, _, network = self.resource_id.partition(':')
        found = self.client().show(f'/routers/{router}', 'router')
        return (found.get('external_gateway_info') or {}).get('network_id') == network

    def handle_delete(self):
        if self.resource_id is not None:
            router = self.resource_id.partition(':')[0]
            yield from self.take_away(self.client().update, f'/routers/{router}', 'router', {'external_gateway_info': {}})
