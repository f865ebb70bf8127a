"""OS::Octavia::HealthMonitor."""

from heat_lite.resources.openstack.octavia.base import OctaviaResource, waited_for
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import boolean, integer, list_attribute, string


class HealthMonitor(OctaviaResource):
    """What watches the health of a pool."""

    resource_type = 'OS::Octavia::HealthMonitor'
    support_status = support.since('10.0.0')
    rest = waited_for('/lbaas/healthmonitors', 'healthmonitor')
    entity = None
    default_client_name = 'octavia'

    properties_schema = {
        'delay': integer('Seconds between two questions.', required=True, update_allowed=True, constraints=[Range(min=0)]),
        'max_retries': integer(
            'How many answers in a row change its mind.', required=True, update_allowed=True, constraints=[Range(min=1, max=10)]
        ),
        'pool': string('The pool, by name or id.', required=True, ref='octavia.pool', wire='pool_id'),
        'timeout': integer('Seconds that an answer may take.', required=True, update_allowed=True, constraints=[Range(min=0)]),
        'type': string('How it asks.', required=True, constraints=[AllowedValues(['PING', 'TCP', 'HTTP', 'HTTPS', 'UDP-CONNECT'])]),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'expected_codes': string('The answers of a healthy one.', update_allowed=True),
        'http_method': string(
            'The method of the question.',
            update_allowed=True,
            constraints=[AllowedValues(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'OPTIONS', 'CONNECT', 'PATCH'])],
        ),
        'tenant_id': string('The project that owns it; only an administrator may say so.', wire='project_id'),
        'url_path': string('The path of the question.', update_allowed=True),
    }
    attributes_schema = {
        'pools': list_attribute('The pools that it watches.'),
    }
