"""OS::Neutron::ExtraRoute."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.openstack.neutron import neighbours
from heat_lite.resources.openstack.neutron.base import Connection
from heat_lite.template import support
from heat_lite.template.schema import string


class ExtraRoute(Connection):
    """One route of a router."""

    resource_type = 'OS::Neutron::ExtraRoute'
    support_status = support.unsupported()
    extension = 'extraroute'
    default_client_name = 'neutron'

    properties_schema = {
        'destination': string('The addresses that the route leads to.', required=True),
        'nexthop': string('The address that leads there.', required=True),
        'router_id': string('The router.', required=True, ref='neutron.router'),
    }

    def implied_dependencies(self, others):
        """What puts the router into subnets: a route needs one that its next hop is in."""
        yield from neighbours.interfaces_of(self, others, neighbours.own(self, 'router_id'))

    def handle_create(self):
        router, route = self.properties['router_id'], self._route()
        routes = self._routes(router)
        if route in routes:
            raise exception.Error(f'Route duplicates an existing route of router {router}: {route}')
        yield from self.ask(self.client().update, f'/routers/{router}', 'router', {'routes': [*routes, route]})
        self.resource_id_set('{}:{destination}:{nexthop}'.format(router, **route))

    def handle_delete(self):
        if self.resource_id is None:
            return
        router, route = self.held('router_id'), self._route()
        try:
            left = [each for each in self._routes(router) if each != route]
        except errors.NotFound:
            return
        yield from self.take_away(self.client().update, f'/routers/{router}', 'router', {'routes': left})

    def _route(self):
        return {'destination': self.held('destination'), 'nexthop': self.held('nexthop')}

    def _routes(self, router):
        return self.client().show(f'/routers/{router}', 'router').get('routes') or []
