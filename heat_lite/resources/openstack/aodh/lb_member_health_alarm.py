"""OS::Aodh::LBMemberHealthAlarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties
from heat_lite.template.schema import string


class LBMemberHealthAlarm(Alarm):
    """An alarm that is raised when a member of an Octavia pool has failed."""

    resource_type = 'OS::Aodh::LBMemberHealthAlarm'
    since = '13.0.0'
    kind = 'loadbalancer_member_health'

    properties_schema = {
        **common_properties(),
        'autoscaling_group_id': string(
            'Id of the autoscaling group of the members.', required=True, update_allowed=True
        ),
        'pool': string(
            'Octavia pool, by name or id.',
            required=True,
            update_allowed=True,
            resolves='octavia.pool',
            wire='pool_id',
        ),
        'stack': string(
            'Id of the stack that contains the autoscaling group.', required=True, wire='stack_id'
        ),
    }
