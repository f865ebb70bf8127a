"""The prediction of an update: what it would do to each resource.

It uses the plan and the ``diff.decide`` of the update itself.

The walk follows the order of the plan and changes nothing. A property can depend on resources that
will be created or changed by then: its value is not guessed but counts as known after the update.

Tests: tests/functional/test_preview.py.
"""

import dataclasses
import graphlib
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from heat_lite.common import exception, redaction
from heat_lite.common.value_types import Value, Values
from heat_lite.db import templates as db_templates
from heat_lite.engine.execution import plan
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import diff, object_import
from heat_lite.engine.stack.action_run import ActionRun
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_definition import ATTRIBUTES, IDENTITY, Foresight
from heat_lite.engine.validation import masking
from heat_lite.template import stored_properties
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.schema import PropertySchema
from heat_lite.template.template import Template
from heat_lite.template.unknown import Unknown, ValueUnknown, is_known


@dataclasses.dataclass(slots=True)
class PredictedChange:
    """The predicted change of one resource: the present one, or a new one without a row.

    ``changes`` are PropertyChange rows; ``nested`` is the UpdatePreview of its nested stack,
    UNKNOWN, or None; ``new_type`` is the type that it will have. ``condition`` is its
    condition while that is not known: then it may not be there. ``ignored`` are the paths of
    properties whose changes it ignores; its lifecycle may have ``prevented`` the change.
    """

    resource: Resource
    decision: diff.Decision
    changes: Sequence['PropertyChange']
    new_type: str | None = None
    nested: 'UpdatePreview | None' = None
    condition: Unknown | None = None
    prevented: bool = False
    ignored: Collection[str] = ()

    @property
    def action(self) -> str:
        return self.decision.action


class PropertyChange(typing.NamedTuple):
    """The change of one property; secrets are masked.

    ``after`` has Unknowns where the value is not ``known`` before the update.
    """

    property: str
    before: Value
    after: Value
    known: bool
    forces: bool
    secret: bool


class UpdatePreview(typing.NamedTuple):
    """The predicted changes, in the order of the plan; ``stack`` is the stack as it would be."""

    stack: Stack | None
    resources: list[PredictedChange]
    taint: masking.TaintTracker | None = None
    foresight: Foresight | None = None

    def has_changes(self) -> bool:
        return any(change.action != diff.NONE for change in self.resources)

    def replaced(self) -> list[str]:
        """Return the names of the resources that would, or may, be replaced: ``outer/inner``."""
        unknown = ['(known after apply)']
        return list(self._names(lambda change: change.action == diff.REPLACE, unknown))

    def prevented(self) -> list[str]:
        """Return the names of the resources whose lifecycle forbids their change."""
        return list(self._names(lambda change: change.prevented))

    def _names(
        self, applies: Callable[[PredictedChange], bool], unknown: Collection[str] = ()
    ) -> Iterator[str]:
        for change in self.resources:
            name = change.resource.name
            if applies(change):
                yield name
            if change.nested is not None:
                inner = change.nested._names(applies, unknown)
                names = unknown if change.nested is UNKNOWN else inner
                yield from (f'{name}/{each}' for each in names)


_UNCHANGED = diff.Decision(diff.NONE)
#: no names of parameters
NONE: frozenset[str] = frozenset()


def predict_update(
    stack: Stack, template: Template, template_id: int, hidden: frozenset[str] = NONE
) -> UpdatePreview:
    """Return the UpdatePreview of an update to ``template``. Uses ``stack`` up.

    ``template_id`` is the id of the template's row, UNSTORED where it has none. ``hidden`` are the
    parameters of a nested stack with secret values.
    """
    for row in stack.records.all():
        if row.current_template_id is None:  # of Heat's legacy engine
            row.current_template_id = stack.template_id
    hidden |= masking.hidden_parameters(stack.template)
    stack.redefine(template, template_id)
    return _Walk(stack, hidden).walk()


def predict_create(stack: Stack, hidden: frozenset[str] = NONE) -> UpdatePreview:
    """Return the UpdatePreview of a stack that is not stored."""
    return _Walk(stack, hidden).walk()


