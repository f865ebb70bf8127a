"""RollingGroup and ScalingGroup: groups that are resized and updated in batches, and by scaling
policies.
"""

import contextlib
import datetime

from heat_lite.common import exception, identifier, status
from heat_lite.resources.base.group import GroupResource, draft_with_one_member
from heat_lite.template import members
from heat_lite.template.members import REFS_MAP, Batch
from heat_lite.template.unknown import ValueUnknown

IN_PROGRESS, COOLDOWN_END = 'scaling_in_progress', 'cooldown_end'
#: the keys of the engine that scales the group, and of [signal, size] that it scales for and to,
#: while it does
ENGINE, TARGET = 'scaling_engine', 'scaling_target'
#: seconds between two looks of an update whether the group is still being scaled
POLL_SECONDS = 1.0
#: the word for a size from the template, in the group's metadata
EXACT = 'ExactCapacity'
#: adjustment types of HOT and of CloudFormation -> those of ``template/members.py``
KINDS = {
    'change_in_capacity': 'change',
    'exact_capacity': 'exact',
    'percent_change_in_capacity': 'percent',
    'ChangeInCapacity': 'change',
    EXACT: 'exact',
    'PercentChangeInCapacity': 'percent',
}


class RollingGroup(GroupResource):
    """A group whose members have generated names.

    When it shrinks, failed members are removed first, then the oldest.

    Types override ``wanted_size``, ``definition_factory`` and ``rolling_policy``.
    ``replacement_properties`` are the properties whose change replaces the members.
    """

    replacement_properties: tuple[str, ...] = ()
    requires_deferred_auth = True

    def wanted_size(self, present=0):
        """Return the size that the properties require; ``present`` is the current size."""
        raise NotImplementedError

    def rolling_policy(self):
        """Return the ``members.RollingPolicy`` of updates."""
        raise NotImplementedError

    #: names of the members of an abandoned group, during its adoption
    adopted: tuple[str, ...] = ()

    def member_names(self):
        return list(self.adopted) or _new_names(self.wanted_size())

    def updated_template(self):
        """Return the nested template after an update: members keep their names."""
        present = members.removal_order(self.members())
        names = self._resized(present, self.wanted_size(len(present)))
        return self.nested_template(Batch(names, frozenset(names)))

    def describe_nested(self):
        return draft_with_one_member(self, _new_names(1))

    def validate_content(self, run):
        with contextlib.suppress(ValueUnknown):
            self.check_size(self.wanted_size())
        super().validate_content(run)

    # ------------------------------------------------------------ members

    def _healthy_members(self):
        """Return the names of the members that have not failed, the oldest first."""
        return members.removal_order(each for each in self.members() if not each.failed)

    def size(self):
        return len(self._healthy_members())

    # ------------------------------------------------------------ actions

    def handle_adopt(self, resource_data):
        """Adopt the members under their names."""
        self.adopted = tuple(resource_data.get('resources') or ())
        yield from super().handle_adopt(resource_data)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.settle()
        present = members.removal_order(self.members())
        wanted = self.wanted_size(len(present))
        if any(name in prop_diff for name in self.replacement_properties):
            policy = self.rolling_policy()
            batches = members.oldest_first_batches(
                present,
                min(wanted, len(present)),
                policy,
                identifier.short_id,
                self.up_to_date_members(),
            )
            yield from self.apply_batches(batches, policy.pause, self.prepare_batch)
        yield from self.resize(wanted)

    def prepare_batch(self, batch):
        """Generator: prepare other resources for the change of the members of a batch."""
        yield from ()

    def resize(self, size):
        """Generator: add or remove members. The others are not changed."""
        present = members.removal_order(self.members())
        names = self._resized(present, size)
        batch = Batch(names, frozenset(names) - frozenset(present))
        yield from self.update_with_template(self.nested_template(batch))

    @staticmethod
    def _resized(present, size):
        """Return the names of the members that stay, and new names."""
        staying = members.newest_names(present, size)
        return [*staying, *_new_names(size - len(staying))]

    # ------------------------------------------------------------ references and attributes

    def template_outputs(self, names):
        return {**super().template_outputs(names), REFS_MAP: members.reference_map(names)}

    def member_references(self):
        """Return ``{name: reference}`` of the healthy members, the oldest first."""
        known = super().member_references()
        return {name: known[name] for name in self._healthy_members() if name in known}

    def member_attribute_map(self, path, rest):
        known = super().member_attribute_map(path, rest)
        return {name: known[name] for name in self._healthy_members() if name in known}

    def member_attribute_list(self, path):
        raise exception.InvalidTemplateAttribute(resource=self.name, key=path[0])


