"""OS::Heat::ScalingPolicy and AWS::AutoScaling::ScalingPolicy."""

from heat_lite.common import exception
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.property_rules import only_with
from heat_lite.resources.base.scaling import ScalingGroup
from heat_lite.resources.base.signal_responder import SignalResponder
from heat_lite.template.schema import integer, live_text, number, string, text


class ScalingPolicy(SignalResponder):
    """A policy that resizes a group on each signal.

    ``property_names`` are the names of the properties for group, adjustment type, adjustment,
    minimum step and cooldown.
    """

    property_names = ('', '', '', '', '')
    signed_method = 'POST'
    signed_endpoint = 'signal'
    requires_cfn_endpoint = False
    ignores_repeated_alarms = True

    def _rule(self):
        return [self.properties[name] for name in self.property_names]

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Do nothing: the next signal uses the new properties."""

    def handle_signal(self, details=None):
        """Generator: resize the group; the details of the signal are ignored.

        Raises NotFound if the group does not exist.
        """
        reference, kind, adjustment, least_step, cooldown = self._rule()
        group = self._group(reference)
        yield from group.adjust(adjustment, kind, least_step, cooldown, self.handled_signal)

    def _group(self, reference):
        for item in self.stack.current_resources():
            if isinstance(item, ScalingGroup) and reference in (
                item.reference_id(),
                item.resource_id,
                item.name,
                item.physical_resource_name(),  # the reference of earlier versions
            ):
                return item
        raise exception.NotFound(what=f'The scaling group {reference} of the policy {self.name}')

    def build_signal_url(self, rest):
        """Return a URL in the project of the stack, not in that of the stack user; None if the
        endpoint is unknown.
        """
        if rest is None:
            return None
        return super().build_signal_url(
            rest if self.users is None else rest.replace(self.users.project_id(), self.stack.tenant)
        )

    def resolve_attribute(self, name):
        if name != 'signal_url':
            return self.signed_url()
        self.create_missing_transport()
        return self.signal_url()


class AutoScalingPolicy(ScalingPolicy):
    """A policy that resizes a scaling group on each signal."""

    resource_type = 'OS::Heat::ScalingPolicy'
    property_names = (
        'auto_scaling_group_id',
        'adjustment_type',
        'scaling_adjustment',
        'min_adjustment_step',
        'cooldown',
    )

    properties_schema = {
        'auto_scaling_group_id': string(common_properties.SCALING_GROUP, required=True),
        'scaling_adjustment': number(
            common_properties.SCALING_ADJUSTMENT, required=True, update_allowed=True
        ),
        'adjustment_type': string(
            common_properties.SCALING_TYPE,
            required=True,
            update_allowed=True,
            allowed=['change_in_capacity', 'exact_capacity', 'percent_change_in_capacity'],
        ),
        'cooldown': number(common_properties.COOLDOWN, update_allowed=True),
        'min_adjustment_step': integer(
            common_properties.SCALING_MIN_STEP, update_allowed=True, min=0
        ),
    }
    property_rules = (
        only_with('min_adjustment_step', 'adjustment_type', 'percent_change_in_capacity'),
    )
    attributes_schema = {
        'alarm_url': live_text(common_properties.SCALING_ALARM_URL),
        'signal_url': text('URL for signals that are authenticated by a token.', since='5.0.0'),
    }


class AWSScalingPolicy(ScalingPolicy):
    """A policy that resizes a scaling group on each signal."""

    resource_type = 'AWS::AutoScaling::ScalingPolicy'
    property_names = (
        'AutoScalingGroupName',
        'AdjustmentType',
        'ScalingAdjustment',
        'MinAdjustmentStep',
        'Cooldown',
    )

    properties_schema = {
        'AutoScalingGroupName': string(common_properties.SCALING_GROUP, required=True),
        'ScalingAdjustment': integer(
            common_properties.SCALING_ADJUSTMENT, required=True, update_allowed=True
        ),
        'AdjustmentType': string(
            common_properties.SCALING_TYPE,
            required=True,
            update_allowed=True,
            allowed=['ChangeInCapacity', 'ExactCapacity', 'PercentChangeInCapacity'],
        ),
        'Cooldown': integer(common_properties.COOLDOWN, update_allowed=True),
        'MinAdjustmentStep': integer(
            common_properties.SCALING_MIN_STEP, update_allowed=True, min=0
        ),
    }
    property_rules = (only_with('MinAdjustmentStep', 'AdjustmentType', 'PercentChangeInCapacity'),)
    attributes_schema = {'AlarmUrl': live_text(common_properties.SCALING_ALARM_URL)}

    def get_reference_id(self):
        """Return the signed URL: alarms refer to the policy by it."""
        return self.signed_url() or self.resource_id or self.name
