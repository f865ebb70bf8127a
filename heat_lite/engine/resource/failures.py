"""The failures of a stack, stored with it: a rollback or delete removes failed resources, but not
their reasons.

The list begins with the cause and is bounded. An update starts a new list; a rollback, a delete and
a retry append to it.
"""

import dataclasses
import traceback
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values
from heat_lite.db import column_types, stacks as db_stacks
from heat_lite.template import dependencies

if TYPE_CHECKING:
    from heat_lite.engine.execution.traversal import Outcome
    from heat_lite.engine.resource.resource import Resource
    from heat_lite.engine.stack.stack import Stack

#: maximum number of entries: of more, the first and the last half are kept
LIMIT = 30
TEXT = 2000
#: key of the data of a resource whose service has refused to make its object
REFUSED = 'create_refused'
#: number of places in the code, from the inmost outwards, that a log line names
PLACES = 3
#: value of ``Outcome.stopped`` after a timeout
TIMEOUT = 'timeout'
#: text in the status reason of a check, before the properties changed by others
DRIFT = 'changed by others: '


def merge(stack: 'Stack', entries: Iterable[Values]) -> None:
    """Add entries that another engine has noted for the same action."""
    known = stack.failures = stack.failures if stack.failures is not None else []
    for entry in entries:
        if not any(_is_same(each, entry) for each in known):
            known.append(dict(entry))
            if len(known) > LIMIT:
                del known[LIMIT // 2]
    _store(stack)


def clear(stack: 'Stack') -> None:
    """Start a new list."""
    if stack.failures:
        stack.store(failures=[])


def note(resource: 'Resource', action: str, reason: BaseException | str) -> None:
    """Add the failure of a resource."""
    _add(
        resource.stack,
        resource_name=resource.name,
        resource_type=resource.type(),
        physical_resource_id=resource.resource_id,
        action=action,
        reason=reason,
        changed=resource.changing if action == status.UPDATE else (),
    )


def note_refusal(resource: 'Resource', action: str, error: BaseException | None) -> None:
    """Note that a create has made no object: an object that is found belongs to somebody else."""
    while error is not None and not getattr(error, 'made_nothing', False):
        error = error.__cause__
    if error is not None and action == status.CREATE and resource.resource_id is None:
        resource.data_set(REFUSED, 'true')


def forget_refusal(resource: 'Resource') -> None:
    if REFUSED in resource.data():
        resource.data_delete(REFUSED)


def note_end(stack: 'Stack', action: str, error: BaseException | str) -> None:
    """Add the failure of an action that no single resource caused: a timeout or an internal
    error.
    """
    if not isinstance(error, exception.ResourceFailure):
        _add(
            stack,
            resource_name=None,
            resource_type=None,
            physical_resource_id=None,
            action=action,
            reason=error,
        )


def note_walk(stack: 'Stack', action: str, outcome: 'Outcome', reason: str) -> None:
    """Add the failure of a walk, by timeout or by errors. A stop by the user is no failure."""
    if outcome.errors:
        note_end(stack, action, outcome.errors[0])
    elif outcome.stopped == TIMEOUT:
        note_end(stack, action, reason)
    if action == status.DELETE:
        _note_held(stack)


def _note_held(stack: 'Stack') -> None:
    """Add to each failed delete the resources that it keeps from being deleted: those it
    requires.
    """
    rows = [row for row in stack.records.all() if row.id is not None]
    needs = {row.id: set(row.requires or ()) for row in rows}
    names = {row.id: row.name for row in rows}
    ids = {row.name: row.id for row in rows}
    for each in stack.failures or ():
        if each['stack_action'] == status.DELETE and each['resource_name'] in ids:
            held = dependencies.reached(needs, [ids[each['resource_name']]])
            each['holds'] = sorted(
                {names[row_id] for row_id in held if row_id in names} - {each['resource_name']}
            )
    _store(stack)


# --------------------------------------------------------------- forgotten objects


def forget(resource: 'Resource') -> None:
    """Mark the failure of a resource as forgotten: the object stays in the cloud, unknown to the
    service.
    """
    for each in reversed(resource.stack.failures or ()):
        if (
            each['resource_name'] == resource.name
            and each['physical_resource_id'] == resource.resource_id
        ):
            each['forgotten'] = True
            _store(resource.stack)
            return


def gather(resource: 'Resource') -> None:
    """Copy the forgotten objects of a nested stack to the list of its parent."""
    nested = getattr(resource, 'nested_stack', None)
    if nested is None:
        return
    nested.refresh()
    for each in forgotten(nested.stack):
        _add(
            resource.stack, **{**each, 'resource_name': f'{resource.name}/{each["resource_name"]}'}
        )


def forgotten(stack: 'Stack | None') -> list[Values]:
    """Return the failures of objects that were forgotten."""
    return [each for each in (stack and stack.failures) or () if each.get('forgotten')]


def abandon_remaining(stack: 'Stack', outcome: 'Outcome') -> 'Outcome':
    """Forget what a forced delete has not deleted within its time limit.

    Return the outcome without errors.
    """
    if outcome.stopped not in (None, TIMEOUT):
        return outcome
    for row in list(stack.records.all()):
        resource = stack.resource_of(row)
        if resource.resource_id is not None:
            note(resource, status.DELETE, resource.status_reason or 'it was not reached')
            forget(resource)
            _forget_nested(stack, resource, resource.name)
        stack.forget(row)
    for error in outcome.errors:
        note_end(stack, status.DELETE, error)
    return dataclasses.replace(outcome, errors=[], stopped=None)


def _forget_nested(stack: 'Stack', resource: 'Resource', path: str) -> None:
    """Forget the nested stack of a forgotten resource.

    Its remaining objects go to the list of the parent.
    """
    nested = getattr(resource, 'nested_stack', None)
    if nested is not None:
        nested.refresh()
    child = nested and nested.stack
    if not child or child.deleted_at is not None:
        return
    for row in child.records.all():
        item, name = child.resource_of(row), f'{path}/{row.name}'
        if item.resource_id is not None:
            entry = {
                'resource_name': name,
                'resource_type': item.type(),
                'physical_resource_id': item.resource_id,
                'action': status.DELETE,
            }
            _add(stack, **entry, reason=item.status_reason, forgotten=True)
            _forget_nested(stack, item, name)
    reason = f'Forgotten with stack {stack.name} ({stack.id})'
    db_stacks.delete(
        child.id,
        {'action': status.DELETE, 'status': status.COMPLETE, 'status_reason': reason},
    )


def remaining_summary(stack: 'Stack') -> str:
    """Return a sentence about the objects that a delete has forgotten, for the status reason, or
    an empty text.
    """
    remaining = forgotten(stack)
    if not remaining:
        return ''
    names = ', '.join(
        f'{each["resource_name"]} ({each["physical_resource_id"]})' for each in remaining
    )
    return f'. Left behind: {names}'


def check_summary(resources: 'Collection[Resource]') -> str:
    """Return what a check of these resources found besides failures, for the status reason."""
    words = (
        ''
        if all(hasattr(each, 'handle_check') for each in resources)
        else ". 'CHECK' not fully supported (see resources)"
    )
    changed = sorted(each.name for each in resources if DRIFT in (each.status_reason or ''))
    return (
        f'{words}. {DRIFT.capitalize()}{", ".join(changed)} (see resources)' if changed else words
    )


# --------------------------------------------------------------- the list


def _add(stack: 'Stack', **values: Value) -> None:
    entries = stack.failures = stack.failures if stack.failures is not None else []
    entry = {
        **values,
        'reason': column_types.truncate(stack.redact(values['reason']), TEXT),
        'stack_action': stack.action,
        'time': stack.utcnow().isoformat() + 'Z',
        'times': 1,
    }
    for each in entries:
        # repeated failures with the same reason are counted in one entry
        if _is_same(each, entry):
            each.update(time=entry['time'], times=each['times'] + 1)
            break
    else:
        entries.append(entry)
        if len(entries) > LIMIT:
            del entries[LIMIT // 2]
    _store(stack)


def _is_same(entry: Values, other: Values) -> bool:
    same = ('resource_name', 'action', 'reason', 'physical_resource_id', 'stack_action')
    return all(entry.get(key) == other[key] for key in same)


def _store(stack: 'Stack') -> None:
    # copies: the journal writes them while handlers in other threads append to the list
    stack.journal.stack(failures=[dict(each) for each in stack.failures or ()])


def kind_of(error: BaseException) -> str:
    """Return the class of an error for a log line; of an error of a plug-in also its place."""
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)[-PLACES:]
    if isinstance(error, exception.HeatException) or not frames:
        return name
    places = ', '.join(f'{frame.filename}:{frame.lineno} {frame.name}' for frame in frames)
    return f'{name} at {places}'
