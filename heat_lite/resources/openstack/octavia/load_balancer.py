"""OS::Octavia::LoadBalancer, its listeners, and their layer 7 policies and rules."""

from heat_lite.resources.base.added_object import AddedObject
from heat_lite.resources.base.property_rules import (
    filled,
    given,
    missing,
    needs,
    one_of,
    only_with,
    refuse,
)
from heat_lite.resources.openstack.octavia.base import (
    OctaviaResource,
    async_rest,
    specs_property,
    tags_property,
    tls_properties,
)
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    integer,
    list_,
    list_attribute,
    map_,
    name_property,
    number,
    parent,
    port_number,
    reference,
    string,
    switch,
    text,
)

#: milliseconds: 24 days
LONGEST_TIMEOUT = 24 * 24 * 60 * 60 * 1000


class LoadBalancer(OctaviaResource):
    """A load balancer."""

    resource_type = 'OS::Octavia::LoadBalancer'
    since = '10.0.0'
    rest = async_rest('/lbaas/loadbalancers', 'loadbalancer')
    entity = None

    properties_schema = {
        'name': name_property(),
        'vip_subnet': reference(
            'neutron.subnet',
            'Subnet of the virtual IP address, by name or id. Heat requires it; here a network or '
            'a port can stand in its place.',
        ),
        'additional_vips': list_(
            'Further virtual IP addresses of the load balancer.',
            {
                'subnet': reference(
                    'neutron.subnet', 'Subnet of the address, by name or id.', required=True
                ),
                'ip_address': string(
                    'The address. If omitted, one is allocated.', custom='ip_addr'
                ),
            },
            since=OURS,
        ),
        'admin_state_up': switch('Administrative state of the load balancer.'),
        'availability_zone': string(
            'Availability zone of the load balancer.',
            ref='octavia.availabilityzone',
            since='17.0.0',
        ),
        'description': description_property(default=''),
        'flavor': reference(
            'octavia.flavor', 'Flavor of the load balancer, by name or id.', since='14.0.0'
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
        'vip_network': reference(
            'neutron.network',
            'Network of the virtual IP address, by name or id. Octavia selects the subnet.',
            since=OURS,
        ),
        'vip_port': reference(
            'neutron.port', 'Existing port with the virtual IP address, by name or id.', since=OURS
        ),
        'vip_qos_policy': reference(
            'neutron.qos_policy',
            'QoS policy of the virtual IP address, by name or id.',
            update_allowed=True,
            since=OURS,
        ),
        'vip_security_groups': list_(
            'Security groups of the virtual IP address, by name or id, in place of those that '
            'Octavia makes.',
            string(ref='neutron.security_group'),
            update_allowed=True,
            wire='vip_sg_ids',
            since=OURS,
        ),
        'tags': tags_property('load balancer'),
        'value_specs': specs_property('load balancer'),
    }
    property_rules = (one_of('vip_subnet', 'vip_network', 'vip_port'),)
    attributes_schema = {
        'flavor_id': 'Id of the flavor of the load balancer.',
        'pools': list_attribute('Pools of the load balancer.'),
        'vip_address': 'Virtual IP address that Octavia shows.',
        'vip_network_id': text('Id of the network of the virtual IP address.', since=OURS),
        'vip_port_id': 'Id of the port of the virtual IP address.',
        'vip_subnet_id': 'Id of the subnet of the virtual IP address.',
    }

    def described(self, found):
        """Return the properties without the port, which Octavia makes and deletes, and the network,
        which the subnet tells.
        """
        found = {
            name: found[name] for name in found if name not in ('vip_port_id', 'vip_network_id')
        }
        return super().described(found)


def _timeout(text):
    return integer(
        f'Milliseconds {text}.', update_allowed=True, min=0, max=LONGEST_TIMEOUT, since=OURS
    )


class Listener(OctaviaResource):
    """A listener: a protocol and port of a load balancer."""

    resource_type = 'OS::Octavia::Listener'
    since = '10.0.0'
    rest = async_rest('/lbaas/listeners', 'listener')
    entity = None

    properties_schema = {
        'name': name_property(),
        'loadbalancer': reference(
            'octavia.loadbalancer', 'Load balancer of the listener, by name or id.', required=True
        ),
        'protocol': string(
            'Protocol of the listener.',
            required=True,
            allowed=['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROXY', 'UDP'],
            ours=['SCTP', 'PROMETHEUS'],
        ),
        'protocol_port': port_number('Protocol port of the listener.', required=True),
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
        'default_pool': reference(
            'octavia.pool', 'Default pool of the listener, by name or id.', update_allowed=True
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
        'client_authentication': string(
            'Whether clients present a certificate.',
            update_allowed=True,
            allowed=['NONE', 'OPTIONAL', 'MANDATORY'],
            since=OURS,
        ),
        'client_ca_tls_container_ref': string(
            'URL of the secret with the certificates of the authorities of clients.',
            update_allowed=True,
            since=OURS,
        ),
        'client_crl_container_ref': string(
            'URL of the secret with the list of revoked certificates of clients.',
            update_allowed=True,
            since=OURS,
        ),
        'hsts_include_subdomains': boolean(
            'Whether HTTP Strict Transport Security concerns the subdomains, too.',
            update_allowed=True,
            since=OURS,
        ),
        'hsts_max_age': integer(
            'Seconds for which clients use TLS only (HTTP Strict Transport Security).',
            update_allowed=True,
            min=0,
            since=OURS,
        ),
        'hsts_preload': boolean(
            'Whether the domain may be in the HSTS preload lists of browsers.',
            update_allowed=True,
            since=OURS,
        ),
        'insert_headers': map_(
            'Headers that are inserted into requests to members, such as X-Forwarded-For: "true".',
            update_allowed=True,
            since=OURS,
        ),
        'timeout_client_data': _timeout('without data from the client'),
        'timeout_member_connect': _timeout('for the connection to a member'),
        'timeout_member_data': _timeout('without data from the member'),
        'timeout_tcp_inspect': _timeout('to wait for further TCP packets for content inspection'),
        **tls_properties('listener'),
        'tags': tags_property('listener'),
        'value_specs': specs_property('listener'),
    }
    property_rules = (
        refuse(
            'Property default_tls_container_ref required when protocol is TERMINATED_HTTPS.',
            protocol=('TERMINATED_HTTPS',),
            default_tls_container_ref=missing,
        ),
        needs('hsts_include_subdomains', 'hsts_max_age', given=filled),
        needs('hsts_preload', 'hsts_max_age', given=filled),
    )
    attributes_schema = {
        'default_pool_id': 'Id of the default pool.',
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
            ours=['REDIRECT_PREFIX'],
        ),
        'listener': reference(
            'octavia.listener', 'Listener of the policy, by name or id.', required=True
        ),
        'admin_state_up': switch('Administrative state of the policy.'),
        'description': description_property(),
        'position': number(
            'Position of the policy in the list of the listener.', update_allowed=True, min=1
        ),
        'redirect_pool': reference(
            'octavia.pool', 'Pool to which requests are sent, by name or id.', update_allowed=True
        ),
        'redirect_url': string('URL to which clients are redirected.', update_allowed=True),
        'redirect_http_code': integer(
            'HTTP status with which clients are redirected.',
            update_allowed=True,
            allowed=[301, 302, 303, 307, 308],
            since=OURS,
        ),
        'redirect_prefix': string(
            'URL to which clients are redirected, with the path of their request behind it.',
            update_allowed=True,
            since=OURS,
        ),
        'tags': tags_property('layer 7 policy'),
        'value_specs': specs_property('layer 7 policy'),
    }
    property_rules = (
        refuse(_NOT_REQUIRED, action=('REJECT',), redirect_pool=given),
        refuse(_NOT_REQUIRED, action=('REJECT',), redirect_url=given),
        only_with('redirect_url', 'action', 'REDIRECT_TO_URL'),
        only_with('redirect_pool', 'action', 'REDIRECT_TO_POOL'),
        _requires('redirect_pool', 'REDIRECT_TO_POOL'),
        _requires('redirect_url', 'REDIRECT_TO_URL'),
        only_with('redirect_prefix', 'action', 'REDIRECT_PREFIX'),
        _requires('redirect_prefix', 'REDIRECT_PREFIX'),
    )
    attributes_schema = {'rules': list_attribute('Rules of the layer 7 policy.')}


class L7Rule(AddedObject, OctaviaResource):
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
        'l7policy': parent('octavia.l7policy', 'Layer 7 policy of the rule, by name or id.'),
        'type': string(
            'Part of the request that is compared.',
            required=True,
            update_allowed=True,
            allowed=['HOST_NAME', 'PATH', 'FILE_TYPE', 'HEADER', 'COOKIE'],
            ours=['SSL_CONN_HAS_CERT', 'SSL_VERIFY_RESULT', 'SSL_DN_FIELD'],
        ),
        'value': string(
            'Value to compare the part of the request with.', required=True, update_allowed=True
        ),
        'admin_state_up': switch('Administrative state of the rule.'),
        'invert': switch('Whether the result of the comparison is inverted.', default=False),
        'key': string('Name of the header or the cookie to compare.', update_allowed=True),
        'tags': tags_property('layer 7 rule'),
        'value_specs': specs_property('layer 7 rule'),
    }
    property_rules = (
        refuse(
            'Property key is missing. This property should be specified for rules of HEADER and '
            'COOKIE types.',
            type=('HEADER', 'COOKIE'),
            key=missing,
        ),
    )
