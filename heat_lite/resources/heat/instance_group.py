"""OS::Heat::InstanceGroup."""

from heat_lite.resources.base import common_properties, instance_group
from heat_lite.template.schema import integer, list_, string


class InstanceGroup(instance_group.InstanceGroup):
    """A group of instances with a given size."""

    resource_type = 'OS::Heat::InstanceGroup'

    properties_schema = {
        'AvailabilityZones': list_(
            'Not used; the launch configuration determines the availability zone.', required=True
        ),
        'LaunchConfigurationName': string(
            common_properties.LAUNCH_CONFIGURATION, required=True, update_allowed=True
        ),
        'Size': integer('Number of members.', required=True, update_allowed=True),
        'LoadBalancerNames': list_(common_properties.LOAD_BALANCERS),
        'Tags': instance_group.tags(),
    }
    update_policy_schema = {'RollingUpdate': instance_group.ROLLING_UPDATE}
    attributes_schema = instance_group.INSTANCES

    def wanted_size(self, present=0):
        return max(0, self.properties['Size'])
