"""OS::Neutron::ProviderNet."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint
from heat_lite.template.schema import boolean, list_, list_attribute, string, text


class ProviderNet(NeutronResource):
    """A network of which an administrator says how it is carried."""

    resource_type = 'OS::Neutron::ProviderNet'
    support_status = support.since('2014.1')
    rest = Rest('neutron', '/networks', 'network', ready=('ACTIVE', 'DOWN'), extension='provider')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'network_type': string(
            'How it is carried.',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['local', 'vlan', 'vxlan', 'gre', 'geneve', 'flat'])],
            wire='provider:network_type',
        ),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'availability_zone_hints': list_(
            'Availability zones in which it had best live.', update_allowed=True, support=support.since('19.0.0')
        ),
        'dns_domain': string(
            'The DNS domain of its ports, with a dot at its end.',
            update_allowed=True,
            constraints=[CustomConstraint('dns_domain')],
            support=support.since('15.0.0'),
        ),
        'physical_network': string('The physical network that carries it.', update_allowed=True, wire='provider:physical_network'),
        'port_security_enabled': boolean(
            'Whether addresses of ports are guarded against spoofing.', update_allowed=True, support=support.since('8.0.0')
        ),
        'router_external': boolean(
            'Whether routers may use it as their way out.',
            default=False,
            update_allowed=True,
            support=support.since('6.0.0'),
            wire='router:external',
        ),
        'segmentation_id': string('Its VLAN or tunnel number.', update_allowed=True, wire='provider:segmentation_id'),
        'shared': boolean('Whether other projects may use it.', default=True, update_allowed=True),
        'tags': list_('Labels; the set is kept as it is here.', string(), update_allowed=True, support=support.since('12.0.0'), sent=False),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.', support=support.since('24.0.0')),
    }
    attributes_schema = {
        'segments': list_attribute('The segments that it is made of.', support=support.since('16.0.0')),
        'status': text('Its status.'),
        'subnets': list_attribute('The ids of its subnets.'),
    }

    def resolve_attribute(self, name):
        if name == 'segments':
            return self.client().list('/segments', 'segments', network_id=self.resource_id)
        return super().resolve_attribute(name)
