"""ScalingPolicy: base class of scaling policies, of HOT and of CloudFormation."""

from heat_lite.common import exception
from heat_lite.resources.base.scaling import ScalingGroup
from heat_lite.resources.base.signal_responder import SignalResponder


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
