"""OS::Octavia::Listener."""

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
