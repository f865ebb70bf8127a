"""OS::Nova::Quota."""

from heat_lite.resources.base import quota


class Quota(quota.Quota):
    """The compute quota of a project."""

    resource_type = 'OS::Nova::Quota'
    heat_class = 'NovaQuota'
    since = '8.0.0'
    path, key = '/os-quota-sets', 'quota_set'
    #: the last microversion with quotas for networks and injected files
    microversion = '2.35'
    default_client_name = 'nova'
    entity = 'quotas'

    properties_schema = {
        'project': quota.project('compute'),
        **quota.limits(
            {
                'cores': 'Number of virtual CPUs',
                'fixed_ips': 'Number of fixed IP addresses',
                'floating_ips': 'Number of floating IP addresses',
                'instances': 'Number of servers',
                'key_pairs': 'Number of key pairs',
                'metadata_items': 'Number of metadata items of a server',
                'ram': 'Memory of all servers in MiB',
                'security_group_rules': 'Number of rules of a security group',
                'security_groups': 'Number of security groups',
                'server_group_members': 'Number of servers of a server group',
                'server_groups': 'Number of server groups',
            },
        ),
        **quota.limits(
            {
                'injected_file_content_bytes': 'Size of an injected file in bytes',
                'injected_file_path_bytes': 'Length of the path of an injected file in bytes',
                'injected_files': 'Number of injected files',
            },
            history='deprecated 14.0.0',
        ),
    }
