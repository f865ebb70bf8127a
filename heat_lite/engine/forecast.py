"""What an update would do to each resource, told beforehand. It asks the same plan and the same ``diff.decide`` as the update itself.

The walk goes through the plan in its order, changing nothing. What a resource is made of can depend on others that will only be made or
changed by then: such values are not guessed, they count as known later.
"""

import dataclasses
import graphlib
import typing

from heat_lite.engine import diff, plan, secrets
from heat_lite.template import function


@dataclasses.dataclass
class Fate:
    """What becomes of one resource. ``resource`` is the one that is there, or the one that would be where there is none yet.

    ``changes`` are Change rows, ``inside`` is the Forecast of the stack inside of it, where there is one. ``new_type`` is the type that it
    will have.
    """

    resource: typing.Any
    decision: diff.Decision
    changes: list
    new_type: str | None = None
    inside: typing.Any = None

    @property
    def action(self):
        return self.decision.action


class Change(typing.NamedTuple):
    """One property: ``after`` is None when it is not ``known`` before the update; values of secrets are masked."""

    property: str
    before: typing.Any
    after: typing.Any
    known: bool
    forces: bool
    secret: bool


class Forecast(typing.NamedTuple):
    """``fates`` in the order of the plan; ``stack`` is the stack as it would be."""

    stack: typing.Any
    fates: list

    def has_changes(self):
        return any(fate.action != diff.NONE or (fate.inside is not None and fate.inside.has_changes()) for fate in self.fates)

    def replaced(self):
        """The names of the resources that would, or may, be replaced, those inside of nested stacks as ``outer/inner``."""
        names = []
        for fate in self.fates:
            if fate.action == diff.REPLACE:
                names.append(fate.resource.name)
            if fate.inside is not None:
                names.extend(f'{fate.resource.name}/{name}' for name in fate.inside.replaced())
        return names


def of_update(stack, template, template_id):
    """The Forecast of an update to ``template``. ``stack`` is turned into what it would be: it is good for nothing else afterwards.

    ``template_id`` is the id of the template's row, or one that no row has where it is not stored yet.
    """
    stack.rows()
    hidden = secrets.hidden_parameters(stack.template) | secrets.hidden_parameters(template)
    stack.redefine(template, template_id)
    return _Walk(stack, hidden).walk()


def of_create(stack):
    """The Forecast for a stack that is not there yet."""
    return _Walk(stack, secrets.hidden_parameters(stack.template)).walk()


# which part of a resource will be another: all of it, or only what its attributes tell
ALL, ATTRIBUTES = 'all', 'attributes'


class _Walk:
    def __init__(self, stack, hidden):
        self._stack = stack
        self._moving = {}
        self._watch = secrets.Watch(stack.scope, hidden)

    def walk(self):
        stack = self._stack
        graph = plan.build(stack.stored_rows(), stack.requirements)
        fates = []
        for node in graphlib.TopologicalSorter(graph).static_order():
            fate = self._made(node.key) if node.forward else self._taken_away(node.key)
            if fate is not None:
                fates.append(fate)
        return Forecast(stack, fates)

    def _made(self, name):
        stack = self._stack
        definition = stack.definitions[name]
        resource = stack.resource_for(name)
        later = self._later(definition, stack.class_of(definition).properties_schema)
        decision = diff.decide(resource, definition, stack.type_changed(resource, definition), later)
        changes = [] if decision.action == diff.NONE else self._changes(resource, definition, decision)
        if decision.action in (diff.CREATE, diff.REPLACE):
            self._moving[name] = ALL
        elif decision.action == diff.UPDATE:
            self._moving[name] = ATTRIBUTES
        self._watch.learn(name, definition)
        return Fate(resource, decision, changes, definition.resource_type, self._inside(resource, definition, decision))

    def _taken_away(self, row_id):
        """Only what nobody wants any more: the old row of what is replaced is part of the replacement."""
        stack = self._stack
        record = stack.records[row_id]
        if record.name in stack.wanted or stack.best_record(record.name) is not record:
            return None
        resource = stack.resource_of(record)
        keeps = resource.definition.deletion_policy == 'Retain' or resource.definition.external_id is not None
        reason = 'it is forgotten here and stays where it is' if keeps else 'the template has it no more'
        return Fate(resource, diff.Decision(diff.DELETE, reason=reason), [])

    def _later(self, definition, schemata):
        """The properties whose values depend on what other resources will be."""
        given = definition.properties or {}
        waiting = [key for key, snippet in given.items() if self._waits(snippet)]
        return frozenset(_canonical(key, schemata) for key in waiting)

    def _waits(self, snippet):
        for name in function.dependencies(snippet):
            part = self._moving.get(name)
            if part == ALL or (part == ATTRIBUTES and function.dep_attrs(snippet, name)):
                return True
        return False

    def _changes(self, resource, definition, decision):
        target, names = resource, None
        if decision.changes is not None:
            names = [*decision.changes.properties, *sorted(decision.later)]
            after = decision.changes.properties
        else:
            target = self._anew(resource, definition)
            properties = target.properties_of(definition)
            names = [name for name in properties if properties.is_given(name) or name in (resource.record.properties or {})]
            after = {name: properties[name] for name in names if name not in decision.later}
        return [self._change(name, resource, definition, after, decision) for name in names]

    def _anew(self, resource, definition):
        """The resource of the new definition's type, which need not be that of the present one."""
        if not self._stack.type_changed(resource, definition):
            return resource
        return self._stack.class_of(definition)(resource.name, definition, self._stack, resource.record)

    def _change(self, name, resource, definition, after, decision):
        before = (resource.record.properties or {}).get(name)
        secret = self._watch.sees([*_snippets(name, definition, resource), *_snippets(name, resource.definition, resource)])
        old, new = (secrets.mask(name, value, secret) for value in (before, after.get(name)))
        return Change(name, old, new, name not in decision.later, name in decision.forced_by, secret)

    def _inside(self, resource, definition, decision):
        """The same for the stack inside of a resource. Its type tells by ``child_forecast(definition, later)``, which gives None, or the
        child as it is stored and the template that it would get, or, where there is no child yet, the child as it would be and None."""
        ask = getattr(resource, 'child_forecast', None)
        found = ask(definition, decision.later) if ask is not None else None
        if found is None:
            return None
        child, template = found
        return of_create(child) if template is None else of_update(child, template, UNSTORED)


#: the id of a template that has no row: rows have ids from 1
UNSTORED = 0


def _snippets(name, definition, resource):
    """What a definition gives for a property, under whatever name."""
    given = definition.properties or {}
    return [snippet for key, snippet in given.items() if _canonical(key, resource.properties_schema) == name]


def _canonical(name, schemata):
    schema = schemata.get(name)
    return schema.alias_of or name if schema is not None else name
