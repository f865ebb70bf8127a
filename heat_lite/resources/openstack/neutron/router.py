"""OS::Neutron::Router."""

from heat_lite.common import exception
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron import agents, neighbours
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import boolean, list_, map_, map_attribute, string, text


class Router(NeutronResource):
    """A router between networks, with a gateway to the outside where one is wanted."""

    resource_type = 'OS::Neutron::Router'
    rest = Rest('neutron', '/routers', 'router', ready=('ACTIVE', 'DOWN'), extension='router')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'availability_zone_hints': list_(
            'Availability zones in which it had best live.', update_allowed=True, support=support.since('19.0.0')
        ),
        'distributed': boolean('Whether it lives on all hosts; only an administrator may say so.', support=support.since('2015.1')),
        'external_gateway_info': map_(
            'Its way out.',
            {
                'enable_snat': boolean('Whether it hides what is inside behind its own address.', update_allowed=True),
                'external_fixed_ips': list_(
                    'Its addresses outside.',
                    map_(
                        None,
                        {
                            'ip_address': string('The address.', constraints=[CustomConstraint('ip_addr')]),
                            'subnet': string('The subnet of the address.', ref='neutron.subnet', wire='subnet_id'),
                        },
                    ),
                    update_allowed=True,
                    support=support.since('6.0.0'),
                ),
                'network': string(
                    'The external network, by name or id.',
                    required=True,
                    update_allowed=True,
                    wire='network_id',
                    resolves='neutron.network',
                ),
            },
            update_allowed=True,
        ),
        'ha': boolean('Whether it is highly available; only an administrator may say so.', support=support.since('2015.1')),
        'l3_agent_id': string(
            'The agent that runs it.',
            update_allowed=True,
            support=support.hidden('6.0.0', previous=support.deprecated('2015.1', previous='2014.1')),
            sent=False,
        ),
        'l3_agent_ids': list_(
            'The agents that run it; only an administrator may say so.',
            string(),
            update_allowed=True,
            support=support.since('2015.1'),
            sent=False,
        ),
        'tags': list_('Labels; the set is kept as it is here.', string(), update_allowed=True, support=support.since('9.0.0'), sent=False),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.', support=support.since('24.0.0')),
        'value_specs': map_(
            'Further keys for the request, for what extensions of the service understand.', default={}, update_allowed=True, sent=False
        ),
    }
    attributes_schema = {
        'admin_state_up': text('Whether it is switched on.'),
        'external_gateway_info': map_attribute('Its way out.'),
        'name': text('Its name.'),
        'status': text('Its status.'),
        'tenant_id': text('The project that owns it.'),
    }

    def validate(self):
        super().validate()
        one, many = self.properties['l3_agent_id'], self.properties['l3_agent_ids']
        if one and many:
            raise exception.ResourcePropertyConflict('l3_agent_id', 'l3_agent_ids')
        if self.properties['distributed'] and (one or many):
            raise exception.ResourcePropertyConflict('distributed', 'l3_agent_id/l3_agent_ids')

    def implied_dependencies(self, others):
        """The subnets of the network outside, which it wants an address of."""
        outside = neighbours.value(self, self.definition, 'external_gateway_info', 'network')
        return neighbours.subnets_of(self, others, outside)

    def changes(self, changed, diff):
        if changed.get('external_gateway_info', True) is None:
            changed['external_gateway_info'] = {}
        return super().changes(changed, diff)

    def after(self, action, diff):
        yield from super().after(action, diff)
        if 'l3_agent_ids' in diff or 'l3_agent_id' in diff:
            yield from agents.assign(self, agents.L3, self.properties['l3_agent_ids'] or [self.properties['l3_agent_id']])
