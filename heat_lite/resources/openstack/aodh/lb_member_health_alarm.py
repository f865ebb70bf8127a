"""OS::Aodh::LBMemberHealthAlarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties
from heat_lite.template import support
from heat_lite.template.schema import string


class LBMemberHealthAlarm(Alarm):
    """Goes off when a member of a load balancer's pool is not well."""

    resource_type = 'OS::Aodh::LBMemberHealthAlarm'
    support_status = support.since('13.0.0')
    kind = 'loadbalancer_member_health'

    properties_schema = {
        **common_properties(),
        'autoscaling_group_id': string('The group that the members belong to.', required=True, update_allowed=True),
        'pool': string('The pool, by name or id.', required=True, update_allowed=True, resolves='octavia.pool', wire='pool_id'),
        'stack': string('The stack that the group belongs to.', required=True, wire='stack_id'),
    }
