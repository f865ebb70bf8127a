"""GroupResource: a resource whose nested stack holds similar members.

The nested template is generated. It has the members, and an output for each attribute of them that
the parent stack reads. A change of the group is a list of batches (see ``template/members.py``),
and each batch is one update of the nested stack.
"""

import time

from heat_lite.common import exception, status
from heat_lite.resources.base.stack_resource import StackResource
from heat_lite.template import checks, coercion, members, resource_registry
from heat_lite.template.attributes import select
from heat_lite.template.members import REFS, REFS_MAP, Member
from heat_lite.template.resource_registry import is_template
from heat_lite.template.template import Template
from heat_lite.template.unknown import ValueUnknown

ATTRIBUTES, SHOW = 'attributes', 'show'


class GroupResource(StackResource):
    """A group. Types override ``member_names`` and ``definition_factory``.

    ``by_member`` are the attributes whose path is one in each member.
    """

    by_member: tuple[str, ...] = (ATTRIBUTES,)
    #: the property with the definition of the members; none where it is no property
    member_property = ''

    def validate(self):
        given = (self.definition.properties or {}).get(self.member_property)
        checks.raise_first(
            resource_registry.member_definition(given),
            (*self.definition.path, self.member_property),
        )
        return super().validate()

    # ------------------------------------------------------------ the nested template

    def member_names(self):
        """Return the names of the members that the properties require."""
        raise NotImplementedError

    def definition_factory(self):
        """Return a function ``name -> definition`` of members."""
        raise NotImplementedError

    def child_template(self):
        names = self.member_names()
        return self.nested_template(members.Batch(names, frozenset(names)))

    def nested_template(self, batch):
        """Return the nested template after a batch.

        Members outside the batch keep their present definitions.
        """
        define = self.definition_factory()
        present = self._current_definitions()
        definitions = {
            name: present[name] if name in present and name not in batch.changed else define(name)
            for name in batch.names
        }
        return members.template(definitions, self.template_outputs(batch.names))

    def _complete_template(self, template, params):
        """Return the nested template. Members that keep a definition keep the files of it."""
        complete = super()._complete_template(template, params)
        nested = self.nested()
        present = {} if nested is None else nested.template.files
        if all(name in complete.files or name not in present for name in _file_types(complete)):
            return complete
        return Template(complete.data, {**present, **complete.files}, complete.environment)

    def template_to_validate(self):
        """Return a template with one member: similar members need only one check.

        An empty group has none, so that a group can be switched off together with its dependencies.
        """
        names = self.validated_names()
        one, define = names[:1], self.definition_factory()
        return members.template(
            {name: define(name) for name in one}, self.template_outputs(one)
        ), max(1, len(names))

    def validated_names(self):
        """Return the names of the members; one while their number is not known yet."""
        try:
            return self.member_names()
        except ValueUnknown:
            return ['0']

    def _current_definitions(self):
        nested = self.nested()
        known = {} if nested is None else nested.template.resource_snippets
        return {name: members.definition(snippet) for name, snippet in known.items()}

    def check_size(self, size):
        """Raises RequestLimitExceeded for a size beyond the limit of a stack, before the
        definitions are made.
        """
        limit = self.stack.limits.max_resources_per_stack
        if 0 <= limit < size:
            raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')

    # ------------------------------------------------------------ outputs of the nested stack

    @property
    def _attribute_paths(self):
        """The attribute paths that the parent stack reads, without the empty path (all
        attributes).
        """
        paths = self.stack.bound.attribute_reads().get(self.name, ())
        return sorted((path for path in paths if path), key=str)

    def template_outputs(self, names):
        outputs = {}
        for path in self._attribute_paths:
            outputs.update(self.outputs_for(path, names))
        return outputs

    def outputs_for(self, path, names):
        """Return ``{output name: value}`` for an attribute path."""
        member = members.member_path(path)
        if member is not None:
            name, rest = member
            if name not in names:
                return {}
            if not rest:
                return {REFS_MAP: members.reference_map(names)}
            return {members.output_name(path): members.attribute_call(name, rest)}
        first, *rest = path
        if first in self.attributes_schema:
            return self._group_outputs(first, rest, names)
        return {members.output_name(path): members.attribute_list(names, path)}

    def _group_outputs(self, first, rest, names):
        if first == REFS:
            return {REFS: members.reference_list(names)}
        if first == REFS_MAP:
            return {REFS_MAP: members.reference_map(names)}
        if first == ATTRIBUTES and rest:
            return {members.output_name((first, *rest)): members.attribute_map(names, rest)}
        return {}

    # ------------------------------------------------------------ validation

    def check_type(self, type_name):
        """Raises StackValidationFailed for an unknown resource type."""
        if not type_name or not isinstance(type_name, str):
            raise exception.StackValidationFailed(
                f'The members of the group "{self.name}" need the name of a resource type, '
                f'not {type_name!r}'
            )
        self.stack.class_of(self.definition.with_type(type_name))

    # ------------------------------------------------------------ members

    def members(self):
        """Return the existing members, in the order of the nested template."""
        nested = self.nested()
        if nested is None:
            return []
        there = {
            item.name: item for item in nested.current_resources() if item.action != status.INIT
        }
        return [_member(there[name]) for name in nested.definitions if name in there]

    def up_to_date_members(self):
        """Return the names of the members that need no update."""
        define, present = self.definition_factory(), self._current_definitions()
        return {
            each.name
            for each in self.members()
            if not each.failed and present.get(each.name) == define(each.name)
        }

    # ------------------------------------------------------------ actions

    def apply_batches(self, batches, pause=0, before=lambda batch: ()):
        """Generator: update the nested stack batch by batch, with pauses in between.

        The generator ``before(batch)`` runs before each of them.
        Raises ValueError if the pauses exceed the timeout.
        """
        if pause and pause * (len(batches) - 1) >= self.stack.timeout_seconds():
            raise ValueError('The current update policy will result in stack update timeout.')
        for number, batch in enumerate(batches):
            if number:
                yield from _wait(pause)
            yield from before(batch)
            yield from self.update_with_template(self.nested_template(batch))

    # ------------------------------------------------------------ references and attributes

    def get_reference_id(self):
        return self.resource_id or self.name

    def attribute(self, *path):
        if not path:
            return self._show_attributes()
        if self.action == status.INIT or self.nested() is None:
            return None
        member = members.member_path(path)
        if member is not None:
            return self.member_attribute(path, *member)
        first, *rest = path
        if first not in self.attributes_schema:
            return self.member_attribute_list(path)
        if first in self.by_member and rest:
            return self.values_by_member(first, rest)
        return select(self.group_attribute(first), rest)

    def _show_attributes(self):
        """Return the attributes of the group, and those of members that the parent stack reads."""
        found = {}
        for name in dict.fromkeys(
            (
                *self.attributes_schema,
                *(path[0] for path in self._attribute_paths if path[0] != SHOW),
            )
        ):
            try:
                found[name] = self.attribute(name)
            except exception.InvalidTemplateAttribute:
                continue
        return found

    def member_attribute(self, path, name, rest):
        """Return an attribute of one member."""
        nested = self.nested()
        if name not in nested.definitions:
            raise exception.GroupMemberNotFound(member=name, group=self.name)
        if not rest:
            return nested.resource_for(name).reference_id()
        return self.output(members.output_name(path), lambda: self._member_attribute(name, rest))

    def group_attribute(self, first):
        """Return an attribute of the group itself."""
        if first == REFS:
            return list(self.member_references().values())
        if first == REFS_MAP:
            return self.member_references()
        raise exception.InvalidTemplateAttribute(resource=self.name, key=first)

    def values_by_member(self, first, rest):
        """Return the values at a path in the members, of an attribute in ``by_member``."""
        return self.member_attribute_map((first, *rest), rest)

    def member_attribute_list(self, path):
        """Return the list of an attribute's values of all members."""
        return self.output(
            members.output_name(path),
            lambda: [self._member_attribute(name, path) for name in self.nested().definitions],
        )

    def member_references(self):
        """Return ``{name: reference}`` of all members."""
        return self.output(
            REFS_MAP,
            lambda: {
                name: self.nested().resource_for(name).reference_id()
                for name in self.nested().definitions
            },
        )

    def member_attribute_map(self, path, rest):
        return self.output(
            members.output_name(path),
            lambda: {
                name: self._member_attribute(name, rest) for name in self.nested().definitions
            },
        )

    def output(self, name, otherwise):
        """Return an output of the nested stack.

        If the nested template does not have it yet, compute it by ``otherwise``.
        """
        if name in self.nested().bound.outputs:
            return self.nested_stack.output(name)
        return otherwise()

    def _member_attribute(self, name, path):
        item = self.nested().resource_for(name)
        if not item.has_attribute(path[0]):
            raise exception.InvalidTemplateAttribute(resource=name, key=path[0])
        return item.attribute(*path)


def _file_types(template):
    """Return the types of members that are files or URLs."""
    types = [snippet.get('type') for snippet in template.resource_snippets.values()]
    return {each for each in types if isinstance(each, str) and is_template(each)}


def _member(item):
    # Heat compares whole seconds, then names: a list of a group's attributes keeps its order.
    second = item.record.created_at.replace(microsecond=0)
    return Member(item.name, (second, item.name), item.status == status.FAILED)


def _wait(seconds):
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        yield left


def draft_with_one_member(group, names):
    """Return the nested stack of a group as if it had one member, even if there is none yet.

    ``names`` is a list with its name.
    """
    missing = [
        name
        for name in coercion.required_names(group.properties_schema)
        if not group.properties.is_given(name)
    ]
    checks.raise_first(map(checks.missing_property, missing))
    define = group.definition_factory()
    return group.nested_stack.draft(
        group._complete_template(members.template({name: define(name) for name in names}, {}), None)
    )