def predict_delete(stack: Stack) -> UpdatePreview:
    """Return the UpdatePreview of a delete. Uses ``stack`` up."""
    stack.run = ActionRun(deleting=True)
    return _Walk(stack, NONE).walk()


def stack_changes(
    predicted: UpdatePreview, parameters: Values, outputs: Values
) -> tuple[list[PropertyChange], list[PropertyChange]]:
    """Return the changes of parameters and of outputs; ``parameters`` and ``outputs`` are those
    before the update.
    """
    stack: Value = predicted.stack
    taint: Value = predicted.taint
    snippets = {key: definition.value for key, definition in stack.bound.outputs.items()}
    with stack.foreseen(predicted.foresight):
        after = stack.outputs.foreseen()
    tainted = {key for key in snippets if taint.is_tainted([snippets[key]])}
    return (
        _changed(parameters, stack.parameters.with_values(), taint.hidden, _hide),
        _changed(outputs, after, tainted, lambda name, value: taint.mask(value, [snippets[name]])),
    )


def _changed(
    before: Values, after: Values, secret: Collection[str], mask: Callable[[str, Value], Value]
) -> list[PropertyChange]:
    changes = []
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        known = is_known(new)
        if not known or old != new:
            if name in secret:
                old, new = mask(name, old), mask(name, new)
            changes.append(_masked(PropertyChange(name, old, new, known, False, name in secret)))
    return changes


def _hide(name: str, value: Value) -> Value:
    return masking.mask(name, value, secret=True)


def _masked(change: PropertyChange) -> PropertyChange:
    """Return a change without the values of keys that are secret by their names."""
    before, after = (
        value if isinstance(value, Unknown) else masking.mask(change.property, value)
        for value in (change.before, change.after)
    )
    secret = change.secret or redaction.is_secret_name(change.property)
    return change._replace(before=before, after=after, secret=secret)


#: the nested stack of a resource whose template is known only later
UNKNOWN = UpdatePreview(None, [])


