"""OS::Neutron::ExtraRoute."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.neutron.base import Connection
from heat_lite.template import support
from heat_lite.template.schema import string


class ExtraRoute(Connection):
    """One extra route of a router."""

    resource_type = 'OS::Neutron::ExtraRoute'
    support_status = support.history('unsupported')
    extension = 'extraroute'
    default_client_name = 'neutron'

    properties_schema = {
        'destination': string('CIDR of the destination.', required=True),
        'nexthop': string('IP address of the next hop.', required=True),
        'router_id': string(
            'Router of the route, by name or id.', required=True, ref='neutron.router'
        ),
    }

    def implied_dependencies(self, others):
        """Return the router's interfaces: Neutron requires one on the subnet of the next hop."""
        yield from implied_dependencies.interfaces_of(
            self, others, implied_dependencies.own(self, 'router_id')
        )

    def handle_create(self):
        if self.resource_id is not None:
            return  # an interrupted create has added the route
        router, route = self.properties['router_id'], self._route()
        routes = self._routes(router)
        if route in routes:
            raise exception.Error(f'Route duplicates an existing route of router {router}: {route}')
        yield from self.call_with_retry(
            self.client().update, f'/routers/{router}', 'router', {'routes': [*routes, route]}
        )
        self.resource_id_set('{}:{destination}:{nexthop}'.format(router, **route))

    def handle_delete(self):
        if self.resource_id is None:
            return
        router, route = self.stored_property('router_id'), self._route()
        try:
            left = [each for each in self._routes(router) if each != route]
        except errors.NotFound:
            return
        yield from self.delete_if_present(
            self.client().update, f'/routers/{router}', 'router', {'routes': left}
        )

    def _route(self):
        return {
            'destination': self.stored_property('destination'),
            'nexthop': self.stored_property('nexthop'),
        }

    def _routes(self, router):
        return self.client().show(f'/routers/{router}', 'router').get('routes') or []
