"""OS::Neutron::Router."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import conflict, empty, filled, refuse
from heat_lite.resources.openstack.neutron import agents, implied_dependencies
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    NeutronResource,
    tags_property,
    value_specs_property,
)
from heat_lite.template.schema import (
    boolean,
    list_,
    map_,
    map_attribute,
    name_property,
    string,
    switch,
    text,
)


class Router(NeutronResource):
    """A router."""

    resource_type = 'OS::Neutron::Router'
    rest = Rest(
        'neutron', '/routers', 'router', ready=('ACTIVE', 'DOWN'), extension='router', mark=MARK
    )

    properties_schema = {
        'name': name_property(),
        'admin_state_up': switch('Administrative state of the router.'),
        'availability_zone_hints': list_(
            'Availability zone candidates for the router.', update_allowed=True, since='19.0.0'
        ),
        'distributed': boolean(
            'Whether the router is distributed. Requires administrator rights.', since='2015.1'
        ),
        'external_gateway_info': map_(
            'External gateway of the router.',
            {
                'enable_snat': boolean('Whether source NAT is enabled.', update_allowed=True),
                'external_fixed_ips': list_(
                    'Fixed IP addresses of the external gateway.',
                    map_(
                        None,
                        {
                            'ip_address': string(
                                'Fixed IP address of the external gateway.', custom='ip_addr'
                            ),
                            'subnet': string(
                                'Subnet of the fixed IP address of the external gateway.',
                                ref='neutron.subnet',
                                wire='subnet_id',
                            ),
                        },
                    ),
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
            },
            update_allowed=True,
        ),
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
        'admin_state_up': text('Administrative state that Neutron shows for the router.'),
        'external_gateway_info': map_attribute('External gateway that Neutron shows.'),
        'name': text('Name of the router.'),
        'status': text('Status of the router.'),
        'tenant_id': text('Id of the project that owns the router.'),
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
