"""OS::Neutron::Router, OS::Neutron::RouterInterface and OS::Neutron::RouterGateway."""

import contextlib
import functools

from heat_lite.clients import errors
from heat_lite.resources.base.property_rules import conflict, empty, filled, one_of, refuse
from heat_lite.resources.base.service_retry import ServiceRetry
from heat_lite.resources.openstack.neutron import agents, implied_dependencies
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    NeutronResource,
    VisibleConnection,
    needs_extension,
    neutron_rest,
    tags_property,
    value_specs_property,
)
from heat_lite.template import support
from heat_lite.template.schema import (
    OURS,
    alias,
    boolean,
    description_property,
    list_,
    map_,
    map_attribute,
    name_property,
    reference,
    string,
    switch,
)


class Router(NeutronResource):
    """A router."""

    resource_type = 'OS::Neutron::Router'
    rest = neutron_rest('/routers', 'router', 'router', ready=('ACTIVE', 'DOWN'), mark=MARK)

    properties_schema = {
        'name': name_property(),
        'admin_state_up': switch('Administrative state of the router.'),
        'availability_zone_hints': list_(
            'Availability zone candidates for the router.', update_allowed=True, since='19.0.0'
        ),
        'description': description_property(since=OURS),
        'distributed': boolean(
            'Whether the router is distributed. Requires administrator rights.', since='2015.1'
        ),
        'external_gateway_info': map_(
            'External gateway of the router.',
            {
                'enable_snat': boolean(
                    'Whether source NAT is enabled. Requires administrator rights.',
                    update_allowed=True,
                ),
                'external_fixed_ips': list_(
                    'Fixed IP addresses of the external gateway. Requires administrator rights.',
                    {
                        'ip_address': string(
                            'Fixed IP address of the external gateway.', custom='ip_addr'
                        ),
                        'subnet': reference(
                            'neutron.subnet',
                            'Subnet of the fixed IP address of the external gateway.',
                        ),
                    },
                    update_allowed=True,
                    since='6.0.0',
                ),
                'network': string(
                    'External network, by name or id.',
                    required=True,
                    update_allowed=True,
                    wire='network_id',
                    resolves='neutron.network',
                ),
                'qos_policy': reference(
                    'neutron.qos_policy',
                    'QoS policy of the external gateway, by name or id.',
                    update_allowed=True,
                    since=OURS,
                ),
            },
            update_allowed=True,
        ),
        'enable_ndp_proxy': boolean(
            'Whether the external gateway answers for the IPv6 addresses of NDP proxies.',
            update_allowed=True,
            since=OURS,
        ),
        'flavor_id': string('Flavor of the router, by id.', since=OURS),
        'ha': boolean(
            'Whether the router is highly available. Requires administrator rights.', since='2015.1'
        ),
        'l3_agent_id': string(
            'L3 agent of the router, by id.',
            update_allowed=True,
            history='hidden 6.0.0, deprecated 2015.1, supported 2014.1',
            sent=False,
        ),
        'l3_agent_ids': list_(
            'L3 agents of the router, by id. Requires administrator rights.',
            string(),
            update_allowed=True,
            since='2015.1',
            sent=False,
        ),
        'tags': tags_property('router'),
        'tenant_id': string(
            'Project of the router, by id. Requires administrator rights.', since='24.0.0'
        ),
        'value_specs': value_specs_property('router', update_allowed=True),
    }
    property_rules = (
        *needs_extension('l3-ndp-proxy', 'enable_ndp_proxy'),
        *needs_extension('l3-flavors', 'flavor_id'),
        conflict('l3_agent_id', 'l3_agent_ids', test=filled),
        conflict(
            'distributed',
            'l3_agent_id/l3_agent_ids',
            distributed=filled,
            l3_agent_ids=lambda value, read: value or read('l3_agent_id'),
        ),
        conflict('distributed', 'ha', test=filled),
        refuse(
            'Non HA routers can only have one L3 agent.',
            ha=empty,
            l3_agent_ids=lambda value, read: value and len(value) > 1,
        ),
    )
    attributes_schema = {
        'admin_state_up': 'Administrative state that Neutron shows for the router.',
        'external_gateway_info': map_attribute('External gateway that Neutron shows.'),
        'name': 'Name of the router.',
        'status': 'Status of the router.',
        'tenant_id': 'Id of the project that owns the router.',
    }

    def implied_dependencies(self, others):
        """Return the subnets of the external network: the gateway gets an address of one."""
        external_network = implied_dependencies.value(
            self, self.definition, 'external_gateway_info', 'network'
        )
        return implied_dependencies.subnets_of(self, others, external_network)

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        if 'l3_agent_ids' in diff or 'l3_agent_id' in diff:
            yield from agents.assign(
                self, agents.L3, self.properties['l3_agent_ids'] or [self.properties['l3_agent_id']]
            )