class _Walk:
    def __init__(self, stack: Stack, hidden: frozenset[str]) -> None:
        self._stack = stack
        self._foresight = Foresight()
        self._changing = self._foresight.changing
        self._taint = masking.TaintTracker(
            stack.scope, hidden | masking.hidden_parameters(stack.template)
        )

    def walk(self) -> UpdatePreview:
        with self._stack.foreseen(self._foresight):
            return self._walk()

    def _walk(self) -> UpdatePreview:
        stack = self._stack
        wanted = {} if stack.run.deleting else stack.requirements
        # the old row of a wanted resource changes nothing that a preview shows
        rows = [row for row in stack.records.stored() if row.name not in wanted]
        graph = plan.build(rows, wanted)
        changes = []
        for node in graphlib.TopologicalSorter(graph).static_order():
            change = self._applied(node.key) if node.forward else self._deleted(node.key)
            if change is not None:
                changes.append(change)
        return UpdatePreview(stack, changes, self._taint, self._foresight)

    def _applied(self, name: str) -> PredictedChange:
        stack = self._stack
        definition = stack.definitions[name]
        resource = stack.resource_for(name)
        if name in stack.run.kept:
            return PredictedChange(resource, _UNCHANGED, ())
        if diff.is_kept(resource, definition):
            return self._kept(resource, definition)
        cls = stack.class_of(definition)
        future = cls.build(name, definition, stack, resource.record)
        given = future.properties.raw_values()
        later = frozenset(key for key, value in given.items() if not is_known(value))
        new_type = type(resource) is not cls and stack.type_changed(resource, definition)
        decision = diff.decide(resource, definition, new_type, later)
        if decision.action == diff.IMPORT:
            decision = self._imported(resource, decision)
        nested = self._nested(resource, future, decision)
        if nested is not None and _only_checks_nested(decision) and not nested.has_changes():
            decision = _UNCHANGED
        changes = self._changes(resource, future, decision) if decision.action != diff.NONE else ()
        if decision.action in (diff.CREATE, diff.REPLACE) or resource.resource_id is None:
            self._changing[name] = IDENTITY
        elif decision.action == diff.UPDATE or any(decision.changes or ()) or decision.later:
            self._changing[name] = ATTRIBUTES
        if decision.action != diff.NONE and decision.reason is None:
            decision = decision._replace(reason=future.foreseen_text())
        self._taint.record(name, definition, future.has_secret_value)
        condition = stack.bound.undecided.get(name)
        replaces = decision.action == diff.REPLACE
        return PredictedChange(
            resource,
            decision,
            changes,
            definition.resource_type,
            nested,
            condition,
            replaces and not decision.may_replace and diff.prevents_destroy(resource, definition),
            () if replaces else _ignored(resource, definition),
        )

    def _kept(self, resource: Resource, definition: ResourceDefinition) -> PredictedChange:
        name = definition.name
        if resource.resource_id is None:
            self._changing[name] = IDENTITY
        self._taint.record(name, definition, resource.has_secret_value)
        condition = self._stack.bound.undecided.get(name)
        return PredictedChange(resource, _UNCHANGED, (), condition=condition)

    def _imported(self, resource: Resource, decision: diff.Decision) -> diff.Decision:
        """Give the resource its object and live properties. Return what differs from these."""
        object_id = object_import.object_id(resource)
        if not is_known(object_id):
            return decision
        item, found = object_import.compare(resource, decision.later)
        project, given = object_import.other_project(item), f'it becomes the object {object_id}'
        record, taken = resource.record, item.record
        record.nova_instance, record.properties = taken.nova_instance, taken.properties
        return found._replace(
            action=diff.IMPORT,
            changes=found.changes or diff.Changes({}, {}),
            reason=given if project is None else f'{given} of the project {project}',
        )

    def _deleted(self, row_id: int) -> PredictedChange | None:
        """The deletion of an unwanted row; the old row of a replaced resource is none."""
        stack = self._stack
        record = stack.records.by_id[row_id]
        is_best = stack.records.best(record.name) is record
        if record.name in stack.wanted or record.name in stack.run.kept or not is_best:
            return None
        resource = stack.resource_of(record)
        keeps = diff.keeps_object(resource)
        reason = (
            'the stack forgets the resource, its object stays'
            if keeps
            else 'the template no longer contains the resource'
        )
        decision = diff.Decision(diff.DELETE, reason=reason)
        nested, prevented = self._deleted_nested(resource), diff.prevents_destroy(resource)
        return PredictedChange(resource, decision, [], None, nested, prevented=prevented)

    def _deleted_nested(self, resource: Resource) -> UpdatePreview | None:
        """The prediction for the nested stack of a resource that goes, None where none goes."""
        child = None if diff.keeps_object(resource) else self._child(resource)
        return None if child is None else predict_delete(child)

    def _changes(
        self, resource: Resource, future: Resource, decision: diff.Decision
    ) -> list[PropertyChange]:
        if decision.changes is not None:
            names = [*decision.changes.properties, *sorted(decision.later)]
            after = dict(decision.changes.properties)
        else:
            properties = future.properties
            names = [
                name
                for name in properties
                if properties.is_given(name) or _stored(name, resource) is not None
            ]
            after = {name: properties[name] for name in names if name not in decision.later}
        after |= {name: future.properties.value_without_lookup(name) for name in decision.later}
        return [self._change(name, resource, future, after, decision) for name in names]

    def _change(
        self,
        name: str,
        resource: Resource,
        future: Resource,
        after: Values,
        decision: diff.Decision,
    ) -> PropertyChange:
        mask, new, old = self._taint.mask, _snippets(name, future), _snippets(name, resource)
        present, following = _stored(name, resource), after.get(name)
        before = mask(mask(present, old), new, exact=False)
        wanted = mask(mask(following, new), old, exact=False)
        known, forces = name not in decision.later, name in decision.forced_by
        # masked values look equal: a secret that stays is no change
        stays = is_known(following) and present == following
        secret = not stays and self._taint.is_tainted([*new, *old])
        return _masked(PropertyChange(name, before, wanted, known, forces, secret))

    def _nested(
        self, resource: Resource, future: Resource, decision: diff.Decision
    ) -> UpdatePreview | None:
        """The prediction for the nested stack of a resource, None where there is none.

        ``future`` is the resource by its new definition.
        """
        if decision.action == diff.NONE:
            return None
        wanted = self._wanted_nested(resource, future, decision)
        if decision.action != diff.REPLACE or wanted is UNKNOWN:
            return wanted
        gone = self._deleted_nested(resource)
        if gone is None or wanted is None:
            return gone or wanted
        return UpdatePreview(wanted.stack, [*gone.resources, *wanted.resources])

    def _wanted_nested(
        self, resource: Resource, future: Resource, decision: diff.Decision
    ) -> UpdatePreview | None:
        """The prediction for the nested stack that the resource will have."""
        try:
            draft = future.preview_nested(decision.action == diff.UPDATE)
        except ValueUnknown:
            return UNKNOWN
        if draft is None:
            return None
        hidden = self._hidden_parameters(future, set(draft.template.parameter_schemata))
        child = self._child(resource) if decision.action == diff.UPDATE else None
        return (
            predict_create(draft, hidden)
            if child is None
            else predict_update(child, draft.template, stored_id(child, draft.template), hidden)
        )

    def _hidden_parameters(self, resource: Resource, parameters: set[str]) -> frozenset[str]:
        """The parameters that get secrets; a property that is no parameter concerns all of them,
        or without any ``masking.ALL``.
        """
        schemata, given = resource.properties_schema, resource.definition.properties or {}
        secret = {
            _canonical(key, schemata)
            for key, snippet in given.items()
            if self._taint.is_tainted([snippet])
        }
        return frozenset(secret if secret <= parameters else parameters or {masking.ALL})

    @staticmethod
    def _child(resource: Resource) -> Stack | None:
        """The nested stack of a resource, read anew, or None."""
        nested = getattr(resource, 'nested_stack', None)
        if nested is None:
            return None
        nested.refresh()
        child = nested.stack
        nested.refresh()  # the prediction changes ``child``, so later readers need another copy
        return child


