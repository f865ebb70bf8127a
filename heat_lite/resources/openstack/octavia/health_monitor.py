"""OS::Octavia::HealthMonitor."""

from heat_lite.resources.openstack.octavia.base import OctaviaResource, async_rest
from heat_lite.template.schema import integer, list_attribute, string, switch


class HealthMonitor(OctaviaResource):
    """A health monitor of a pool."""

    resource_type = 'OS::Octavia::HealthMonitor'
    since = '10.0.0'
    rest = async_rest('/lbaas/healthmonitors', 'healthmonitor')
    entity = None

    properties_schema = {
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
        'pool': string(
            'Pool to monitor, by name or id.', required=True, ref='octavia.pool', wire='pool_id'
        ),
        'timeout': integer(
            'Timeout of a check in seconds.', required=True, update_allowed=True, min=0
        ),
        'type': string(
            'Type of the health check.',
            required=True,
            allowed=['PING', 'TCP', 'HTTP', 'HTTPS', 'UDP-CONNECT'],
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
    }
    attributes_schema = {'pools': list_attribute('Pools that the health monitor checks.')}
