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
        **quota.limits(
            {
                'backup_gigabytes': 'Size of all backups in GiB',
                'backups': 'Number of backups',
            },
            since='16.0.0',
        ),
        **quota.limits(
            {
                'gigabytes': 'Size of all volumes and snapshots in GiB',
                'snapshots': 'Number of volume snapshots',
                'volumes': 'Number of volumes',
            },
        ),
    }
