"""What an update would do to each resource, told beforehand. It asks the same plan and the same ``diff.decide`` as the update itself.

The walk goes through the plan in its order, changing nothing. What a resource is made of can depend on others that will only be made or
changed by then: such values are not guessed, they count as known later.
"""

import dataclasses
import graphlib
import typing

from heat_lite.common import exception
from heat_lite.db import templates as db_templates
from heat_lite.engine import diff, plan, secrets
from heat_lite.template import function


@dataclasses.dataclass
class Fate:
    """What becomes of one resource. ``resource`` is the one that is there, or the one that would be where there is none yet.

    ``changes`` are Change rows, ``inside`` is the Forecast of the stack inside of it, where there is one (or UNKNOWN). ``new_type`` is
    the type that it will have.
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
        return any(fate.action != diff.NONE for fate in self.fates)

    def replaced(self):
        """The names of the resources that would, or may, be replaced, those inside of nested stacks as ``outer/inner``."""
        names = []
        for fate in self.fates:
            if fate.action == diff.REPLACE:
                names.append(fate.resource.name)
            if fate.inside is UNKNOWN:
                names.append(f'{fate.resource.name}/(known later)')
            elif fate.inside is not None:
                names.extend(f'{fate.resource.name}/{name}' for name in fate.inside.replaced())
        return names


class Given(typing.NamedTuple):
    """What a stack is told from outside: parameters whose values are secret, and those whose values are known only later."""

    hidden: frozenset = frozenset()
    later: frozenset = frozenset()


NOTHING = Given()


def of_update(stack, template, template_id, given=NOTHING):
    """The Forecast of an update to ``template``. ``stack`` is turned into what it would be: it is good for nothing else afterwards.

    ``template_id`` is the id of the template's row, or one that no row has where it is not stored yet.
    """
    stack.rows()
    hidden = secrets.hidden_parameters(stack.template)
    stack.redefine(template, template_id)
    return _Walk(stack, given._replace(hidden=given.hidden | hidden)).walk()


def of_create(stack, given=NOTHING):
    """The Forecast for a stack that is not there yet."""
    return _Walk(stack, given).walk()


def of_delete(stack):
    """The Forecast for a stack that goes. It is good for nothing else afterwards."""
    stack.going = True
    return _Walk(stack, NOTHING).walk()


#: the inside of a resource that will be made of what nobody knows yet
UNKNOWN = Forecast(None, [])

# which part of a resource will be another: all of it, or only what its attributes tell
ALL, ATTRIBUTES = 'all', 'attributes'


class _Walk:
    def __init__(self, stack, given):
        self._stack = stack
        self._moving = {}
        self._unknown = given.later
        self._watch = secrets.Watch(stack.scope, given.hidden | secrets.hidden_parameters(stack.template))

    def walk(self):
        stack = self._stack
        graph = plan.build(stack.stored_rows(), {} if stack.going else stack.requirements)
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
        future = stack.class_of(definition)(name, definition, stack, resource.record)
        later = self._later(definition, future.properties_schema)
        decision = diff.decide(resource, definition, stack.type_changed(resource, definition), later)
        inside = self._inside(resource, future, decision)
        if inside is not None and _only_looks_inside(decision) and not inside.has_changes():
            decision = diff.Decision(diff.NONE)
        changes = [] if decision.action == diff.NONE else self._changes(resource, future, decision)
        if decision.action in (diff.CREATE, diff.REPLACE):
            self._moving[name] = ALL
        elif decision.action == diff.UPDATE:
            self._moving[name] = ATTRIBUTES
        self._watch.learn(name, definition)
        return Fate(resource, decision, changes, definition.resource_type, inside)

    def _taken_away(self, row_id):
        """Only what nobody wants any more: the old row of what is replaced is part of the replacement."""
        stack = self._stack
        record = stack.records[row_id]
        if record.name in stack.wanted or stack.best_record(record.name) is not record:
            return None
        resource = stack.resource_of(record)
        keeps = resource.definition.deletion_policy == 'Retain' or resource.definition.external_id is not None
        reason = 'it is forgotten here and stays where it is' if keeps else 'the template has it no more'
        child = None if keeps else self._child(resource)
        return Fate(resource, diff.Decision(diff.DELETE, reason=reason), [], None, child and of_delete(child))

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
        if not self._unknown:
            return False
        asked = secrets.parameters_read(snippet, self._stack.scope)
        return asked is None or bool(asked & self._unknown)

    def _changes(self, resource, future, decision):
        if decision.changes is not None:
            names = [*decision.changes.properties, *sorted(decision.later)]
            after = decision.changes.properties
        else:
            properties, before = future.properties, resource.record.properties or {}
            names = [name for name in properties if properties.is_given(name) or name in before]
            after = {name: properties[name] for name in names if name not in decision.later}
        return [self._change(name, resource, future, after, decision) for name in names]

    def _change(self, name, resource, future, after, decision):
        before = (resource.record.properties or {}).get(name)
        secret = self._watch.sees([*_snippets(name, future), *_snippets(name, resource)])
        old, new = (secrets.mask(name, value, secret) for value in (before, after.get(name)))
        return Change(name, old, new, name not in decision.later, name in decision.forced_by, secret)

    def _inside(self, resource, future, decision):
        """The same for the stack inside of a resource, None where there is none. ``future`` is the resource by its new definition."""
        if decision.action == diff.NONE:
            return None
        try:
            draft = future.preview_inside()
        except exception.HeatException:
            if not decision.later:
                raise
            return UNKNOWN
        if draft is None:
            return None
        parameters = set(draft.template.parameter_schemata)
        if not decision.later <= parameters | {'parameters'}:
            return UNKNOWN  # it is made of more than values of parameters
        given = self._given(future, decision.later, parameters)
        child = self._child(resource) if decision.action == diff.UPDATE else None
        return of_create(draft, given) if child is None else of_update(child, draft.template, stored_id(child, draft.template), given)

    def _given(self, resource, later, parameters):
        """Properties are parameters of the inside, or they decide all of it."""
        schemata, given = resource.properties_schema, resource.definition.properties or {}
        secret = {_canonical(key, schemata) for key, snippet in given.items() if self._watch.sees([snippet])}
        return Given(*(frozenset(names if names <= parameters else parameters) for names in (secret, set(later))))

    @staticmethod
    def _child(resource):
        """The stack inside of a resource as it is stored, fresh, or None."""
        inside = getattr(resource, 'inside', None)
        if inside is None:
            return None
        inside.look_again()
        child = inside.stack
        inside.look_again()  # what is told of the resource itself is read anew
        return child


def _only_looks_inside(decision):
    """Whether the update is there only because the inside must find out by itself."""
    return decision.action == diff.UPDATE and decision.changes == diff.Changes({}, {}) and not decision.later and decision.reason is None


def stored_id(stack, template):
    """The id of the row that holds a template already, or one that no row has."""
    found = db_templates.find(stack.context, template.data, dict(template.environment.data), dict(template.files))
    return UNSTORED if found is None else found


#: the id of a template that has no row: rows have ids from 1
UNSTORED = 0


def _snippets(name, resource):
    """What the definition of a resource gives for a property, under whatever name."""
    given = resource.definition.properties or {}
    return [snippet for key, snippet in given.items() if _canonical(key, resource.properties_schema) == name]


def _canonical(name, schemata):
    schema = schemata.get(name)
    return schema.alias_of or name if schema is not None else name
