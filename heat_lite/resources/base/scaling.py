"""Groups that grow and shrink: the newest members stay, and signals to scaling policies change their size."""

import datetime

from heat_lite.common import exception, names, status
from heat_lite.resources.group import GroupResource, of_one_member
from heat_lite.template import members
from heat_lite.template.members import REFS_MAP, Stage

IN_PROGRESS, COOLDOWN_END = 'scaling_in_progress', 'cooldown_end'
#: how the metadata of a group tells of a size that its template asked for
EXACT = 'ExactCapacity'
#: the words of templates for how a size is to change, in both languages
KINDS = {
    'change_in_capacity': 'change',
    'exact_capacity': 'exact',
    'percent_change_in_capacity': 'percent',
    'ChangeInCapacity': 'change',
    EXACT: 'exact',
    'PercentChangeInCapacity': 'percent',
}


class RenewingGroup(GroupResource):
    """A group whose members have names of their own; where it shrinks those that have failed go first, then the oldest.

    Overridden: ``wanted_size``, ``definer``, ``pace``; ``defining`` are the properties that say what the members are.
    """

    defining: tuple[str, ...] = ()
    requires_deferred_auth = True

    def wanted_size(self, present=0):
        """The size that the properties ask for, where so many are there."""
        raise NotImplementedError(f'{type(self).__name__} does not say how large it is to be')

    def pace(self):
        """How fast members may change, as ``members.Pace``."""
        raise NotImplementedError(f'{type(self).__name__} does not say how it changes')

    #: the names of members that were made elsewhere, while these are adopted
    adopted: tuple[str, ...] = ()

    def member_names(self):
        return list(self.adopted) or _new_names(self.wanted_size())

    def described_inside(self):
        return of_one_member(self)

    def validate_nested(self):
        self.refuse_size(self.wanted_size())
        super().validate_nested()

    # ------------------------------------------------------------ who is there

    def _working(self):
        """The names of the members that have not failed, the oldest first."""
        return members.by_worth(each for each in self.members() if not each.failed)

    def size(self):
        return len(self._working())

    # ------------------------------------------------------------ work

    def handle_adopt(self, resource_data):
        """The members keep their names."""
        self.adopted = tuple(resource_data.get('resources') or ())
        yield from super().handle_adopt(resource_data)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.at_rest()
        present = members.by_worth(self.members())
        wanted = self.wanted_size(len(present))
        if any(name in prop_diff for name in self.defining):
            pace = self.pace()
            stages = members.renewed(present, min(wanted, len(present)), pace, names.short_id, self.as_wanted())
            yield from self.converge(stages, pause=pace.pause)
        yield from self.resize(wanted)

    def resize(self, size):
        """A generator: members are added or go; those that stay remain as they are."""
        staying = members.newest(members.by_worth(self.members()), size)
        added = _new_names(size - len(staying))
        yield from self.update_with_template(self.inside_template(Stage([*staying, *added], frozenset(added))))

    # ------------------------------------------------------------ what others read

    def references(self):
        """Of the working members, the oldest first."""
        known = super().references()
        return {name: known[name] for name in self._working() if name in known}

    def attributes_map(self, path, rest):
        known = super().attributes_map(path, rest)
        return {name: known[name] for name in self._working() if name in known}


class ScalingGroup(RenewingGroup):
    """A group with bounds, whose size scaling policies change too. ``bounds_names`` are the properties least, most, wanted and cooldown."""

    bounds_names = ('min_size', 'max_size', 'desired_capacity', 'cooldown')
    #: what outputs read of it may change when no action of the stack runs
    signals_change_attributes = True

    def bounds(self):
        least, most, _, _ = self.bounds_names
        return self.properties[least], self.properties[most]

    def wanted_size(self, present=0):
        wanted = self.properties[self.bounds_names[2]]
        least, most = self.bounds()
        return max(least, min(present if wanted is None else wanted, most))

    def validate(self):
        self.properties.validate()
        least, most = self.bounds()
        wanted = self.properties[self.bounds_names[2]]
        if least < 0:
            raise exception.StackValidationFailed('The size of AutoScalingGroup can not be less than zero')
        if least > most:
            raise exception.StackValidationFailed('MinSize can not be greater than MaxSize')
        if wanted is not None and not least <= wanted <= most:
            raise exception.StackValidationFailed('DesiredCapacity must be between MinSize and MaxSize')
        super().validate()

    def handle_create(self):
        yield from super().handle_create()
        self._note_size()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from super().handle_update(definition, tmpl_diff, prop_diff)
        self._note_size()

    def _note_size(self):
        reason = f'{EXACT} : {len(self.members())}'
        self.metadata_change(lambda metadata: _scaled(metadata, reason, self._cooldown()))

    def _cooldown(self):
        return self.properties[self.bounds_names[3]] or 0

    # ------------------------------------------------------------ scaling by signals

    def adjust(self, adjustment, kind, least_step=None, cooldown=None):
        """A generator: changes the size as a policy says. Raises NoActionRequired where there is nothing to do, or not yet."""
        if self.status != status.COMPLETE:
            raise exception.NoActionRequired(f'the group is {self.action}_{self.status}')
        present = self.size()
        size = members.resized(present, adjustment, KINDS[kind], *self.bounds(), least_step)
        if size == present:
            raise exception.NoActionRequired(f'its size stays {size}')
        self.metadata_change(_begin)
        reason, cooldown = f'{kind} : {adjustment}', cooldown or self._cooldown()
        told = {'groupname': self.get_reference_id(), 'adjustment': adjustment, 'adjustment_type': kind}
        self.stack.tell_scaling('start', message=f'Start resizing the group {self.name}', capacity=present, **told)
        done = None
        try:
            yield from self.resize(size)
            done = reason
            self.stack.tell_scaling('end', message=f'End resizing the group {self.name}', capacity=size, **told)
        except Exception as error:
            self.stack.tell_scaling('error', message=str(error), capacity=present, **told)
            raise
        finally:
            self.metadata_change(lambda metadata: _scaled(metadata, done, cooldown))


def _begin(metadata):
    """The metadata of a group that begins to scale. Raises NoActionRequired while it does already, or cools down."""
    if metadata.get(IN_PROGRESS):
        raise exception.NoActionRequired('it is being scaled')
    ends = metadata.get(COOLDOWN_END)
    if isinstance(ends, dict) and any(end > _now().isoformat() for end in ends):
        raise exception.NoActionRequired(f'it cools down until {max(ends)}')
    return {**metadata, IN_PROGRESS: True}


def _scaled(metadata, reason, cooldown):
    """The metadata after scaling; ``reason`` is None where that failed. A longer cooldown that runs already is not cut short."""
    metadata = {**metadata, IN_PROGRESS: False}
    if reason is not None:
        end = (_now() + datetime.timedelta(seconds=cooldown)).isoformat()
        metadata[COOLDOWN_END] = {max([end, *(metadata.get(COOLDOWN_END) or ())]): reason}
    return metadata


def _now():
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def _new_names(count):
    return [names.short_id() for _ in range(count)]


def map_of_references(member_names):
    """The output that all groups of this kind have."""
    return {REFS_MAP: members.references_map(member_names)}
