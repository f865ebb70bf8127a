"""OS::Neutron::Subnet, and what subnets belong to: pools, address scopes and segments."""

import functools
import ipaddress

from heat_lite.common import exception
from heat_lite.resources.base.property_rules import (
    above,
    conflict,
    empty,
    filled,
    given,
    missing,
    refuse,
)
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    NeutronResource,
    needs_extension,
    neutron_rest,
    tags_property,
    value_specs_property,
)
from heat_lite.template.schema import (
    OURS,
    alias,
    boolean,
    description_property,
    integer,
    list_,
    list_attribute,
    name_property,
    reference,
    string,
    switch,
)

GATEWAY, AUTO = 'gateway_ip', 'auto'
SERVICE_TYPES = 'service_types'
PUBLISH, DEFAULT_POOL = 'dns_publish_fixed_ip', 'use_default_subnetpool'


def _is_no_gateway(text, read):
    try:
        return text and text != AUTO and not ipaddress.ip_address(text)
    except ValueError:
        return True


class Subnet(NeutronResource):
    """A subnet."""

    resource_type = 'OS::Neutron::Subnet'
    rest = neutron_rest('/subnets', 'subnet', mark=MARK)

    properties_schema = {
        'name': name_property(),
        'network': reference(
            'neutron.network',
            'Network of the subnet, by name or id.',
            required=True,
            since='2014.2',
        ),
        'allocation_pools': list_(
            'Allocation pools of the subnet.',
            {
                'end': string(
                    'Last address of the allocation pool.', required=True, custom='ip_addr'
                ),
                'start': string(
                    'First address of the allocation pool.', required=True, custom='ip_addr'
                ),
            },
            update_allowed=True,
        ),
        'cidr': string(
            'CIDR of the subnet. If omitted, it is allocated from the subnet pool.',
            custom='net_cidr',
        ),
        'description': description_property(since=OURS),
        'dns_nameservers': list_('DNS servers of the subnet.', default=[], update_allowed=True),
        PUBLISH: boolean(
            'Whether DNS has the fixed IP addresses of the subnet, also behind floating IPs.',
            update_allowed=True,
            since=OURS,
        ),
        'enable_dhcp': switch('Whether DHCP is enabled on the subnet.'),
        'gateway_ip': string(
            'Gateway IP address of the subnet. An empty string means none, "auto" the '
            'one that Neutron chooses.',
            update_allowed=True,
        ),
        'host_routes': list_(
            'Host routes of the subnet.',
            {
                'destination': string(
                    'CIDR of the destination of the host route.',
                    required=True,
                    custom='net_cidr',
                ),
                'nexthop': string(
                    'IP address of the next hop of the host route.',
                    required=True,
                    custom='ip_addr',
                ),
            },
            update_allowed=True,
        ),
        'ip_version': integer('IP version of the subnet.', default=4, allowed=[4, 6]),
        'ipv6_address_mode': string(
            'IPv6 address mode: how ports get their addresses.',
            allowed=['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'],
            since='2015.1',
        ),
        'ipv6_ra_mode': string(
            'IPv6 router advertisement mode.',
            allowed=['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'],
            since='2015.1',
        ),
        'network_id': alias('network', 'neutron.network'),
        'prefixlen': integer(
            'Prefix length of the CIDR that is allocated from the subnet pool.',
            min=0,
            since='6.0.0',
        ),
        'segment': reference(
            'neutron.segment',
            'Segment of the subnet, by name or id.',
            update_allowed=True,
            history='supported 11.0.0, supported 9.0.0',
        ),
        SERVICE_TYPES: list_(
            'Device owners of the ports that get addresses of the subnet, such as '
            '"network:floatingip"; without any, all ports do.',
            string(),
            update_allowed=True,
            since=OURS,
        ),
        'subnetpool': reference(
            'neutron.subnetpool', 'Subnet pool of the subnet, by name or id.', since='6.0.0'
        ),
        'tags': tags_property('subnet'),
        'tenant_id': string('Project of the subnet, by id. Requires administrator rights.'),
        DEFAULT_POOL: boolean(
            'Whether the subnet is allocated from the default subnet pool of its IP version.',
            since=OURS,
        ),
        'value_specs': value_specs_property('subnet', update_allowed=True),
    }
    property_rules = (
        conflict('subnetpool', 'cidr'),
        refuse(
            functools.partial(exception.PropertyUnspecifiedError, 'subnetpool', 'cidr'),
            subnetpool=missing,
            cidr=missing,
            use_default_subnetpool=empty,
        ),
        *(
            conflict(DEFAULT_POOL, each, **{DEFAULT_POOL: filled, each: given})
            for each in ('subnetpool', 'cidr')
        ),
        conflict('prefixlen', 'cidr', test=filled),
        refuse(
            'ipv6_ra_mode and ipv6_address_mode are not supported for ipv4.',
            ip_version=(4,),
            ipv6_ra_mode=lambda value, read: value or read('ipv6_address_mode'),
        ),
        refuse(
            'When both ipv6_ra_mode and ipv6_address_mode are set, they must be equal.',
            ipv6_address_mode=filled,
            ipv6_ra_mode=lambda value, read: value and value != read('ipv6_address_mode'),
        ),
        refuse(
            'Gateway IP address "{gateway_ip}" is in invalid format.', gateway_ip=_is_no_gateway
        ),
        *needs_extension('subnet-service-types', SERVICE_TYPES),
        *needs_extension('subnet-dns-publish-fixed-ip', PUBLISH),
        *needs_extension('default-subnetpools', DEFAULT_POOL),
    )
    attributes_schema = {
        'allocation_pools': list_attribute('Allocation pools that Neutron shows.'),
        'cidr': 'CIDR that Neutron shows.',
        'dns_nameservers': list_attribute('DNS servers that Neutron shows.'),
        'enable_dhcp': 'Whether Neutron shows DHCP as enabled.',
        'gateway_ip': 'Gateway IP address that Neutron shows.',
        'host_routes': list_attribute('Host routes that Neutron shows.'),
        'ip_version': 'IP version that Neutron shows.',
        'name': 'Name of the subnet.',
        'network_id': 'Id of the network of the subnet.',
        'tenant_id': 'Id of the project that owns the subnet.',
    }

    def body(self, values):
        return _with_gateway(super().body(values))

    def changes(self, changed, diff):
        if changed.get(GATEWAY) == AUTO:
            action = 'gateway_ip "auto" for a subnet that exists'
            raise exception.ResourceActionNotSupported(action=action)
        return _with_gateway(super().changes(changed, diff))

    def normalize(self, found):
        """Return the subnet without a gateway address that Neutron has chosen."""
        found = super().normalize(found)
        chosen = found.get(GATEWAY) and self.stored_property(GATEWAY) == AUTO
        return {**found, GATEWAY: AUTO} if chosen else found

    def described(self, found):
        """Return the properties of a subnet of a pool with the length of its prefix, for its CIDR.

        A template cannot have pool and CIDR. Without a gateway address Neutron would choose one.
        """
        described = super().described(found)
        if found.get(GATEWAY, '') is None:
            described[GATEWAY] = ''
        if 'subnetpool' in described:
            described['prefixlen'] = ipaddress.ip_network(described.pop('cidr')).prefixlen
        return described


