"""OS::Neutron::Subnet."""

import ipaddress

from heat_lite.common import exception
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import conflict, filled, one_of, refuse
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    NeutronResource,
    tags_property,
    value_specs_property,
)
from heat_lite.template.schema import (
    integer,
    list_,
    list_attribute,
    name_property,
    string,
    switch,
    text,
)

GATEWAY, AUTO = 'gateway_ip', 'auto'


def _is_no_gateway(text, read):
    try:
        return text and text != AUTO and not ipaddress.ip_address(text)
    except ValueError:
        return True


class Subnet(NeutronResource):
    """A subnet."""

    resource_type = 'OS::Neutron::Subnet'
    rest = Rest('neutron', '/subnets', 'subnet', mark=MARK)

    properties_schema = {
        'name': name_property(),
        'network': string(
            'Network of the subnet, by name or id.',
            required=True,
            ref='neutron.network',
            since='2014.2',
            wire='network_id',
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
        'dns_nameservers': list_('DNS servers of the subnet.', default=[], update_allowed=True),
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
        'network_id': string(
            ref='neutron.network', history='hidden 5.0.0, deprecated 2014.2', alias_of='network'
        ),
        'prefixlen': integer(
            'Prefix length of the CIDR that is allocated from the subnet pool.',
            min=0,
            since='6.0.0',
        ),
        'segment': string(
            'Segment of the subnet, by name or id.',
            update_allowed=True,
            ref='neutron.segment',
            history='supported 11.0.0, supported 9.0.0',
            wire='segment_id',
        ),
        'subnetpool': string(
            'Subnet pool of the subnet, by name or id.',
            ref='neutron.subnetpool',
            since='6.0.0',
            wire='subnetpool_id',
        ),
        'tags': tags_property('subnet'),
        'tenant_id': string('Project of the subnet, by id. Requires administrator rights.'),
        'value_specs': value_specs_property('subnet', update_allowed=True),
    }
    property_rules = (
        conflict('subnetpool', 'cidr'),
        one_of('subnetpool', 'cidr'),
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
    )
    attributes_schema = {
        'allocation_pools': list_attribute('Allocation pools that Neutron shows.'),
        'cidr': text('CIDR that Neutron shows.'),
        'dns_nameservers': list_attribute('DNS servers that Neutron shows.'),
        'enable_dhcp': text('Whether Neutron shows DHCP as enabled.'),
        'gateway_ip': text('Gateway IP address that Neutron shows.'),
        'host_routes': list_attribute('Host routes that Neutron shows.'),
        'ip_version': text('IP version that Neutron shows.'),
        'name': text('Name of the subnet.'),
        'network_id': text('Id of the network of the subnet.'),
        'tenant_id': text('Id of the project that owns the subnet.'),
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


def _with_gateway(values):
    """Return the values with the gateway address as Neutron expects it: null for none."""
    if values.get(GATEWAY) == AUTO:
        return {name: value for name, value in values.items() if name != GATEWAY}
    return {**values, GATEWAY: None} if values.get(GATEWAY) == '' else values
