"""OS::Octavia::LoadBalancer and OS::Octavia::Listener."""

from heat_lite.resources.base.property_rules import missing, refuse
from heat_lite.resources.openstack.octavia.base import OctaviaResource, async_rest
from heat_lite.template.schema import (
    description_property,
    integer,
    list_,
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


class Listener(OctaviaResource):
    """A listener: a protocol and port of a load balancer."""

    resource_type = 'OS::Octavia::Listener'
    since = '10.0.0'
    rest = async_rest('/lbaas/listeners', 'listener')
    entity = None

    properties_schema = {
        'name': name_property(),
        'loadbalancer': string(
            'Load balancer of the listener, by name or id.',
            required=True,
            ref='octavia.loadbalancer',
            wire='loadbalancer_id',
        ),
        'protocol': string(
            'Protocol of the listener.',
            required=True,
            allowed=['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROXY', 'UDP'],
        ),
        'protocol_port': integer('Protocol port of the listener.', required=True, min=1, max=65535),
        'admin_state_up': switch('Administrative state of the listener.'),
        'allowed_cidrs': list_(
            'CIDRs that may connect to the listener.',
            string(custom='net_cidr'),
            update_allowed=True,
            since='14.0.0',
        ),
        'connection_limit': integer(
            'Largest number of connections; -1 means unlimited.',
            default=-1,
            update_allowed=True,
            min=-1,
        ),
        'default_pool': string(
            'Default pool of the listener, by name or id.',
            update_allowed=True,
            ref='octavia.pool',
            wire='default_pool_id',
        ),
        'default_tls_container_ref': string(
            'URL of the secret with the TLS certificate.', update_allowed=True
        ),
        'description': description_property(default=''),
        'sni_container_refs': list_(
            'URLs of the secrets with the certificates for Server Name Indication.',
            update_allowed=True,
        ),
        'tenant_id': string(
            'Project of the listener. Requires administrator rights.', wire='project_id'
        ),
    }
    property_rules = (
        refuse(
            'Property default_tls_container_ref required when protocol is TERMINATED_HTTPS.',
            protocol=('TERMINATED_HTTPS',),
            default_tls_container_ref=missing,
        ),
    )
    attributes_schema = {
        'default_pool_id': text('Id of the default pool.'),
        'loadbalancers': list_attribute('Load balancers of the listener.'),
    }