def _with_gateway(values):
    """Return the values with the gateway address as Neutron expects it: null for none."""
    if values.get(GATEWAY) == AUTO:
        return {name: value for name, value in values.items() if name != GATEWAY}
    return {**values, GATEWAY: None} if values.get(GATEWAY) == '' else values


LEAST, DEFAULT, MOST = 'min_prefixlen', 'default_prefixlen', 'max_prefixlen'
PREFIXES = 'prefixes'


def _bounds(first, second, **tests):
    """Return the rule that two prefix lengths are in order; zero is none."""
    text = f'Illegal prefix bounds: {first}={{{first}}}, {second}={{{second}}}.'
    return refuse(text, **tests)


class SubnetPool(NeutronResource):
    """A subnet pool."""

    resource_type = 'OS::Neutron::SubnetPool'
    since = '6.0.0'
    rest = neutron_rest('/subnetpools', 'subnetpool', 'subnet_allocation')

    properties_schema = {
        'name': name_property(),
        'description': description_property(since=OURS),
        PREFIXES: list_(
            'CIDRs of the subnet pool.',
            string(custom='net_cidr'),
            required=True,
            update_allowed=True,
            min=1,
        ),
        'address_scope': reference(
            'neutron.address_scope',
            'Address scope of the subnet pool, by name or id.',
            update_allowed=True,
        ),
        'default_prefixlen': integer(
            'Default prefix length of the subnets.', update_allowed=True, min=0
        ),
        'default_quota': integer(
            'Quota of a project: IPv4 addresses, or /64 prefixes for IPv6.',
            update_allowed=True,
            min=0,
        ),
        'is_default': switch('Whether the subnet pool is the default one.', default=False),
        'max_prefixlen': integer('Largest prefix length of a subnet.', update_allowed=True, min=0),
        'min_prefixlen': integer('Smallest prefix length of a subnet.', update_allowed=True, min=0),
        'shared': boolean('Whether other projects can use the subnet pool.', default=False),
        'tags': tags_property('subnet pool'),
        'tenant_id': string('Project of the subnet pool, by id. Requires administrator rights.'),
    }
    property_rules = (
        _bounds(MOST, LEAST, max_prefixlen=filled, min_prefixlen=above(MOST)),
        _bounds(MOST, DEFAULT, max_prefixlen=filled, default_prefixlen=above(MOST)),
        _bounds(LEAST, DEFAULT, default_prefixlen=filled, min_prefixlen=above(DEFAULT)),
    )

    def normalize(self, found):
        """Return the pool with the stored prefixes if Neutron shows the same addresses.

        Neutron joins neighboring prefixes.
        """
        found, stored = super().normalize(found), self.stored_properties().get(PREFIXES)
        same = stored and _addresses(stored) == _addresses(found[PREFIXES])
        return {**found, PREFIXES: stored} if same else found


