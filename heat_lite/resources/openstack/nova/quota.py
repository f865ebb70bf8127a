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
        'cores': quota.limit('Number of virtual CPUs'),
        'fixed_ips': quota.limit('Number of fixed IP addresses'),
        'floating_ips': quota.limit('Number of floating IP addresses'),
        'injected_file_content_bytes': quota.limit(
            'Size of an injected file in bytes', history='deprecated 14.0.0'
        ),
        'injected_file_path_bytes': quota.limit(
            'Length of the path of an injected file in bytes', history='deprecated 14.0.0'
        ),
        'injected_files': quota.limit('Number of injected files', history='deprecated 14.0.0'),
        'instances': quota.limit('Number of servers'),
        'key_pairs': quota.limit('Number of key pairs'),
        'metadata_items': quota.limit('Number of metadata items of a server'),
        'ram': quota.limit('Memory of all servers in MiB'),
        'security_group_rules': quota.limit('Number of rules of a security group'),
        'security_groups': quota.limit('Number of security groups'),
        'server_group_members': quota.limit('Number of servers of a server group'),
        'server_groups': quota.limit('Number of server groups'),
    }
