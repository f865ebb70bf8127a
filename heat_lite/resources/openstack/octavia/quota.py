"""OS::Octavia::Quota."""

from heat_lite.resources import quota
from heat_lite.template import support
from heat_lite.template.constraints import Range
from heat_lite.template.schema import integer, string


class Quota(quota.Quota):
    """How much of the load balancing service a project may have."""

    resource_type = 'OS::Octavia::Quota'
    support_status = support.since('14.0.0')
    path, key = '/lbaas/quotas', 'quota'
    default_client_name = 'octavia'
    entity = 'quotas'

    properties_schema = {
        'project': string('The project, by name or id.', required=True, ref='keystone.project', sent=False),
        'healthmonitor': integer(
            'How many health monitors there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'listener': integer('How many listeners there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'loadbalancer': integer(
            'How many load balancers there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]
        ),
        'member': integer('How many members there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
        'pool': integer('How many pools there may be; -1 means any number.', update_allowed=True, constraints=[Range(min=-1)]),
    }
