"""OS::Neutron::Net."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron import agents
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import boolean, boolean_attribute, integer_attribute, list_, list_attribute, map_, string, text


class Net(NeutronResource):
    """A network: a layer 2 of its own."""

    resource_type = 'OS::Neutron::Net'
    rest = Rest('neutron', '/networks', 'network', ready=('ACTIVE', 'DOWN'))

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'availability_zone_hints': list_('Availability zones in which it had best live.', support=support.since('19.0.0')),
        'dhcp_agent_ids': list_('The DHCP agents that serve it; only an administrator may say so.', update_allowed=True, sent=False),
        'dns_domain': string(
            'The DNS domain of its ports, with a dot at its end.',
            update_allowed=True,
            constraints=[CustomConstraint('dns_domain')],
            support=support.since('7.0.0'),
        ),
        'port_security_enabled': boolean(
            'Whether addresses of ports are guarded against spoofing.', update_allowed=True, support=support.since('5.0.0')
        ),
        'qos_policy': string(
            'The QoS policy that applies to it, by name or id.',
            update_allowed=True,
            ref='neutron.qos_policy',
            support=support.since('6.0.0'),
            wire='qos_policy_id',
        ),
        'shared': boolean('Whether other projects may use it.', default=False, update_allowed=True),
        'tags': list_('Labels; the set is kept as it is here.', string(), update_allowed=True, support=support.since('9.0.0'), sent=False),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.'),
        'value_specs': map_(
            'Further keys for the request, for what extensions of the service understand.', default={}, update_allowed=True, sent=False
        ),
    }
    attributes_schema = {
        'admin_state_up': text('Whether it is switched on.'),
        'l2_adjacency': boolean_attribute('Whether all of its ports reach each other on layer 2.', support=support.since('9.0.0')),
        'mtu': integer_attribute('The largest packet that it carries.', support=support.since('5.0.0')),
        'name': text('Its name.'),
        'port_security_enabled': boolean_attribute(
            'Whether addresses of ports are guarded against spoofing.', support=support.since('5.0.0')
        ),
        'qos_policy_id': text('The id of its QoS policy.', support=support.since('6.0.0')),
        'segments': list_attribute('The segments that it is made of.', support=support.since('11.0.0')),
        'status': text('Its status.'),
        'subnets': list_attribute('The ids of its subnets.'),
        'tenant_id': text('The project that owns it.'),
    }

    def after(self, action, diff):
        yield from super().after(action, diff)
        if 'dhcp_agent_ids' in diff:
            yield from agents.assign(self, agents.DHCP, diff['dhcp_agent_ids'])

    def resolve_attribute(self, name):
        if name == 'segments':
            return self.client().list('/segments', 'segments', network_id=self.resource_id)
        return super().resolve_attribute(name)
