"""OS::Octavia::LoadBalancer."""

from heat_lite.resources.openstack.octavia.base import OctaviaResource, waited_for
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import boolean, list_attribute, string, text


class LoadBalancer(OctaviaResource):
    """A load balancer: an address behind which others do the work."""

    resource_type = 'OS::Octavia::LoadBalancer'
    support_status = support.since('10.0.0')
    rest = waited_for('/lbaas/loadbalancers', 'loadbalancer')
    entity = None
    default_client_name = 'octavia'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'vip_subnet': string('The subnet of its address, by name or id.', required=True, ref='neutron.subnet', wire='vip_subnet_id'),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'availability_zone': string('Where it lives.', ref='octavia.availabilityzone', support=support.since('17.0.0')),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'flavor': string(
            'What kind of load balancer it is, by name or id.', ref='octavia.flavor', support=support.since('14.0.0'), wire='flavor_id'
        ),
        'provider': string('Who provides it.'),
        'tenant_id': string('The project that owns it; only an administrator may say so.', ref='keystone.project', wire='project_id'),
        'vip_address': string('The address that it shall have.', constraints=[CustomConstraint('ip_addr')]),
    }
    attributes_schema = {
        'flavor_id': text('What kind of load balancer it is.'),
        'pools': list_attribute('Its pools.'),
        'vip_address': text('Its address.'),
        'vip_port_id': text('The port of its address.'),
        'vip_subnet_id': text('The subnet of its address.'),
    }
