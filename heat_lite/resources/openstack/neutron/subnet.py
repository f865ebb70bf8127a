"""OS::Neutron::Subnet."""

import ipaddress

from heat_lite.common import exception
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import boolean, integer, list_, list_attribute, map_, string, text


class Subnet(NeutronResource):
    """A block of addresses of a network."""

    resource_type = 'OS::Neutron::Subnet'
    rest = Rest('neutron', '/subnets', 'subnet')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'network': string(
            'The network, by name or id.', required=True, ref='neutron.network', support=support.since('2014.2'), wire='network_id'
        ),
        'allocation_pools': list_(
            'The ranges of addresses that may be given away.',
            map_(
                None,
                {
                    'end': string('The last address of the range.', required=True, constraints=[CustomConstraint('ip_addr')]),
                    'start': string('The first address of the range.', required=True, constraints=[CustomConstraint('ip_addr')]),
                },
            ),
            update_allowed=True,
        ),
        'cidr': string('Its addresses, as address/bits. Without them they come from the pool.', constraints=[CustomConstraint('net_cidr')]),
        'dns_nameservers': list_('Addresses of name servers for its ports.', default=[], update_allowed=True),
        'enable_dhcp': boolean('Whether its ports may get their addresses by DHCP.', default=True, update_allowed=True),
        'gateway_ip': string('The address of its gateway; an empty text means that there is none.', update_allowed=True),
        'host_routes': list_(
            'Routes that its ports are told of.',
            map_(
                None,
                {
                    'destination': string(
                        'The addresses that the route leads to.', required=True, constraints=[CustomConstraint('net_cidr')]
                    ),
                    'nexthop': string('The address that leads there.', required=True, constraints=[CustomConstraint('ip_addr')]),
                },
            ),
            update_allowed=True,
        ),
        'ip_version': integer('The family of its addresses.', default=4, constraints=[AllowedValues([4, 6])]),
        'ipv6_address_mode': string(
            'How ports get their addresses (IPv6).',
            constraints=[AllowedValues(['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'])],
            support=support.since('2015.1'),
        ),
        'ipv6_ra_mode': string(
            'How routers announce it (IPv6).',
            constraints=[AllowedValues(['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'])],
            support=support.since('2015.1'),
        ),
        'network_id': string(
            ref='neutron.network', support=support.hidden('5.0.0', previous=support.deprecated('2014.2')), alias_of='network'
        ),
        'prefixlen': integer(
            'How many bits of an address from the pool are those of the subnet.', constraints=[Range(min=0)], support=support.since('6.0.0')
        ),
        'segment': string(
            'The segment of the network that it belongs to.',
            update_allowed=True,
            ref='neutron.segment',
            support=support.SupportStatus(support.SUPPORTED, '11.0.0', previous=support.since('9.0.0')),
            wire='segment_id',
        ),
        'subnetpool': string(
            'The pool that its addresses come from.', ref='neutron.subnetpool', support=support.since('6.0.0'), wire='subnetpool_id'
        ),
        'tags': list_('Labels; the set is kept as it is here.', string(), update_allowed=True, support=support.since('9.0.0'), sent=False),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.'),
        'value_specs': map_(
            'Further keys for the request, for what extensions of the service understand.', default={}, update_allowed=True, sent=False
        ),
    }
    attributes_schema = {
        'allocation_pools': list_attribute('The ranges of addresses that may be given away.'),
        'cidr': text('Its addresses, as address/bits. Without them they come from the pool.'),
        'dns_nameservers': list_attribute('Addresses of name servers for its ports.'),
        'enable_dhcp': text('Whether its ports may get their addresses by DHCP.'),
        'gateway_ip': text('The address of its gateway; an empty text means that there is none.'),
        'host_routes': list_attribute('Routes that its ports are told of.'),
        'ip_version': text('The family of its addresses.'),
        'name': text('Its name.'),
        'network_id': text('The id of its network.'),
        'tenant_id': text('The project that owns it.'),
    }

    def validate(self):
        super().validate()
        self._refuse_addresses()
        self._refuse_modes()
        gateway = self.properties['gateway_ip']
        if gateway and not _is_address(gateway):
            raise exception.StackValidationFailed(f'Gateway IP address "{gateway}" is in invalid format.')

    def _refuse_addresses(self):
        cidr, pool, bits = (self.properties[name] for name in ('cidr', 'subnetpool', 'prefixlen'))
        if not cidr and not pool:
            raise exception.PropertyUnspecifiedError('subnetpool', 'cidr')
        if cidr and pool:
            raise exception.ResourcePropertyConflict('cidr', 'subnetpool')
        if cidr and bits is not None:
            raise exception.ResourcePropertyConflict('cidr', 'prefixlen')

    def _refuse_modes(self):
        announced, given = self.properties['ipv6_ra_mode'], self.properties['ipv6_address_mode']
        if self.properties['ip_version'] == 4:
            if announced or given:
                raise exception.StackValidationFailed('ipv6_ra_mode and ipv6_address_mode are not supported for ipv4.')
        elif announced and given and announced != given:
            raise exception.StackValidationFailed('When both ipv6_ra_mode and ipv6_address_mode are set, they must be equal.')

    def body(self, values):
        return _without_gateway(super().body(values))

    def changes(self, changed, diff):
        if changed.get('allocation_pools', True) is None:
            changed['allocation_pools'] = []  # there is no way back to those of its own
        if changed.get('host_routes', True) is None:
            changed['host_routes'] = []
        return _without_gateway(super().changes(changed, diff))


def _without_gateway(values):
    """An empty text stands for no gateway at all, which the service calls null."""
    return {**values, 'gateway_ip': None} if values.get('gateway_ip') == '' else values


def _is_address(text):
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False
