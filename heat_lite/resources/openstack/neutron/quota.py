"""OS::Neutron::Quota."""

from heat_lite.resources import quota
from heat_lite.template import support
from heat_lite.template.constraints import Range
from heat_lite.template.schema import integer, string


class Quota(quota.Quota):
    """How much of the network a project may have."""

    resource_type = 'OS::Neutron::Quota'
    support_status = support.since('8.0.0')
    extension = 'quotas'
    path, key = '/quotas', 'quota'
    default_client_name = 'neutron'

    properties_schema = {
        'project': string('The project, by name or id.', required=True, ref='keystone.project', sent=False),
        'floatingip': integer(
            'How many floating addresses there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'network': integer('How many networks there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'port': integer('How many ports there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'rbac_policy': integer(
            'How many RBAC policies there may be; -1 means any number.',
            update_allowed=True,
            constraints=[Range(min=-1)],
            support=support.since('12.0.0'),
        ),
        'router': integer('How many routers there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'security_group': integer(
            'How many security groups there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'security_group_rule': integer(
            'How many rules of security groups there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'subnet': integer('How many subnets there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'subnetpool': integer(
            'How many subnet pools there may be; -1 means any number.',
            update_allowed=True,
            constraints=[Range(min=-1)],
            support=support.since('12.0.0'),
        ),
    }
