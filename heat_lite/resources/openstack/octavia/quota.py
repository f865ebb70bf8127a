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
        'healthmonitor': quota.limit('Number of health monitors'),
        'listener': quota.limit('Number of listeners'),
        'loadbalancer': quota.limit('Number of load balancers'),
        'member': quota.limit('Number of pool members'),
        'pool': quota.limit('Number of pools'),
    }
