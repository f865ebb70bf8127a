"""OS::Octavia::Listener."""

from heat_lite.resources.openstack.octavia.base import OctaviaResource, waited_for
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import boolean, integer, list_, list_attribute, string, text


class Listener(OctaviaResource):
    """A port at which a load balancer listens."""

    resource_type = 'OS::Octavia::Listener'
    support_status = support.since('10.0.0')
    rest = waited_for('/lbaas/listeners', 'listener')
    entity = None
    default_client_name = 'octavia'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'loadbalancer': string('The load balancer, by name or id.', required=True, ref='octavia.loadbalancer', wire='loadbalancer_id'),
        'protocol': string(
            'The protocol.', required=True, constraints=[AllowedValues(['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROXY', 'UDP'])]
        ),
        'protocol_port': integer('The port number.', required=True, constraints=[Range(min=1, max=65535)]),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'allowed_cidrs': list_(
            'The addresses that may connect.',
            string(constraints=[CustomConstraint('net_cidr')]),
            update_allowed=True,
            support=support.since('14.0.0'),
        ),
        'connection_limit': integer(
            'How many connections there may be at a time; -1 means any number.',
            default=-1,
            update_allowed=True,
            constraints=[Range(min=-1)],
        ),
        'default_pool': string(
            'The pool that does the work unless a policy says otherwise, by name or id.',
            update_allowed=True,
            ref='octavia.pool',
            wire='default_pool_id',
        ),
        'default_tls_container_ref': string('The certificate that it shows.', update_allowed=True),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'sni_container_refs': list_('The certificates that it shows for certain names.', update_allowed=True),
        'tenant_id': string('The project that owns it; only an administrator may say so.', wire='project_id'),
    }
    attributes_schema = {
        'default_pool_id': text('The pool that does the work unless a policy says otherwise.'),
        'loadbalancers': list_attribute('Its load balancers.'),
    }