class RouterInterface(VisibleConnection):
    """An interface of a router."""

    resource_type = 'OS::Neutron::RouterInterface'
    extension = 'router'
    default_client_name = 'neutron'

    properties_schema = {
        'router': string(
            'Router that gets the interface, by name or id.', required=True, ref='neutron.router'
        ),
        'port': string(
            'Port that becomes the interface, by name or id.', ref='neutron.port', since='2015.1'
        ),
        'port_id': alias(
            'port', 'neutron.port', 'hidden 6.0.0, deprecated 2015.1, supported 2014.1'
        ),
        'router_id': alias(
            'router', 'neutron.router', 'hidden 6.0.0, deprecated 2015.1, supported 2013.1'
        ),
        'subnet': string(
            'Subnet of the interface, by name or id. The interface gets the address of its '
            'gateway.',
            ref='neutron.subnet',
        ),
        'subnet_id': alias('subnet', 'neutron.subnet'),
    }
    property_rules = (
        conflict('subnet', 'port'),
        one_of('subnet', 'port'),
    )

    def handle_create(self):
        if self.resource_id is not None:
            return  # an interrupted create has made it; Neutron refuses a second request
        router, key, other = self._wanted()
        path = f'/routers/{router}/add_router_interface'
        yield from self._send_once(path, {key: other}, self.find_existing)
        self.resource_id_set(f'{router}:{key}={other}')

    def find_existing(self):
        router, key, other = self._wanted()
        return f'{router}:{key}={other}' if self._has_port(router, key, other) else None

    def _wanted(self):
        """Return the id of the router, and the key and the id of what is connected with it."""
        properties = self.properties
        if properties['subnet']:
            return properties['router'], 'subnet_id', properties['subnet']
        return properties['router'], 'port_id', properties['port']

    def objects(self):
        return {
            f'{port["device_id"]}:subnet_id={each["subnet_id"]}': {
                **port,
                'router': port['device_id'],
                'subnet': each['subnet_id'],
            }
            for port in self.client().list('/ports', 'ports')
            if _is_interface(port.get('device_owner') or '')
            for each in port['fixed_ips']
        }

    def described(self, found):
        return {name: found[name] for name in ('router', 'subnet')}

    def live_properties(self):
        """Return what the id names: ``ROUTER:subnet_id=SUBNET``, or ``port_id=PORT``."""
        router, key, value = self._parts()
        if not (value and self.is_connected()):
            raise errors.NotFound(f'no router has {self.resource_id}')
        return {'router': router, key.removesuffix('_id'): value}

    def is_connected(self):
        return self._has_port(*self._parts())

    def _has_port(self, router, key, value):
        ports = self.client().list('/ports', 'ports', device_id=router)
        if key == 'port_id':
            return any(each['id'] == value for each in ports)
        return any(address['subnet_id'] == value for each in ports for address in each['fixed_ips'])

    def _parts(self):
        router, _, other = self.resource_id.partition(':')
        key, _, value = other.partition('=')
        return router, key, value

    def delete_object(self):
        router, key, value = self._parts()
        path = f'/routers/{router}/remove_router_interface'
        with contextlib.suppress(errors.NotFound):
            yield from self._send_once(path, {key: value}, self._find_removed)

    def _send_once(self, path, body, find):
        """A generator: send a request that would be refused if it is repeated after its success,
        which ``find()`` shows.
        """
        send = functools.partial(self.client().request_json, 'PUT', path, body)
        retry = ServiceRetry(self, self.retry_conflict)
        yield from retry.until_made(send, find, lambda found: found)

    def _find_removed(self):
        return None if self.is_connected() else self.resource_id


def _is_interface(owner):
    return owner.startswith('network:') and 'interface' in owner


class RouterGateway(VisibleConnection):
    """The external gateway of a router. ``external_gateway_info`` of the router does the same."""

    resource_type = 'OS::Neutron::RouterGateway'
    support_status = support.history('hidden 5.0.0, deprecated 2014.1')
    default_client_name = 'neutron'
    repeatable = True

    properties_schema = {
        'router_id': reference(
            'neutron.router', 'Router that gets the gateway, by name or id.', required=True
        ),
        'network': string('External network of the gateway, by name or id.', ref='neutron.network'),
        'network_id': alias('network', 'neutron.network', 'hidden 9.0.0, deprecated 2014.2'),
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

    def live_properties(self):
        """Return what the id names: ``ROUTER:NETWORK``."""
        if not self.is_connected():
            raise errors.NotFound(f'no router has the gateway {self.resource_id}')
        router, _, network = self.resource_id.partition(':')
        return {'router_id': router, 'network': network}

    def connection_id(self):
        return f'{self.stored_property("router_id")}:{self.stored_property("network")}'

    def is_connected(self):
        router, _, network = (self.resource_id or self.connection_id()).partition(':')
        found = self.client().show(f'/routers/{router}', 'router')
        return (found.get('external_gateway_info') or {}).get('network_id') == network

    def delete_object(self):
        router = self.resource_id.partition(':')[0]
        yield from self.delete_if_present(
            self.client().update, f'/routers/{router}', 'router', {'external_gateway_info': {}}
        )
