"""OS::Octavia::Pool."""

from heat_lite.common import exception
from heat_lite.resources.openstack.octavia.base import OctaviaResource, waited_for
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import CACHE_NONE, boolean, list_attribute, map_, string, text


class Pool(OctaviaResource):
    """Those who do the work behind a load balancer."""

    resource_type = 'OS::Octavia::Pool'
    support_status = support.since('10.0.0')
    rest = waited_for('/lbaas/pools', 'pool')
    entity = None
    default_client_name = 'octavia'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'lb_algorithm': string(
            'Who is next.',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'])],
        ),
        'protocol': string(
            'The protocol that they speak.',
            required=True,
            constraints=[AllowedValues(['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROXY', 'UDP'])],
        ),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'listener': string('The listener that they work for, by name or id.', ref='octavia.listener', wire='listener_id'),
        'loadbalancer': string('The load balancer that they work for, by name or id.', ref='octavia.loadbalancer', wire='loadbalancer_id'),
        'session_persistence': map_(
            'How the same client comes to the same one again.',
            {
                'cookie_name': string('The name of the cookie that does.'),
                'type': string(
                    'What tells clients apart.', required=True, constraints=[AllowedValues(['SOURCE_IP', 'HTTP_COOKIE', 'APP_COOKIE'])]
                ),
            },
            update_allowed=True,
        ),
        'tls_enabled': boolean('Whether they are talked to by TLS.', default=False, update_allowed=True, support=support.since('14.0.0')),
    }
    attributes_schema = {
        'healthmonitor_id': text('What watches their health.'),
        'listeners': text('The listeners that they work for.'),
        'members': list_attribute('Their ids.', cache_mode=CACHE_NONE),
    }

    def validate(self):
        super().validate()
        if not self.properties['listener'] and not self.properties['loadbalancer']:
            raise exception.PropertyUnspecifiedError('loadbalancer', 'listener')
        session = self.properties['session_persistence']
        if session is not None:
            _refuse_cookie(session['type'], session['cookie_name'])

    def body(self, values):
        """A listener has its load balancer: only one of them is named."""
        return {name: value for name, value in values.items() if name != 'loadbalancer_id' or 'listener_id' not in values}


def _refuse_cookie(kind, cookie):
    if kind == 'APP_COOKIE' and not cookie:
        raise exception.StackValidationFailed('Property cookie_name is required when session_persistence type is set to APP_COOKIE.')
    if kind != 'APP_COOKIE' and cookie:
        text = f'Property cookie_name must NOT be specified when session_persistence type is set to {kind}.'
        raise exception.StackValidationFailed(text)
