"""OS::Neutron::Net and OS::Neutron::ProviderNet."""

from heat_lite.resources.base.property_rules import filled, refuse
from heat_lite.resources.openstack.neutron import agents
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
    boolean,
    boolean_attribute,
    description_property,
    integer,
    integer_attribute,
    list_,
    list_attribute,
    name_property,
    reference,
    string,
    switch,
    text,
)

SEGMENTS, TRANSPARENT = 'segments', 'vlan_transparent'


def _more_properties(noun):
    """Return the properties of networks that Heat does not have."""
    return {
        'description': description_property(since=OURS),
        'is_default': boolean(
            f'Whether the {noun} is the external one of automatic topologies.',
            update_allowed=True,
            since=OURS,
        ),
        'mtu': integer(
            f'Size of the largest packet of the {noun} in bytes.',
            update_allowed=True,
            min=68,
            since=OURS,
        ),
        TRANSPARENT: boolean(
            f'Whether servers may use VLAN tags of their own on the {noun}.', since=OURS
        ),
    }


TRANSPARENT_RULES = needs_extension('vlan-transparent', TRANSPARENT)


class Net(NeutronResource):
    """A network."""

    resource_type = 'OS::Neutron::Net'
    rest = neutron_rest('/networks', 'network', ready=('ACTIVE', 'DOWN'), mark=MARK)
    strict_specs = True

    properties_schema = {
        'name': name_property(),
        **_more_properties('network'),
        'admin_state_up': switch('Administrative state of the network.'),
        'availability_zone_hints': list_(
            'Availability zone candidates for the network.', since='19.0.0'
        ),
        'dhcp_agent_ids': list_(
            'DHCP agents of the network, by id. Requires administrator rights.',
            update_allowed=True,
            sent=False,
        ),
        'dns_domain': string(
            'DNS domain of the ports on the network, with a trailing dot.',
            update_allowed=True,
            custom='dns_domain',
            since='7.0.0',
        ),
        'port_security_enabled': boolean(
            'Default port security of the ports on the network.', update_allowed=True, since='5.0.0'
        ),
        'qos_policy': reference(
            'neutron.qos_policy',
            'QoS policy of the network, by name or id.',
            update_allowed=True,
            since='6.0.0',
        ),
        'router_external': boolean(
            'Whether the network is external: routers can use it as gateway. Requires '
            'administrator rights.',
            update_allowed=True,
            since=OURS,
            wire='router:external',
        ),
        SEGMENTS: list_(
            'Segments of a network that has several. Requires administrator rights.',
            {
                'network_type': string(
                    'Type of the physical network of the segment, for example "vlan".',
                    required=True,
                    wire='provider:network_type',
                ),
                'physical_network': string(
                    'Name of the physical network of the segment.',
                    wire='provider:physical_network',
                ),
                'segmentation_id': integer(
                    'VLAN id or tunnel id of the segment.', wire='provider:segmentation_id'
                ),
            },
            min=1,
            since=OURS,
        ),
        'shared': switch('Whether other projects can use the network.', default=False),
        'tags': tags_property('network'),
        'tenant_id': string('Project of the network, by id. Requires administrator rights.'),
        'value_specs': value_specs_property('network', update_allowed=True),
    }
    property_rules = (*needs_extension('multi-provider', SEGMENTS), *TRANSPARENT_RULES)
    attributes_schema = {
        'admin_state_up': 'Administrative state that Neutron shows for the network.',
        'l2_adjacency': boolean_attribute(
            'Whether the network provides layer 2 connectivity to all of its ports.',
            since='9.0.0',
        ),
        'mtu': integer_attribute('Maximum transmission unit of the network.', since='5.0.0'),
        'name': 'Name of the network.',
        'port_security_enabled': boolean_attribute(
            'Whether port security is enabled by default on the network.', since='5.0.0'
        ),
        'qos_policy_id': text('Id of the QoS policy of the network.', since='6.0.0'),
        SEGMENTS: list_attribute('Segments of the network.', since='11.0.0'),
        'status': 'Status of the network.',
        'subnets': list_attribute('Ids of the subnets of the network.'),
        'tenant_id': 'Id of the project that owns the network.',
    }

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        if 'dhcp_agent_ids' in diff:
            yield from agents.assign(self, agents.DHCP, diff['dhcp_agent_ids'])

    def resolve_attribute(self, name):
        if name == SEGMENTS:
            return self.client().list('/segments', 'segments', network_id=self.resource_id)
        return super().resolve_attribute(name)


class ProviderNet(Net):
    """A provider network: a network on a given physical network."""

    resource_type = 'OS::Neutron::ProviderNet'
    since = '2014.1'
    rest = neutron_rest('/networks', 'network', 'provider', ready=('ACTIVE', 'DOWN'))

    properties_schema = {
        'name': name_property(),
        **_more_properties('provider network'),
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
        'qos_policy': reference(
            'neutron.qos_policy',
            'QoS policy of the provider network, by name or id.',
            update_allowed=True,
            since=OURS,
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
        'value_specs': value_specs_property('provider network', update_allowed=True, since=OURS),
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
        *TRANSPARENT_RULES,
    )
    attributes_schema = {
        'segments': list_attribute('Segments of the provider network.', since='16.0.0'),
        'status': 'Status of the provider network.',
        'subnets': list_attribute('Ids of the subnets of the provider network.'),
    }
