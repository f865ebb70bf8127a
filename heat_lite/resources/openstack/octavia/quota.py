"""OS::Octavia::Quota."""

from heat_lite.resources.base import quota


class Quota(quota.Quota):
    """The load balancing quota of a project."""

    resource_type = 'OS::Octavia::Quota'
    heat_class = 'OctaviaQuota'
    since = '14.0.0'
    path, key = '/lbaas/quotas', 'quota'
    default_client_name = 'octavia'
    entity = 'quotas'

    properties_schema = {
        'project': quota.project('load balancing'),
        **quota.limits(
            {
                'healthmonitor': 'Number of health monitors',
                'listener': 'Number of listeners',
                'loadbalancer': 'Number of load balancers',
                'member': 'Number of pool members',
                'pool': 'Number of pools',
            },
        ),
    }