def _addresses(prefixes):
    networks = (ipaddress.ip_network(each, strict=False) for each in prefixes)
    return list(ipaddress.collapse_addresses(networks))


class AddressScope(NeutronResource):
    """An address scope: subnet pools whose addresses do not overlap."""

    resource_type = 'OS::Neutron::AddressScope'
    since = '6.0.0'
    rest = neutron_rest('/address-scopes', 'address_scope', 'address-scope')

    properties_schema = {
        'name': name_property(),
        'ip_version': integer('IP version of the address scope.', default=4, allowed=[4, 6]),
        'shared': switch('Whether other projects can use the address scope.', default=False),
        'tenant_id': reference(
            'keystone.project',
            'Project of the address scope, by id. Requires administrator rights.',
        ),
    }


_REQUIRED = 'physical_network is required for {network_type} provider network.'
_PROHIBITED = 'physical_network is prohibited for {network_type} provider network.'
_ID_REQUIRED = 'segmentation_id is required for {network_type} provider network.'
_ID_PROHIBITED = 'segmentation_id is prohibited for {network_type} provider network.'


class Segment(NeutronResource):
    """A segment of a network."""

    resource_type = 'OS::Neutron::Segment'
    since = '9.0.0'
    rest = neutron_rest('/segments', 'segment', 'segment')
    entity = None

    properties_schema = {
        'name': name_property(),
        'network': reference(
            'neutron.network', 'Network of the segment, by name or id.', required=True
        ),
        'network_type': string(
            'Network type of the segment.',
            required=True,
            allowed=['local', 'vlan', 'vxlan', 'gre', 'geneve', 'flat'],
        ),
        'description': description_property(),
        'physical_network': string('Physical network of the segment.'),
        'segmentation_id': integer('VLAN id or tunnel id of the segment.', min=1),
    }
    property_rules = (
        refuse(_REQUIRED, network_type=('flat', 'vlan'), physical_network=missing),
        refuse(_ID_REQUIRED, network_type=('vlan',), segmentation_id=missing),
        refuse(_ID_PROHIBITED, network_type=('local', 'flat'), segmentation_id=given),
        refuse(_PROHIBITED, network_type=('vxlan', 'gre', 'geneve'), physical_network=given),
        refuse(
            'Up to 4094 VLAN network segments can exist on each physical_network.',
            network_type=('vlan',),
            segmentation_id=lambda value, read: value > 4094,
        ),
    )
