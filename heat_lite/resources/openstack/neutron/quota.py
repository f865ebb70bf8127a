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
        **quota.limits(
            {
                'floatingip': 'Number of floating IPs',
                'network': 'Number of networks',
                'port': 'Number of ports',
                'router': 'Number of routers',
                'security_group': 'Number of Neutron security groups',
                'security_group_rule': 'Number of security group rules',
                'subnet': 'Number of subnets',
            },
        ),
        **quota.limits(
            {
                'rbac_policy': 'Number of RBAC policies',
                'subnetpool': 'Number of subnet pools',
            },
            since='12.0.0',
        ),
    }
