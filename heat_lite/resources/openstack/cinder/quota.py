"""OS::Cinder::Quota."""

from heat_lite.resources.base import quota


class Quota(quota.Quota):
    """The volume quota of a project."""

    resource_type = 'OS::Cinder::Quota'
    heat_class = 'CinderQuota'
    since = '7.0.0'
    extension = 'os-quota-sets'
    path, key = '/os-quota-sets', 'quota_set'
    default_client_name = 'cinder'
    entity = 'quotas'

    properties_schema = {
        'project': quota.project('volume'),
        'backup_gigabytes': quota.limit('Size of all backups in GiB', since='16.0.0'),
        'backups': quota.limit('Number of backups', since='16.0.0'),
        'gigabytes': quota.limit('Size of all volumes and snapshots in GiB'),
        'snapshots': quota.limit('Number of volume snapshots'),
        'volumes': quota.limit('Number of volumes'),
    }
