"""OS::Octavia::Pool."""

from heat_lite.resources.base.property_rules import empty, filled, for_each, one_of, refuse
from heat_lite.resources.openstack.octavia.base import OctaviaResource, async_rest
from heat_lite.template.schema import (
    CACHE_NONE,
    description_property,
    list_attribute,
    map_,
    name_property,
    string,
    switch,
    text,
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
        ),
        'admin_state_up': switch('Administrative state of the pool.'),
        'description': description_property(default=''),
        'listener': string(
            'Listener that has the pool as its default pool, by name or id.',
            ref='octavia.listener',
            wire='listener_id',
        ),
        'loadbalancer': string(
            'Load balancer of the pool, by name or id.',
            ref='octavia.loadbalancer',
            wire='loadbalancer_id',
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
            },
            update_allowed=True,
        ),
        'tls_enabled': switch(
            'Whether connections to the members use TLS.', default=False, since='14.0.0'
        ),
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
        'healthmonitor_id': text('Id of the health monitor.'),
        'listeners': text('Listeners of the pool.'),
        'members': list_attribute('Ids of the members.', cache_mode=CACHE_NONE),
    }

    def body(self, values):
        """Return the values with one parent: Octavia refuses a listener and a load balancer."""
        return {
            name: value
            for name, value in values.items()
            if name != 'loadbalancer_id' or 'listener_id' not in values
        }
