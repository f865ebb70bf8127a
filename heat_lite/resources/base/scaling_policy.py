"""ScalingPolicy: what it does about a signal, in both languages."""

from heat_lite.common import exception
from heat_lite.resources.scaling import ScalingGroup
from heat_lite.resources.signal import SignalResponder


class ScalingPolicy(SignalResponder):
    """``words`` are the names of the properties group, type, adjustment, least step and cooldown; ``percent`` is the type by percent."""

    words = ('', '', '', '', '')
    percent = ''
    signed_verb = 'POST'
    signed_door = 'signal'
    needs_door = False

    def _rule(self):
        return [self.properties[word] for word in self.words]

    def validate(self):
        super().validate()
        _, kind, _, least_step, _ = self._rule()
        if least_step is not None and kind != self.percent:
            _, type_word, _, step_word, _ = self.words
            raise exception.StackValidationFailed(
                f'{step_word} property should only be specified for {type_word} with value {self.percent}.'
            )

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """The next signal does as the new properties say."""

    def handle_signal(self, details=None):
        """A generator: scales the group, whatever the details are. Raises NotFound where the group is not there."""
        reference, kind, adjustment, least_step, cooldown = self._rule()
        group = self._group(reference)
        yield from group.adjust(adjustment, kind, least_step, cooldown)

    def _group(self, reference):
        for item in self.stack.current_resources():
            if isinstance(item, ScalingGroup) and reference in (item.reference_id(), item.resource_id, item.name):
                return item
        raise exception.NotFound(what=f'The scaling group {reference} of the policy {self.name}')

    def _url_below(self, rest):
        """It is signalled in the project of the stack, not in that of its user; None where nobody knows the address."""
        if rest is None:
            return None
        return super()._url_below(rest if self.users is None else rest.replace(self.users.project_id(), self.stack.tenant))

    def resolve_attribute(self, name):
        return self.signal_url() if name == 'signal_url' else self.signed_url()
