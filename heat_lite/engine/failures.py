"""What has failed in a stack, kept with the stack: a rollback or a delete takes the failed resources away, but not the reasons.

The list begins with the cause, and is bounded. An update begins a new one; a rollback, a delete and a retry add to it.
"""

import dataclasses

from heat_lite.common import exception, status
from heat_lite.db import stacks as db_stacks
from heat_lite.db.types import cut

#: how many are kept: of more, the first and the last half of these
LIMIT = 30
TEXT = 2000
#: how an Outcome says that time was up
TIMEOUT = 'timeout'
#: what the reason of a check says before what others have changed
DRIFT = 'changed by others: '


def clear(stack):
    """What is asked for anew makes what failed before old news."""
    if stack.failures:
        stack.failures = []
        stack.journal.stack(failures=[])


def note(resource, action, reason):
    """A resource has failed."""
    _add(
        resource.stack,
        resource_name=resource.name,
        resource_type=resource.type(),
        physical_resource_id=resource.resource_id,
        action=action,
        reason=cut(reason, TEXT),
    )


def note_end(stack, action, error):
    """An action has failed by what no single resource is to blame for: time was up, or the fault is ours."""
    if not isinstance(error, exception.ResourceFailure):
        _add(stack, resource_name=None, resource_type=None, physical_resource_id=None, action=action, reason=cut(error, TEXT))


def note_walk(stack, action, outcome, reason):
    """A walk has failed: by time, or by errors. What its user has stopped is no failure."""
    if outcome.errors:
        note_end(stack, action, outcome.errors[0])
    elif outcome.stopped == TIMEOUT:
        note_end(stack, action, reason)
    if action == status.DELETE:
        _name_what_is_held(stack)


def _name_what_is_held(stack):
    """Each failed delete says which resources are still there because of it: those that it uses go after it."""
    rows = [row for row in stack.rows() if row.id is not None]
    needs = {row.id: set(row.requires or ()) for row in rows}
    names = {row.id: row.name for row in rows}
    ids = {row.name: row.id for row in rows}
    for each in stack.failures or ():
        if each['stack_action'] == status.DELETE and each['resource_name'] in ids:
            held = _reached(ids[each['resource_name']], needs)
            each['holds'] = sorted({names[row_id] for row_id in held if row_id in names} - {each['resource_name']})
    _store(stack)


def _reached(start, needs):
    found, waiting = set(), [start]
    while waiting:
        for row_id in needs.get(waiting.pop(), ()):
            if row_id not in found:
                found.add(row_id)
                waiting.append(row_id)
    return found


# --------------------------------------------------------------- what is left behind


def forget(resource):
    """The object stays in the cloud, and is known no more: its failure says so."""
    for each in reversed(resource.stack.failures or ()):
        if each['resource_name'] == resource.name and each['physical_resource_id'] == resource.resource_id:
            each['forgotten'] = True
            _store(resource.stack)
            return


def gather(resource):
    """What the stack inside of a resource has left behind is told by the stack around it, too."""
    inside = getattr(resource, 'inside', None)
    if inside is None:
        return
    inside.look_again()
    for each in forgotten(inside.stack):
        _add(resource.stack, **{**each, 'resource_name': f'{resource.name}/{each["resource_name"]}'})


def forgotten(stack):
    """The failures of objects that are still there and that nobody knows any more."""
    return [each for each in (stack and stack.failures) or () if each.get('forgotten')]


def leave_behind(stack, outcome):
    """A delete that shall end in any case has not got everything by its time limit: what is left is forgotten. Gives what to make of it."""
    if outcome.stopped not in (None, TIMEOUT):
        return outcome
    for row in list(stack.rows()):
        resource = stack.resource_of(row)
        if resource.resource_id is not None:
            note(resource, status.DELETE, resource.status_reason or 'it was not reached')
            forget(resource)
            _bury_inside(stack, resource, resource.name)
        stack.forget(row)
    for error in outcome.errors:
        note_end(stack, status.DELETE, error)
    return dataclasses.replace(outcome, errors=[], stopped=None)


def _bury_inside(stack, resource, path):
    """The stack inside of a resource that is forgotten goes with it: what it still has is listed by the stack around it."""
    inside = getattr(resource, 'inside', None)
    if inside is not None:
        inside.look_again()
    child = inside and inside.stack
    if not child or child.deleted_at is not None:
        return
    for row in child.rows():
        item, name = child.resource_of(row), f'{path}/{row.name}'
        if item.resource_id is not None:
            about = {'resource_name': name, 'resource_type': item.type(), 'physical_resource_id': item.resource_id, 'action': status.DELETE}
            _add(stack, **about, reason=cut(item.status_reason, TEXT), forgotten=True)
            _bury_inside(stack, item, name)
    reason = f'Forgotten with stack {stack.name} ({stack.id})'
    db_stacks.delete(child.context, child.id, {'action': status.DELETE, 'status': status.COMPLETE, 'status_reason': reason})


def left_behind(stack):
    """A sentence about what a delete has forgotten, for the stack's reason; nothing where it got everything."""
    found = forgotten(stack)
    if not found:
        return ''
    names = ', '.join(f'{each["resource_name"]} ({each["physical_resource_id"]})' for each in found)
    return f'. Left behind: {names}'


def found(resources):
    """What a check of these found that is no failure, for the stack's reason."""
    words = '' if all(hasattr(each, 'handle_check') for each in resources) else ". 'CHECK' not fully supported (see resources)"
    changed = sorted(each.name for each in resources if DRIFT in (each.status_reason or ''))
    return f'{words}. {DRIFT.capitalize()}{", ".join(changed)} (see resources)' if changed else words


# --------------------------------------------------------------- the list


def _add(stack, **values):
    kept = stack.failures = stack.failures if stack.failures is not None else []
    entry = {**values, 'stack_action': stack.action, 'time': stack.utcnow().isoformat() + 'Z', 'times': 1}
    same = ('resource_name', 'action', 'reason', 'physical_resource_id', 'stack_action')
    for each in kept:
        # what fails again and again for the same reason is one failure
        if all(each.get(key) == entry[key] for key in same):
            each.update(time=entry['time'], times=each['times'] + 1)
            break
    else:
        kept.append(entry)
        if len(kept) > LIMIT:
            del kept[LIMIT // 2]
    _store(stack)


def _store(stack):
    # copies: the journal writes them while handlers in other threads may add to the list
    stack.journal.stack(failures=[dict(each) for each in stack.failures or ()])
