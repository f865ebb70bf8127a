"""OS::Neutron::RouterGateway."""

from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.neutron.base import VisibleConnection
from heat_lite.template import support
from heat_lite.template.schema import string


class RouterGateway(VisibleConnection):
    """The external gateway of a router. ``external_gateway_info`` of the router does the same."""

    resource_type = 'OS::Neutron::RouterGateway'
    support_status = support.history('hidden 5.0.0, deprecated 2014.1')
    default_client_name = 'neutron'

    properties_schema = {
        'router_id': string(
            'Router that gets the gateway, by name or id.', required=True, ref='neutron.router'
        ),
        'network': string('External network of the gateway, by name or id.', ref='neutron.network'),
        'network_id': string(
            ref='neutron.network', history='hidden 9.0.0, deprecated 2014.2', alias_of='network'
        ),
    }

    def implied_dependencies(self, others):
        """Return the subnets of the external network and the interfaces of the router."""
        external_network = implied_dependencies.own(self, 'network', 'network_id')
        yield from implied_dependencies.subnets_of(self, others, external_network)
        yield from implied_dependencies.interfaces_of(
            self, others, implied_dependencies.own(self, 'router_id')
        )

    def handle_create(self):
        router, network = self.properties['router_id'], self.properties['network']
        yield from self.call_with_retry(
            self.client().update,
            f'/routers/{router}',
            'router',
            {'external_gateway_info': {'network_id': network}},
        )
        self.resource_id_set(f'{router}:{network}')

    def is_connected(self):
        router, _, network = self.resource_id.partition(':')
        found = self.client().show(f'/routers/{router}', 'router')
        return (found.get('external_gateway_info') or {}).get('network_id') == network

    def handle_delete(self):
        if self.resource_id is not None:
            router = self.resource_id.partition(':')[0]
            yield from self.delete_if_present(
                self.client().update, f'/routers/{router}', 'router', {'external_gateway_info': {}}
            )
