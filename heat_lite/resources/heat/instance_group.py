"""OS::Heat::InstanceGroup."""

from heat_lite.resources import instance_group
from heat_lite.template.schema import integer, list_, string


class HeatInstanceGroup(instance_group.InstanceGroup):
    """A group of servers of a given size."""

    resource_type = 'OS::Heat::InstanceGroup'

    properties_schema = {
        'AvailabilityZones': list_('Not used: the members say where they are.', required=True),
        'LaunchConfigurationName': string('The launch configuration, by its reference.', required=True, update_allowed=True),
        'Size': integer('How many members there are.', required=True, update_allowed=True),
        'LoadBalancerNames': list_('The load balancers that lead to the members.'),
        'Tags': instance_group.tags(),
    }
    update_policy_schema = {'RollingUpdate': instance_group.rolling_update()}
    attributes_schema = instance_group.INSTANCES

    def wanted_size(self, present=0):
        return max(0, self.properties['Size'])
