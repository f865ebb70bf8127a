"""The preview of a create or an update as the API shows it, and the refusal of replacements.

Tests: tests/functional/test_preview.py.
"""

import functools
from collections.abc import Collection

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values
from heat_lite.engine.execution import template_moves
from heat_lite.engine.execution.prediction import (
    UNKNOWN,
    PredictedChange,
    PropertyChange,
    UpdatePreview,
    predict_create,
    predict_delete,
    predict_update,
    stack_changes,
    stored_id,
)
from heat_lite.engine.resource import fingerprint
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import diff, format, lifecycle, object_import
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_definition import Foresight
from heat_lite.engine.validation import validation
from heat_lite.rpc import api
from heat_lite.template import unknown
from heat_lite.template.template import Template

#: the list of Heat's answer that a resource belongs to, by its predicted action
LISTS = {
    diff.NONE: 'unchanged',
    diff.UPDATE: 'updated',
    diff.REPLACE: 'replaced',
    diff.CREATE: 'added',
    diff.DELETE: 'deleted',
}


def format_update(predicted: UpdatePreview, with_nested: bool = False) -> Values:
    """Return the lists of LISTS and ``has_changes``.

    ``with_nested`` adds the resources of nested stacks to the same lists, as Heat does; in any case
    they are in ``nested`` of their parent resource.
    """
    answer: Values = {name: [] for name in LISTS.values()}
    _fill(answer, predicted, with_nested)
    answer['has_changes'] = predicted.has_changes()
    return answer


def _fill(
    answer: Values, predicted: UpdatePreview, with_nested: bool, parent: str | None = None
) -> None:
    of_stack = {}
    for change in predicted.resources:
        stack = change.resource.stack  # that of a deleted resource may be another
        if stack not in of_stack:
            of_stack[stack] = stack.required_by(), format.identity_of(stack)
        required_by, identity = of_stack[stack]
        names = required_by.get(change.resource.name, ())
        answer[_list_of(change)].append(format_resource(change, names, parent, identity))
        if with_nested and change.nested not in (None, UNKNOWN):
            _fill(answer, change.nested, with_nested, change.resource.name)


def _list_of(change: PredictedChange) -> str:
    """The list of a resource. Heat lists each one with a nested stack as updated."""
    return (
        'updated'
        if change.action == diff.NONE and change.nested is not None
        else LISTS.get(change.action, 'added')  # of an imported one, too
    )


def format_resource(
    change: PredictedChange,
    required_by: Collection[str] = (),
    parent: str | None = None,
    identity: Values | None = None,
) -> Values:
    """Return the resource, as it is or would be, with its predicted change.

    ``identity`` is that of its stack, if the caller knows it.
    """
    result = format.resource(change.resource, required_by, True, parent=parent, identity=identity)
    # attributes of a nested stack may be made of parameters that are not known yet
    for part in ('physical_resource_id', 'metadata', 'attributes'):
        result[part] = unknown.as_heat_shows(result[part])
    if change.action in (diff.CREATE, diff.IMPORT, diff.REPLACE):
        result['resource_type'] = change.new_type
    if change.action in (diff.CREATE, diff.IMPORT):
        result.update(creation_time=None, updated_time=None)
    result.update(format_change(change))
    if change.nested not in (None, UNKNOWN):
        result['nested'] = format_update(change.nested)
    return result


def format_change(change: PredictedChange) -> Values:
    """Return the keys that describe a predicted change, without that of a nested stack."""
    decision = change.decision
    result: Values = {
        'action': change.action,
        'reason': decision.reason,
        'forced_by': list(decision.forced_by),
        'may_replace': decision.may_replace,
        'property_changes': [_property_change(each) for each in change.changes],
        'definition_changes': sorted(set(decision.changes.definition) - {'properties'})
        if decision.changes is not None
        else [],
    }
    if change.condition is not None:
        result.update(format.unknown_parts({'condition': change.condition}))
    if change.ignored:
        result['ignored_changes'] = list(change.ignored)
    if change.nested is UNKNOWN:
        result['nested'] = None
    return result


def _property_change(change: PropertyChange) -> Values:
    return {
        'property': change.property,
        'before': change.before,
        'after': unknown.map_known(change.after, lambda part: None),
        'known': change.known,
        'forces_replacement': change.forces,
        'secret': change.secret,
        **({} if change.known else format.unknown_parts({change.property: change.after})),
    }


def preview_create(stack: Stack, with_live: bool = False, with_values: bool = True) -> Values:
    """Return the preview of a stack that is not stored, with its resources.

    ``with_live`` adds the live properties of the objects that ``external_id`` names. Without
    ``with_values`` the properties are only among the changes, which mask secrets.
    """
    stack.foresight = Foresight()
    result = format.stack(stack)
    predicted = predict_create(stack)
    result['nested_resources'] = []
    result['resources'] = _resources(predicted, result['nested_resources'], with_live, with_values)
    result['has_changes'] = True
    _, outputs = stack_changes(predicted, {}, {})
    result.update(
        format.unknown_parts({'outputs': {each.property: each.after for each in outputs}})
    )
    result['output_changes'] = list(map(_property_change, outputs))
    return result


