"""OS::Octavia::Pool, its members and its health monitor."""

from heat_lite.resources.base.property_rules import empty, filled, for_each, one_of, refuse
from heat_lite.resources.openstack.octavia.base import (
    OctaviaResource,
    async_rest,
    specs_property,
    tags_property,
    tls_properties,
)
from heat_lite.template.schema import (
    CACHE_NONE,
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
)


class Pool(OctaviaResource):
    """A pool of members that serve the requests of a load balancer."""

    resource_type = 'OS::Octavia::Pool'
    since = '10.0.0'
    rest = async_rest('/lbaas/pools', 'pool')
    entity = None

    properties_schema = {
        'name': name_property(),
        'lb_algorithm': string(
            'Algorithm that distributes requests to the members.',
            required=True,
            update_allowed=True,
            allowed=['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'],
        ),
        'protocol': string(
            'Protocol of the members.',
            required=True,
            allowed=['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROXY', 'UDP'],
            ours=['PROXYV2', 'SCTP'],
        ),
        'admin_state_up': switch('Administrative state of the pool.'),
        'description': description_property(default=''),
        'listener': reference(
            'octavia.listener', 'Listener that has the pool as its default pool, by name or id.'
        ),
        'loadbalancer': reference(
            'octavia.loadbalancer', 'Load balancer of the pool, by name or id.'
        ),
        'session_persistence': map_(
            'Session persistence: how requests of a client reach the same member.',
            {
                'cookie_name': string('Name of the cookie for APP_COOKIE.'),
                'type': string(
                    'Type of the session persistence.',
                    required=True,
                    allowed=['SOURCE_IP', 'HTTP_COOKIE', 'APP_COOKIE'],
                ),
                'persistence_granularity': string(
                    'Netmask of the clients that count as one, for UDP and SCTP.',
                    custom='ip_addr',
                    since=OURS,
                ),
                'persistence_timeout': integer(
                    'Seconds for which a client reaches the same member, for UDP and SCTP.',
                    min=0,
                    since=OURS,
                ),
            },
            update_allowed=True,
        ),
        'tls_enabled': switch(
            'Whether connections to the members use TLS.', default=False, since='14.0.0'
        ),
        'ca_tls_container_ref': string(
            'URL of the secret with the certificate of the authority of the members.',
            update_allowed=True,
            since=OURS,
        ),
        'crl_container_ref': string(
            'URL of the secret with the list of revoked certificates of members.',
            update_allowed=True,
            since=OURS,
        ),
        'tls_container_ref': string(
            'URL of the secret with the certificate that the members get.',
            update_allowed=True,
            since=OURS,
        ),
        **tls_properties('pool'),
        'tags': tags_property('pool'),
        'value_specs': specs_property('pool'),
    }
    property_rules = (
        one_of('listener', 'loadbalancer'),
        for_each(
            'session_persistence',
            refuse(
                'Property cookie_name is required when session_persistence type is set to '
                'APP_COOKIE.',
                type=('APP_COOKIE',),
                cookie_name=empty,
            ),
            refuse(
                'Property cookie_name must NOT be specified when session_persistence type is set '
                'to SOURCE_IP.',
                type=('SOURCE_IP',),
                cookie_name=filled,
            ),
        ),
    )
    attributes_schema = {
        'healthmonitor_id': 'Id of the health monitor.',
        'listeners': 'Listeners of the pool.',
        'members': list_attribute('Ids of the members.', cache_mode=CACHE_NONE),
    }

    def body(self, values):
        """Return the values with one parent: Octavia refuses a listener and a load balancer."""
        return {
            name: value
            for name, value in values.items()
            if name != 'loadbalancer_id' or 'listener_id' not in values
        }


class PoolMember(OctaviaResource):
    """A member of a pool."""

    resource_type = 'OS::Octavia::PoolMember'
    since = '10.0.0'
    rest = async_rest('/lbaas/pools/{pool}/members', 'member')
    entity = None

    properties_schema = {
        'name': name_property(since=OURS),
        'address': string('IP address of the member.', required=True, custom='ip_addr'),
        'pool': parent('octavia.pool', 'Pool of the member, by name or id.'),
        'protocol_port': port_number('Protocol port of the member.', required=True),
        'admin_state_up': switch('Administrative state of the member.'),
        'monitor_address': string(
            'IP address for health checks, if it is another one.',
            update_allowed=True,
            custom='ip_addr',
        ),
        'monitor_port': port_number(
            'Port for health checks, if it is another one.', update_allowed=True
        ),
        'subnet': reference(
            'neutron.subnet', 'Subnet from which the member is reached, by name or id.'
        ),
        'tags': list_('Tags of the member.', update_allowed=True, since='13.0.0'),
        'weight': integer(
            'Weight of the member: its share of the requests.',
            default=1,
            update_allowed=True,
            min=0,
            max=256,
        ),
        'backup': boolean(
            'Whether the member gets requests only if no other one can serve them.',
            update_allowed=True,
            since=OURS,
        ),
        'request_sriov': boolean(
            'Whether the member is reached by an SR-IOV port, where the provider has one.',
            since=OURS,
        ),
        'value_specs': specs_property('member'),
    }


class HealthMonitor(OctaviaResource):
    """A health monitor of a pool."""

    resource_type = 'OS::Octavia::HealthMonitor'
    since = '10.0.0'
    rest = async_rest('/lbaas/healthmonitors', 'healthmonitor')
    entity = None

    properties_schema = {
        'name': name_property(since=OURS),
        'delay': integer(
            'Interval between two checks in seconds.', required=True, update_allowed=True, min=0
        ),
        'max_retries': integer(
            'Number of consecutive results that change the status of a member.',
            required=True,
            update_allowed=True,
            min=1,
            max=10,
        ),
        'pool': reference('octavia.pool', 'Pool to monitor, by name or id.', required=True),
        'timeout': integer(
            'Timeout of a check in seconds.', required=True, update_allowed=True, min=0
        ),
        'type': string(
            'Type of the health check.',
            required=True,
            allowed=['PING', 'TCP', 'HTTP', 'HTTPS', 'UDP-CONNECT'],
            ours=['SCTP', 'TLS-HELLO'],
        ),
        'admin_state_up': switch('Administrative state of the health monitor.'),
        'expected_codes': string('HTTP status codes of a healthy member.', update_allowed=True),
        'http_method': string(
            'HTTP method of the check.',
            update_allowed=True,
            allowed=[
                'GET',
                'HEAD',
                'POST',
                'PUT',
                'DELETE',
                'TRACE',
                'OPTIONS',
                'CONNECT',
                'PATCH',
            ],
        ),
        'tenant_id': string(
            'Project of the health monitor. Requires administrator rights.', wire='project_id'
        ),
        'url_path': string('HTTP path of the check.', update_allowed=True),
        'domain_name': string(
            'Domain name in the Host header of the check, with HTTP 1.1.',
            update_allowed=True,
            since=OURS,
        ),
        'http_version': number(
            'HTTP version of the check.', update_allowed=True, allowed=[1.0, 1.1], since=OURS
        ),
        'max_retries_down': integer(
            'Number of consecutive failures after which a member is in error.',
            update_allowed=True,
            min=1,
            max=10,
            since=OURS,
        ),
        'tags': tags_property('health monitor'),
        'value_specs': specs_property('health monitor'),
    }
    attributes_schema = {'pools': list_attribute('Pools that the health monitor checks.')}