class ScalingGroup(RollingGroup):
    """A group with a minimum and a maximum size, resized by scaling policies, too.

    ``bounds_names`` are the names of the properties for minimum, maximum, desired capacity and
    cooldown.
    """

    bounds_names = ('min_size', 'max_size', 'desired_capacity', 'cooldown')
    #: attributes may change while no action of the stack runs
    signals_change_attributes = True

    def bounds(self):
        least, most, _, _ = self.bounds_names
        return self.properties[least], self.properties[most]

    def wanted_size(self, present=0):
        wanted = self.properties[self.bounds_names[2]]
        least, most = self.bounds()
        return max(least, min(present if wanted is None else wanted, most))

    def validate(self):
        least, most, wanted = (self.properties[name] for name in self.bounds_names[:3])
        if least > most:
            raise exception.StackValidationFailed('MinSize can not be greater than MaxSize')
        if least < 0:
            raise exception.StackValidationFailed(
                'The size of AutoScalingGroup can not be less than zero'
            )
        if wanted is not None and not least <= wanted <= most:
            raise exception.StackValidationFailed(
                'DesiredCapacity must be between MinSize and MaxSize'
            )
        super().validate()

    def handle_create(self):
        yield from super().handle_create()
        self._record_size()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self._await_scaling()
        yield from super().handle_update(definition, tmpl_diff, prop_diff)
        self._record_size()

    def handle_suspend(self):
        yield from self._await_scaling()
        yield from super().handle_suspend()

    def handle_resume(self):
        yield from self._await_scaling()
        yield from super().handle_resume()

    def handle_check(self):
        yield from self._await_scaling()
        yield from super().handle_check()

    def _await_scaling(self):
        """Generator: wait for the end of the scaling in progress, which updates the nested stack
        and would take the place of another action there. None begins while the row is at work.
        """
        while self._is_being_scaled():
            yield POLL_SECONDS

    def _record_size(self):
        reason = f'{EXACT} : {len(self.members())}'
        self.metadata_change(lambda metadata: _finish_scaling(metadata, reason, self._cooldown()))

    def _cooldown(self):
        return self.properties[self.bounds_names[3]] or 0

    # ------------------------------------------------------------ scaling

    def adjust(self, adjustment, kind, least_step=None, cooldown=None, signal=None):
        """Generator: resize the group as a policy requires.

        ``signal``: the id of the signal, and the engine that handles it. If an engine that is gone
        has begun to resize the group for it, the group gets the size that this engine wanted.
        Raises NoActionRequired if the size stays the same, or while the group cools down or an
        action changes it, and SignalPostponed while another signal scales it or has to go on.
        """
        before = self._state()
        if self.status != status.COMPLETE:
            raise exception.NoActionRequired(f'the group is {self.action}_{self.status}')
        signal_id, engine_id = next(iter(signal or ()), None), self.stack.runtime.engine_id
        gone = self._gone_engine()
        if gone and self._goes_on_for_another(signal_id):
            raise exception.SignalPostponed()
        mark = self.metadata_change(
            lambda metadata: _start_scaling(metadata, engine_id, signal_id, gone)
        )
        try:
            # An action that begins from now on waits for the mark; one that began is seen here.
            self.stack.refresh_rows([self.name])
            if self._state() != before:
                raise exception.SignalPostponed()
            yield from self.settle()
            present, size = self.size(), mark[TARGET][1]
            if size is None:
                size = members.adjusted_size(
                    present, adjustment, KINDS[kind], *self.bounds(), least_step
                )
                if size == present:
                    raise exception.NoActionRequired(f'its size stays {size}')
                target = {TARGET: [signal_id, size]}
                self.metadata_change(lambda metadata: {**metadata, **target})
            yield from self._scale(present, size, adjustment, kind)
        except Exception:  # not at the stop of the engine: the next one continues
            self.metadata_change(lambda metadata: _finish_scaling(metadata, None, 0))
            raise
        reason, seconds = f'{kind} : {adjustment}', cooldown or self._cooldown()
        self.metadata_change(lambda metadata: _finish_scaling(metadata, reason, seconds), signal)
        if signal:
            signal.clear()

    def _scale(self, present, size, adjustment, kind):
        """Generator: resize the group, with notifications."""
        group = self.get_reference_id()
        details = {'groupname': group, 'adjustment': adjustment, 'adjustment_type': kind}
        self.stack.notify_scaling(
            'start', message=f'Start resizing the group {group}', capacity=present, **details
        )
        try:
            yield from self.resize(size)
        except Exception as error:
            self.stack.notify_scaling('error', message=str(error), capacity=self.size(), **details)
            raise
        self.stack.notify_scaling(
            'end', message=f'End resizing the group {group}', capacity=size, **details
        )

    def _state(self):
        return self.action, self.status, self.record.current_template_id

    def _goes_on_for_another(self, signal_id):
        """Return whether the signal for which the group was being scaled is not handled yet."""
        begun = next(iter(self.metadata_get().get(TARGET) or ()), None)
        return begun != signal_id and self.stack.runtime.signal_tasks.is_waiting(begun)

    def _gone_engine(self):
        """Return the id of the engine that was scaling the group and is gone; None without one."""
        engine = self.metadata_get(refresh=True).get(ENGINE)
        return engine if engine and self.stack.runtime.placement.gone_engines({engine}) else None

    def _is_being_scaled(self):
        return self._gone_engine() is None and ENGINE in self.metadata_get()


