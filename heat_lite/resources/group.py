"""GroupResource: a resource whose inside is a stack of members that are alike.

The template of the inside is generated: the members, and an output for each attribute of them that the stack around the group reads. How a
group changes is a list of stages (see ``template/members.py``), and each stage is an update of the inside.
"""

import time
import typing

from heat_lite.common import exception, status
from heat_lite.resources.nested import StackResource
from heat_lite.template import members
from heat_lite.template.attributes import select
from heat_lite.template.members import REFS, REFS_MAP, Member

ATTRIBUTES, SHOW = 'attributes', 'show'


class Kind(typing.NamedTuple):
    """As much of a definition as tells which class stands behind it."""

    name: str
    resource_type: str
    template: typing.Any


class GroupResource(StackResource):
    """Overridden: ``member_names``, who is to be there, and ``definer``, what each is to be."""

    # ------------------------------------------------------------ what the inside is to be

    def member_names(self):
        """The names of the members that the properties ask for."""
        raise NotImplementedError(f'{type(self).__name__} does not say who its members are')

    def definer(self):
        """A function that gives the definition of a member by its name."""
        raise NotImplementedError(f'{type(self).__name__} does not say what its members are')

    def child_template(self):
        names = self.member_names()
        return self.inside_template(members.Stage(names, frozenset(names)))

    def inside_template(self, stage):
        """The template of the inside after a stage: who is not as wanted yet stays as it is."""
        define = self.definer()
        present = self._present_definitions()
        definitions = {name: present[name] if name in present and name not in stage.changed else define(name) for name in stage.names}
        return members.template(definitions, self._outputs(stage.names))

    def validated(self):
        """Of members that are alike one is looked at; of none nothing, so that a group can be switched off with what it needs."""
        names = self.member_names()
        one, define = names[:1], self.definer()
        return members.template({name: define(name) for name in one}, self._outputs(one)), max(1, len(names))

    def _present_definitions(self):
        nested = self.nested()
        return {} if nested is None else nested.template.resource_snippets

    def refuse_size(self, size):
        """Raises RequestLimitExceeded for a size that no stack can have, before so many definitions are made."""
        limit = self.stack.limits.max_resources_per_stack
        if 0 <= limit < size:
            raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')

    # ------------------------------------------------------------ the outputs of the inside

    @property
    def _paths(self):
        """The attribute paths that the stack around the group reads, without those that read all."""
        paths = self.stack.bound.reads().get(self.name, ())
        return sorted((path for path in paths if path), key=str)

    def _outputs(self, names):
        outputs = {}
        for path in self._paths:
            outputs.update(self.outputs_for(path, names))
        return outputs

    def outputs_for(self, path, names):
        """``{name of an output: its value}`` that answer what is asked by a path."""
        member = members.member_path(path)
        if member is not None:
            name, rest = member
            if name not in names:
                return {}
            if not rest:
                return {REFS_MAP: members.references_map(names)}
            return {members.output_name(path): members.attribute(name, rest)}
        first, *rest = path
        if first in self.attributes_schema:
            return self._own_outputs(first, rest, names)
        return {members.output_name(path): members.attributes_list(names, path)}

    def _own_outputs(self, first, rest, names):
        if first == REFS:
            return {REFS: members.references(names)}
        if first == REFS_MAP:
            return {REFS_MAP: members.references_map(names)}
        if first == ATTRIBUTES and rest:
            return {members.output_name((first, *rest)): members.attributes_map(names, rest)}
        return {}

    # ------------------------------------------------------------ checks

    def check_type(self, type_name):
        """Raises StackValidationFailed for a type that nobody knows."""
        if not type_name or not isinstance(type_name, str):
            raise exception.StackValidationFailed(f'The members of the group "{self.name}" need the name of a type, not {type_name!r}')
        self.stack.class_of(Kind(self.name, type_name, self.definition.template))

    # ------------------------------------------------------------ who is there

    def members(self):
        """The members that there are, in the order of the template of the inside."""
        nested = self.nested()
        if nested is None:
            return []
        there = {item.name: item for item in nested.current_resources() if item.action != status.INIT}
        return [_member(there[name]) for name in nested.definitions if name in there]

    def as_wanted(self):
        """The names of the members that need no change."""
        define, present = self.definer(), self._present_definitions()
        return {each.name for each in self.members() if not each.failed and present.get(each.name) == define(each.name)}

    # ------------------------------------------------------------ work

    def converge(self, stages, pause=0):
        """A generator: takes the inside through the stages, with pauses between them. Raises ValueError where the pauses take too long."""
        if pause and pause * (len(stages) - 1) >= self.stack.timeout_seconds():
            raise ValueError('The current update policy will result in stack update timeout.')
        for number, stage in enumerate(stages):
            if number:
                yield from _wait(pause)
            yield from self.update_with_template(self.inside_template(stage))

    def at_rest(self):
        """A generator: waits until nobody works on the inside any more."""
        self.inside.look_again()
        yield from self.inside.at_rest()

    # ------------------------------------------------------------ what others read

    def get_reference_id(self):
        return self.resource_id or self.name

    def attribute(self, *path):
        if not path:
            return self._all_attributes()
        if self.action == status.INIT or self.nested() is None:
            return None
        member = members.member_path(path)
        if member is not None:
            return self.member_attribute(path, *member)
        first, *rest = path
        return self.own_attribute(first, rest) if first in self.attributes_schema else self.common_attribute(path)

    def _all_attributes(self):
        """Its own, and those that the stack around the group reads: which the members have, only they know."""
        found = {}
        for name in dict.fromkeys((*self.attributes_schema, *(path[0] for path in self._paths if path[0] != SHOW))):
            try:
                found[name] = self.attribute(name)
            except exception.InvalidTemplateAttribute:
                continue
        return found

    def member_attribute(self, path, name, rest):
        """Something of the one member that a path means."""
        nested = self.nested()
        if name not in nested.definitions:
            raise exception.GroupMemberNotFound(member=name, group=self.name)
        if not rest:
            return nested.resource_for(name).reference_id()
        return self.output(members.output_name(path), lambda: self._ask(name, rest))

    def own_attribute(self, first, rest):
        """An attribute of the group itself."""
        if first == REFS:
            return select(list(self.references().values()), rest)
        if first == REFS_MAP:
            return self.references()  # all of it, whatever the path asks for: as in Heat
        if first == ATTRIBUTES and rest:
            return self.attributes_map((first, *rest), rest)
        raise exception.InvalidTemplateAttribute(resource=self.name, key=first)

    def common_attribute(self, path):
        """What all members have: the list of their values."""
        return self.output(members.output_name(path), lambda: [self._ask(name, path) for name in self.nested().definitions])

    def references(self):
        """``{name: reference}`` of all members."""
        return self.output(REFS_MAP, lambda: {name: self.nested().resource_for(name).reference_id() for name in self.nested().definitions})

    def attributes_map(self, path, rest):
        return self.output(members.output_name(path), lambda: {name: self._ask(name, rest) for name in self.nested().definitions})

    def output(self, name, otherwise):
        """The output of the inside; where it was made before anybody read that, the members are asked."""
        if name in self.nested().bound.outputs:
            return self.inside.output(name)
        return otherwise()

    def _ask(self, name, path):
        item = self.nested().resource_for(name)
        if not item.has_attribute(path[0]):
            raise exception.InvalidTemplateAttribute(resource=name, key=path[0])
        return item.attribute(*path)


def _member(item):
    record = item.record
    return Member(item.name, (record.created_at, record.id or 0), item.status == status.FAILED)


def _wait(seconds):
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        yield left


def of_one_member(group):
    """The stack inside a group as if it had one member, who stands for all, even where there is none yet."""
    names, define = group.member_names()[:1] or ['0'], group.definer()
    return group.inside.draft(group._whole(members.template({name: define(name) for name in names}, {}), None))
