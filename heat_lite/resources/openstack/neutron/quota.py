"""OS::Neutron::Quota."""

from heat_lite.resources.base import quota


class Quota(quota.Quota):
    """The network quota of a project."""

    resource_type = 'OS::Neutron::Quota'
    heat_class = 'NeutronQuota'
    since = '8.0.0'
    extension = 'quotas'
    path, key = '/quotas', 'quota'
    default_client_name = 'neutron'

    properties_schema = {
        'project': quota.project('network'),
        'floatingip': quota.limit('Number of floating IPs'),
        'network': quota.limit('Number of networks'),
        'port': quota.limit('Number of ports'),
        'rbac_policy': quota.limit('Number of RBAC policies', since='12.0.0'),
        'router': quota.limit('Number of routers'),
        'security_group': quota.limit('Number of Neutron security groups'),
        'security_group_rule': quota.limit('Number of security group rules'),
        'subnet': quota.limit('Number of subnets'),
        'subnetpool': quota.limit('Number of subnet pools', since='12.0.0'),
    }