def _start_scaling(metadata, engine_id, signal_id, gone):
    """Return the metadata of a group with the mark of an engine that scales it for a signal.

    What the engine ``gone`` has begun does not count; what this signal has begun goes on. Raises
    SignalPostponed while it is being scaled, and NoActionRequired while it cools down.
    """
    target = metadata.get(TARGET) or [None, None]
    if not metadata.get(IN_PROGRESS) or signal_id is None or target[0] != signal_id:
        _require_rest(metadata, gone)
        target = [signal_id, None]
    return {**metadata, IN_PROGRESS: True, ENGINE: engine_id, TARGET: target}


def _require_rest(metadata, gone):
    engine = metadata.get(ENGINE)
    if metadata.get(IN_PROGRESS) and engine is None:
        raise exception.NoActionRequired('it is being scaled')  # by a service that does not say who
    if metadata.get(IN_PROGRESS) and engine != gone:
        raise exception.SignalPostponed()
    ends = metadata.get(COOLDOWN_END)
    if isinstance(ends, dict) and any(end > _now().isoformat() for end in ends):
        raise exception.NoActionRequired(f'it cools down until {max(ends)}')


def _finish_scaling(metadata, reason, cooldown):
    """Return the metadata after scaling; ``reason`` is None if it failed.

    A longer cooldown that is running is kept.
    """
    metadata = {**metadata, IN_PROGRESS: False}
    for key in (ENGINE, TARGET):
        metadata.pop(key, None)
    if reason is not None:
        end = (_now() + datetime.timedelta(seconds=cooldown)).isoformat()
        metadata[COOLDOWN_END] = {max([end, *(metadata.get(COOLDOWN_END) or ())]): reason}
    return metadata


def _now():
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def _new_names(count):
    return [identifier.short_id() for _ in range(count)]
