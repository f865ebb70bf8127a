"""OS::Neutron::ExtraRouteSet."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.openstack.neutron import neighbours
from heat_lite.resources.openstack.neutron.base import Connection
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import list_, map_, string


class ExtraRouteSet(Connection):
    """Routes of a router, which may have others besides."""

    resource_type = 'OS::Neutron::ExtraRouteSet'
    support_status = support.since('14.0.0')
    extension = 'extraroute-atomic'
    default_client_name = 'neutron'

    properties_schema = {
        'router': string('The router, by name or id.', required=True, ref='neutron.router'),
        'routes': list_(
            'The routes.',
            map_(
                None,
                {
                    'destination': string(
                        'The addresses that the route leads to.', required=True, constraints=[CustomConstraint('net_cidr')]
                    ),
                    'nexthop': string('The address that leads there.', required=True, constraints=[CustomConstraint('ip_addr')]),
                },
            ),
            default=[],
            update_allowed=True,
        ),
    }

    def implied_dependencies(self, others):
        """What puts the router into subnets: a route needs one that its next hop is in."""
        yield from neighbours.interfaces_of(self, others, neighbours.own(self, 'router'))

    def handle_create(self):
        router, routes = self.properties['router'], self.properties['routes']
        present = self._routes(router)
        twice = [each for each in routes if each in present]
        if twice:
            raise exception.Error(f'Router {router} has routes already that are to be added: {twice}')
        yield from self._ask(router, 'add_extraroutes', routes)
        self.resource_id_set(router)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'routes' in prop_diff:
            before, wanted = self.held('routes') or [], prop_diff['routes'] or []
            yield from self._ask(self.resource_id, 'remove_extraroutes', [each for each in before if each not in wanted])
            yield from self._ask(self.resource_id, 'add_extraroutes', [each for each in wanted if each not in before])

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._ask(self.resource_id, 'remove_extraroutes', self.held('routes') or [])

    def handle_check(self):
        missing = [each for each in self.held('routes') if each not in self._routes(self.resource_id)]
        if missing:
            raise exception.Error(f'Router {self.resource_id} has not the routes {missing}')

    def _ask(self, router, verb, routes):
        if not routes:
            return
        try:
            yield from self.ask(self.client().ask, 'PUT', f'/routers/{router}/{verb}', {'router': {'routes': routes}})
        except errors.NotFound:
            if verb != 'remove_extraroutes':
                raise

    def _routes(self, router):
        return self.client().show(f'/routers/{router}', 'router').get('routes') or []
