"""OS::Neutron::ProviderNet."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import filled, refuse
from heat_lite.resources.openstack.neutron.base import tags_property
from heat_lite.resources.openstack.neutron.net import Net
from heat_lite.template.schema import (
    boolean,
    list_,
    list_attribute,
    name_property,
    string,
    switch,
    text,
)


class ProviderNet(Net):
    """A provider network: a network on a given physical network."""

    resource_type = 'OS::Neutron::ProviderNet'
    since = '2014.1'
    rest = Rest('neutron', '/networks', 'network', ready=('ACTIVE', 'DOWN'), extension='provider')

    properties_schema = {
        'name': name_property(),
        'network_type': string(
            'Type of the physical network, for example "vlan" or "flat".',
            required=True,
            update_allowed=True,
            allowed=['local', 'vlan', 'vxlan', 'gre', 'geneve', 'flat'],
            wire='provider:network_type',
        ),
        'admin_state_up': switch('Administrative state of the provider network.'),
        'availability_zone_hints': list_(
            'Availability zone candidates for the provider network.',
            update_allowed=True,
            since='19.0.0',
        ),
        'dns_domain': string(
            'DNS domain of the ports on the provider network, with a trailing dot.',
            update_allowed=True,
            custom='dns_domain',
            since='15.0.0',
        ),
        'physical_network': string(
            'Name of the physical network.', update_allowed=True, wire='provider:physical_network'
        ),
        'port_security_enabled': boolean(
            'Default port security of the ports on the provider network.',
            update_allowed=True,
            since='8.0.0',
        ),
        'router_external': switch(
            'Whether the network is external: routers can use it as gateway.',
            default=False,
            since='6.0.0',
            wire='router:external',
        ),
        'segmentation_id': string(
            'VLAN id or tunnel id of the provider network.',
            update_allowed=True,
            wire='provider:segmentation_id',
        ),
        'shared': switch('Whether other projects can use the provider network.'),
        'tags': tags_property('provider network', since='12.0.0'),
        'tenant_id': string(
            'Project of the provider network, by id. Requires administrator rights.', since='24.0.0'
        ),
    }
    property_rules = (
        refuse(
            'segmentation_id not allowed for network types: local, flat',
            segmentation_id=filled,
            network_type=('local', 'flat'),
        ),
        refuse(
            'physical_network not allowed for network types: vxlan, gre, geneve, flat',
            physical_network=filled,
            network_type=('vxlan', 'gre', 'geneve', 'local'),
        ),
    )
    attributes_schema = {
        'segments': list_attribute('Segments of the provider network.', since='16.0.0'),
        'status': text('Status of the provider network.'),
        'subnets': list_attribute('Ids of the subnets of the provider network.'),
    }
