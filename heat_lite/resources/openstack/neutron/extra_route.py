"""OS::Neutron::ExtraRoute and OS::Neutron::ExtraRouteSet."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base import added_object
from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.neutron.base import Connection, VisibleConnection
from heat_lite.template import support
from heat_lite.template.schema import list_, reference, string


class ExtraRoute(VisibleConnection):
    """One extra route of a router."""

    resource_type = 'OS::Neutron::ExtraRoute'
    support_status = support.history('unsupported')
    extension = 'extraroute'
    default_client_name = 'neutron'

    properties_schema = {
        'destination': string('CIDR of the destination.', required=True),
        'nexthop': string('IP address of the next hop.', required=True),
        'router_id': reference(
            'neutron.router', 'Router of the route, by name or id.', required=True
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
        routes = _routes(self, router)
        if route in routes:
            raise exception.Error(f'Route duplicates an existing route of router {router}: {route}')
        yield from added_object.note(self, list)
        yield from self.call_with_retry(
            self.client().update, f'/routers/{router}', 'router', {'routes': [*routes, route]}
        )
        self.resource_id_set(self.connection_id())
        self.data_delete(added_object.BEFORE)

    def find_existing(self):
        """Return the id of the route that an interrupted create has added: the router did not have
        it before.
        """
        return super().find_existing() if added_object.BEFORE in self.data() else None

    def live_properties(self):
        """Return what the id names: ``ROUTER:DESTINATION:NEXTHOP``."""
        router, _, route = self.resource_id.partition(':')
        network, _, rest = route.partition('/')
        length, _, nexthop = rest.partition(':')
        found = {'destination': f'{network}/{length}', 'nexthop': nexthop}
        if found not in _routes(self, router):
            raise errors.NotFound(f'no router has the route {self.resource_id}')
        return {'router_id': router, **found}

    def is_connected(self):
        return self._route() in _routes(self, self.stored_property('router_id'))

    def connection_id(self):
        router = self.stored_property('router_id')
        return '{}:{destination}:{nexthop}'.format(router, **self._route())

    def delete_object(self):
        router, route = self.stored_property('router_id'), self._route()
        try:
            left = [each for each in _routes(self, router) if each != route]
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


class ExtraRouteSet(Connection):
    """Extra routes of a router, beside routes from elsewhere."""

    resource_type = 'OS::Neutron::ExtraRouteSet'
    since = '14.0.0'
    extension = 'extraroute-atomic'
    default_client_name = 'neutron'

    properties_schema = {
        'router': string(
            'Router of the routes, by name or id.', required=True, ref='neutron.router'
        ),
        'routes': list_(
            'Extra routes of the router.',
            {
                'destination': string(
                    'CIDR of the destination of a route.', required=True, custom='net_cidr'
                ),
                'nexthop': string(
                    'IP address of the next hop of a route.', required=True, custom='ip_addr'
                ),
            },
            default=[],
            update_allowed=True,
        ),
    }

    def implied_dependencies(self, others):
        """Return the interfaces of the router: each next hop must be on the subnet of one."""
        yield from implied_dependencies.interfaces_of(
            self, others, implied_dependencies.own(self, 'router')
        )

    def handle_create(self):
        router, routes = self.properties['router'], self.properties['routes']
        noted = added_object.BEFORE in self.data()
        present = [] if noted else _routes(self, router)
        twice = [each for each in routes if each in present]
        if twice:
            raise exception.Error(
                f'Router {router} already has the routes {twice}; remove them from the template'
            )
        yield from added_object.note(self, list)
        yield from self._request(router, 'add_extraroutes', routes)
        self.resource_id_set(router)
        self.data_delete(added_object.BEFORE)

    def find_existing(self):
        """Return the router if the request of an interrupted create may have added the routes,
        which the router did not have before.
        """
        return self.stored_property('router') if added_object.BEFORE in self.data() else None

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'routes' in prop_diff:
            before, wanted = self.stored_property('routes') or [], prop_diff['routes'] or []
            yield from self._request(
                self.resource_id,
                'remove_extraroutes',
                [each for each in before if each not in wanted],
            )
            yield from self._request(
                self.resource_id, 'add_extraroutes', [each for each in wanted if each not in before]
            )

    def delete_object(self):
        yield from self._request(
            self.resource_id, 'remove_extraroutes', self.stored_property('routes') or []
        )

    def live_properties(self):
        return {'router': self.resource_id, 'routes': _routes(self, self.resource_id)}

    def get_live_state(self, resource_properties):
        present = _routes(self, self.resource_id)
        routes = [each for each in self.stored_property('routes') if each in present]
        return {**self.stored_properties(), 'routes': routes}

    def handle_check(self):
        present = _routes(self, self.resource_id)
        missing = [each for each in self.stored_property('routes') if each not in present]
        if missing:
            raise exception.Error(f'Router {self.resource_id} lacks the routes {missing}')

    def _request(self, router, action, routes):
        if not routes:
            return
        try:
            yield from self.send(
                'PUT', f'/routers/{router}/{action}', {'router': {'routes': routes}}
            )
        except errors.NotFound:
            if action != 'remove_extraroutes':
                raise


def _routes(resource, router):
    return resource.client().show(f'/routers/{router}', 'router').get('routes') or []