def _ignored(resource: Resource, definition: ResourceDefinition) -> Sequence[str]:
    """The paths at which the resource keeps other values than the definition has."""
    paths, stored = definition.ignored_paths, resource.record.properties
    if not paths or stored is None:
        return ()
    schemata, keep = resource.properties_schema, stored_properties.with_stored_parts
    given = stored_properties.by_current_names(definition.properties or {}, schemata)
    given, stored = (
        resource.stack.resolve(given),
        stored_properties.by_current_names(stored, schemata),
    )
    return [path for path in paths if keep(given, stored, [path]) != given]


def _only_checks_nested(decision: diff.Decision) -> bool:
    """Whether the update has no change of its own and leaves the decision to the nested stack."""
    return (
        decision.action == diff.UPDATE
        and decision.changes == diff.Changes({}, {})
        and not decision.later
        and decision.reason is None
    )


def stored_id(stack: Stack, template: Template) -> int:
    """Return the id of the row that holds an equal template, UNSTORED where none does."""
    found = db_templates.find(*template.content()) if is_known(template.content()) else None
    return UNSTORED if found is None else found


#: the id of a template without a row: ids of rows begin with 1
UNSTORED = 0


def _stored(name: str, resource: Resource) -> Value:
    """The value that a property has; None if a failed create has stored none."""
    try:
        return resource.stored_properties().get(name)
    except exception.StackValidationFailed:
        return None


def _snippets(name: str, resource: Resource) -> list[Value]:
    """The values that a definition gives for a property, under its name or an alias."""
    given, schemata = resource.definition.properties or {}, resource.properties_schema
    return [snippet for key, snippet in given.items() if _canonical(key, schemata) == name]


def _canonical(name: str, schemata: Mapping[str, PropertySchema]) -> str:
    schema = schemata.get(name)
    return schema.alias_of or name if schema is not None else name
