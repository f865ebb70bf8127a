"""OS::Nova::Quota."""

from heat_lite.resources import quota
from heat_lite.template import support
from heat_lite.template.constraints import Range
from heat_lite.template.schema import integer, string


class Quota(quota.Quota):
    """How much of the compute service a project may have."""

    resource_type = 'OS::Nova::Quota'
    support_status = support.since('8.0.0')
    path, key = '/os-quota-sets', 'quota_set'
    #: later ones know nothing of networks and of files any more
    microversion = '2.35'
    default_client_name = 'nova'
    entity = 'quotas'

    properties_schema = {
        'project': string('The project, by name or id.', required=True, ref='keystone.project', sent=False),
        'cores': integer('How many processors; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'fixed_ips': integer('How many fixed addresses; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'floating_ips': integer('How many floating addresses; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'injected_file_content_bytes': integer(
            'How many bytes a file may have that is put into a server; -1 means any number.',
            update_allowed=True,
            constraints=[Range(min=-1)],
            support=support.deprecated('14.0.0'),
        ),
        'injected_file_path_bytes': integer(
            'How many bytes the path of such a file may have; -1 means any number.',
            update_allowed=True,
            constraints=[Range(min=-1)],
            support=support.deprecated('14.0.0'),
        ),
        'injected_files': integer(
            'How many files may be put into a server; -1 means any number.',
            update_allowed=True,
            constraints=[Range(min=-1)],
            support=support.deprecated('14.0.0'),
        ),
        'instances': integer('How many servers; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'key_pairs': integer('How many key pairs; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'metadata_items': integer(
            'How many labels a server may have; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'ram': integer('How many MiB of memory; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'security_group_rules': integer(
            'How many rules a security group may have; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'security_groups': integer('How many security groups; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'server_group_members': integer(
            'How many servers a server group may have; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'server_groups': integer('How many server groups; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
    }
