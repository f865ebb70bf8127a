"""OS::Octavia::LoadBalancer, its listeners, and their layer 7 policies and rules."""

from heat_lite.resources.base.property_rules import given, missing, only_with, refuse
from heat_lite.resources.openstack.octavia.base import OctaviaResource, async_rest
from heat_lite.template.schema import (
    attributes,
    description_property,
    integer,
    list_,
    list_attribute,
    name_property,
    number,
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
    attributes_schema = attributes(
        {
            'flavor_id': 'Id of the flavor of the load balancer.',
            'pools': list_attribute('Pools of the load balancer.'),
            'vip_address': 'Virtual IP address that Octavia shows.',
            'vip_port_id': 'Id of the port of the virtual IP address.',
            'vip_subnet_id': 'Id of the subnet of the virtual IP address.',
        }
    )


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


_NOT_REQUIRED = (
    'Properties redirect_pool and redirect_url are not required when action type is set to REJECT.'
)


def _requires(name, action):
    text = f'Property {name} is required when action type is set to {action}.'
    return refuse(text, action=(action,), **{name: missing})


class L7Policy(OctaviaResource):
    """A layer 7 policy: the action of a listener for requests that match rules."""

    resource_type = 'OS::Octavia::L7Policy'
    since = '10.0.0'
    rest = async_rest('/lbaas/l7policies', 'l7policy')
    entity = None

    properties_schema = {
        'name': name_property(),
        'action': string(
            'Action for requests that match the rules.',
            required=True,
            update_allowed=True,
            allowed=['REJECT', 'REDIRECT_TO_POOL', 'REDIRECT_TO_URL'],
        ),
        'listener': string(
            'Listener of the policy, by name or id.',
            required=True,
            ref='octavia.listener',
            wire='listener_id',
        ),
        'admin_state_up': switch('Administrative state of the policy.'),
        'description': description_property(),
        'position': number(
            'Position of the policy in the list of the listener.', update_allowed=True, min=1
        ),
        'redirect_pool': string(
            'Pool to which requests are sent, by name or id.',
            update_allowed=True,
            ref='octavia.pool',
            wire='redirect_pool_id',
        ),
        'redirect_url': string('URL to which clients are redirected.', update_allowed=True),
    }
    property_rules = (
        refuse(_NOT_REQUIRED, action=('REJECT',), redirect_pool=given),
        refuse(_NOT_REQUIRED, action=('REJECT',), redirect_url=given),
        only_with('redirect_url', 'action', 'REDIRECT_TO_URL'),
        only_with('redirect_pool', 'action', 'REDIRECT_TO_POOL'),
        _requires('redirect_pool', 'REDIRECT_TO_POOL'),
        _requires('redirect_url', 'REDIRECT_TO_URL'),
    )
    attributes_schema = {'rules': list_attribute('Rules of the layer 7 policy.')}


class L7Rule(OctaviaResource):
    """A layer 7 rule: a condition of a layer 7 policy."""

    resource_type = 'OS::Octavia::L7Rule'
    since = '10.0.0'
    rest = async_rest('/lbaas/l7policies/{l7policy}/rules', 'rule')
    entity = None

    properties_schema = {
        'compare_type': string(
            'Comparison of the rule.',
            required=True,
            update_allowed=True,
            allowed=['REGEX', 'STARTS_WITH', 'ENDS_WITH', 'CONTAINS', 'EQUAL_TO'],
        ),
        'l7policy': string(
            'Layer 7 policy of the rule, by name or id.',
            required=True,
            ref='octavia.l7policy',
            sent=False,
        ),
        'type': string(
            'Part of the request that is compared.',
            required=True,
            update_allowed=True,
            allowed=['HOST_NAME', 'PATH', 'FILE_TYPE', 'HEADER', 'COOKIE'],
        ),
        'value': string(
            'Value to compare the part of the request with.', required=True, update_allowed=True
        ),
        'admin_state_up': switch('Administrative state of the rule.'),
        'invert': switch('Whether the result of the comparison is inverted.', default=False),
        'key': string('Name of the header or the cookie to compare.', update_allowed=True),
    }
    property_rules = (
        refuse(
            'Property key is missing. This property should be specified for rules of HEADER and '
            'COOKIE types.',
            type=('HEADER', 'COOKIE'),
            key=missing,
        ),
    )