def _resources(
    predicted: UpdatePreview,
    nested: list[Values],
    with_live: bool = False,
    with_values: bool = True,
) -> list[Value]:
    """The resources of a new stack. A list stands for one that has a nested stack; it is added to
    ``nested``.
    """
    stack: Value = predicted.stack
    required_by = stack.required_by()
    changes = {each.resource.name: each for each in predicted.resources}
    result: list[Value] = []
    for name in stack.definitions:
        item, change = stack.resource_for(name), changes[name]
        if change.nested not in (None, UNKNOWN):
            named = {'resource_name': name, 'resource_type': item.type()}
            nested.append({**named, **format_change(change)})
            result.append(_resources(change.nested, nested, with_values=with_values))
        else:
            show = (
                format.preview if with_values else functools.partial(format.resource, detail=True)
            )
            shown = show(item, required_by.get(name, ()))
            live = _live(item) if with_live and item.definition.external_id is not None else {}
            result.append({**format_change(change), **shown, **live})
    return result


def _live(item: Resource) -> Values:
    """Return the live properties of an existing object, or the reason why there are none."""
    item.record.nova_instance = item.external_id()
    try:
        found = item.live_properties()
    except Exception as error:  # the error of a service, or of a type that needs more properties
        return {'live_error': item.stack.redact(error) or type(error).__name__}
    if found is None:
        return {'live_error': f'The objects of {item.type()} cannot be read: {item.not_compared}'}
    project = None if item.context.is_admin else object_import.other_project(item)
    owner = object_import.owner(item)
    return {'live_properties': found, 'live_owner': owner, 'live_project': project}


def preview_update(
    stack: Stack,
    template: Template,
    values: Values,
    with_nested: bool = False,
    converge: bool = False,
    not_applied: Collection[str] = (),
) -> Values:
    """Return the preview of an update to ``template``. Uses ``stack`` up.

    ``values`` are the columns that the update would change. With ``converge`` the present
    properties are those of the live objects, as in an update with it.
    """
    present, wanted = (
        fingerprint.stack_fingerprint(stack),
        fingerprint.stack_fingerprint(stack, template, values),
    )
    parameters = stack.parameters.with_values()
    work = template_moves.find(stack, template)
    if work is not None:
        stack = work.foreseen()
    if converge:
        _observe(stack)
    outputs = stack.outputs.read_all(stack.limits.attribute_timeout)
    before = parameters, _values(outputs)
    predicted = _predicted(stack, template)
    answer = format_update(predicted, with_nested)
    answer['has_changes'] = answer['has_changes'] or wanted != present
    answer['parameter_changes'], answer['output_changes'] = (
        list(map(_property_change, each)) for each in stack_changes(predicted, *before)
    )
    refused = _refusal(stack)
    if refused is None and (names := predicted.prevented()):
        refused = str(_prevented(stack, names))
    answer.update(digest=wanted, present_digest=present, refused=refused)
    if not_applied:
        answer[api.NOT_APPLIED] = list(not_applied)
    if work is not None:
        answer['moved'] = work.shown
    stack.forget_rows()  # a circle that only a collection of garbage would free
    return answer


def not_applied(stack: Stack, template: Template, kept: Collection[str]) -> list[str]:
    """Return the resources among ``kept`` that the template would change. Uses ``stack`` up."""
    changes = _predicted(stack, template).resources if kept else ()
    names = {change.resource.name for change in changes if change.action != diff.NONE}
    return sorted(names.intersection(kept))


def _prevented(stack: Stack, names: list[str]) -> exception.DestroyPrevented:
    return exception.DestroyPrevented(stack_name=stack.name, resources=', '.join(names))


def _values(outputs: list[Values]) -> Values:
    return {each['output_key']: each['output_value'] for each in outputs}


def _observe(stack: Stack) -> None:
    for item in stack.current_resources():
        for _ in lifecycle.observe(item):
            pass


def refuse_create(stack: Stack) -> None:
    """Raise StackValidationFailed where a create would import what it cannot."""
    foresight, stack.foresight = stack.foresight, Foresight()
    predict_create(stack)
    stack.foresight = foresight
    stack.drop_resources()


def refuse_update(stack: Stack, template: Template, forbids_replacement: bool) -> None:
    """Raise ReplacementRefused where an update would, or may, replace resources that it must not;
    DestroyPrevented where a lifecycle forbids what it would do; StackValidationFailed where it
    would import what it cannot.

    Uses ``stack`` up.
    """
    work = template_moves.find(stack, template)
    predicted = _predicted(stack if work is None else work.foreseen(), template)
    if forbids_replacement and (names := predicted.replaced()):
        raise exception.ReplacementRefused(stack_name=stack.name, resources=', '.join(names))
    if names := predicted.prevented():
        raise _prevented(stack, names)


def refuse_delete(stack: Stack) -> None:
    """Raise DestroyPrevented where a lifecycle forbids the delete. Uses ``stack`` up."""
    if names := predict_delete(stack).prevented():
        raise _prevented(stack, names)


def _predicted(stack: Stack, template: Template) -> UpdatePreview:
    return predict_update(stack, template, stored_id(stack, template))


def _refusal(stack: Stack) -> str | None:
    """Why an update would not begin now; None when it would."""
    try:
        validation.not_exclusive(stack)  # an update interrupts other actions
    except exception.ActionInProgress as error:
        return str(error)
    if stack.action in (status.SUSPEND, status.DELETE):
        return f'The stack is {stack.action}_{stack.status}.'
    return None
