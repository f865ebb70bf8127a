"""OS::Cinder::Quota."""

from heat_lite.resources import quota
from heat_lite.template import support
from heat_lite.template.constraints import Range
from heat_lite.template.schema import integer, string


class Quota(quota.Quota):
    """How much of the volume service a project may have."""

    resource_type = 'OS::Cinder::Quota'
    support_status = support.since('7.0.0')
    extension = 'os-quota-sets'
    path, key = '/os-quota-sets', 'quota_set'
    default_client_name = 'cinder'
    entity = 'quotas'

    properties_schema = {
        'project': string('The project, by name or id.', required=True, ref='keystone.project', sent=False),
        'backup_gigabytes': integer(
            'How many GiB backups may have together; -1 means any number.',
            update_allowed=True,
            constraints=[Range(min=-1)],
            support=support.since('16.0.0'),
        ),
        'backups': integer(
            'How many backups there may be; -1 means any number.',
            update_allowed=True,
            constraints=[Range(min=-1)],
            support=support.since('16.0.0'),
        ),
        'gigabytes': integer(
            'How many GiB volumes may have together; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'snapshots': integer('How many snapshots there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'volumes': integer('How many volumes there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
    }
