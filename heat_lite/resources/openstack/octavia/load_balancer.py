"""OS::Octavia::LoadBalancer."""

from heat_lite.resources.openstack.octavia.base import OctaviaResource, async_rest
from heat_lite.template.schema import (
    description_property,
    list_attribute,
    name_property,
    string,
    switch,
    text,
)


class LoadBalancer(OctaviaResource):
    """A load balancer."""

    resource_type = 'OS::Octavia::LoadBalancer'
    since = '10.0.0'
    rest = async_rest('/lbaas/loadbalancers', 'loadbalancer')
    entity = None

    properties_schema = {
        'name': name_property(),
        'vip_subnet': string(
            'Subnet of the virtual IP address, by name or id.',
            required=True,
            ref='neutron.subnet',
            wire='vip_subnet_id',
        ),
        'admin_state_up': switch('Administrative state of the load balancer.'),
        'availability_zone': string(
            'Availability zone of the load balancer.',
            ref='octavia.availabilityzone',
            since='17.0.0',
        ),
        'description': description_property(default=''),
        'flavor': string(
            'Flavor of the load balancer, by name or id.',
            ref='octavia.flavor',
            since='14.0.0',
            wire='flavor_id',
        ),
        'provider': string('Provider of the load balancer.'),
        'tenant_id': string(
            'Project of the load balancer. Requires administrator rights.',
            ref='keystone.project',
            wire='project_id',
        ),
        'vip_address': string(
            'Virtual IP address of the load balancer. If omitted, one is allocated.',
            custom='ip_addr',
        ),
    }
    attributes_schema = {
        'flavor_id': text('Id of the flavor of the load balancer.'),
        'pools': list_attribute('Pools of the load balancer.'),
        'vip_address': text('Virtual IP address that Octavia shows.'),
        'vip_port_id': text('Id of the port of the virtual IP address.'),
        'vip_subnet_id': text('Id of the subnet of the virtual IP address.'),
    }
