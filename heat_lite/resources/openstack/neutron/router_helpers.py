"""OS::Neutron::NDPProxy and OS::Neutron::ConntrackHelper: what routers do with some packets."""

from heat_lite.resources.openstack.neutron.base import (
    MARK,
    NeutronResource,
    neutron_rest,
    project_property,
)
from heat_lite.template.schema import (
    OURS,
    description_property,
    name_property,
    parent,
    port_number,
    reference,
    string,
)


class NDPProxy(NeutronResource):
    """An NDP proxy: a router answers for an IPv6 address of a port in the external network.

    The router has ``value_specs: {enable_ndp_proxy: true}``.
    """

    resource_type = 'OS::Neutron::NDPProxy'
    since = OURS
    rest = neutron_rest('/ndp_proxies', 'ndp_proxy', 'l3-ndp-proxy', mark=MARK)

    properties_schema = {
        'name': name_property(),
        'port': reference(
            'neutron.port', 'Port with the IPv6 address, by name or id.', required=True
        ),
        'router': reference(
            'neutron.router', 'Router that answers for the address, by name or id.', required=True
        ),
        'description': description_property(),
        'ip_address': string('IPv6 address of the port, if it has several.', custom='ip_addr'),
        'project': project_property('NDP proxy'),
    }
    attributes_schema = {'ip_address': 'IPv6 address that Neutron shows.'}


class ConntrackHelper(NeutronResource):
    """A conntrack helper: a router follows the connections of a protocol such as FTP."""

    resource_type = 'OS::Neutron::ConntrackHelper'
    since = OURS
    rest = neutron_rest(
        '/routers/{router}/conntrack_helpers', 'conntrack_helper', 'l3-conntrack-helper'
    )
    unique_by = ('helper', 'port', 'protocol')

    properties_schema = {
        'helper': string(
            'Name of the helper, such as ftp or tftp.', required=True, update_allowed=True, max=64
        ),
        'port': port_number(
            'Port number whose packets the helper reads.', required=True, update_allowed=True
        ),
        'protocol': string(
            'Protocol of the packets.',
            required=True,
            update_allowed=True,
            allowed=['tcp', 'udp', 'dccp', 'icmp', 'ipv6-icmp', 'sctp'],
        ),
        'router': parent('neutron.router', 'Router with the helper, by name or id.'),
    }
