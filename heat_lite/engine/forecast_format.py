"""A Forecast as the dictionaries that travel over RPC: Heat's five lists of resources, with what we add to each."""

from heat_lite.engine import diff, format
from heat_lite.engine.forecast import UNKNOWN

#: what becomes of a resource -> the list of Heat that it is in
LISTS = {diff.NONE: 'unchanged', diff.UPDATE: 'updated', diff.REPLACE: 'replaced', diff.CREATE: 'added', diff.DELETE: 'deleted'}


def update(forecast, with_nested=False):
    """The lists, and ``has_changes``. ``with_nested`` puts the resources of nested stacks into the same lists, as Heat does; the tree of
    them is in ``nested`` of the resource around them anyway."""
    answer = {name: [] for name in LISTS.values()}
    _fill(answer, forecast, with_nested)
    answer['has_changes'] = forecast.has_changes()
    return answer


def _fill(answer, forecast, with_nested, parent=None):
    required_by = forecast.stack.required_by()
    for fate in forecast.fates:
        answer[_list_of(fate)].append(resource(fate, required_by.get(fate.resource.name, ()), parent))
        if with_nested and fate.inside not in (None, UNKNOWN):
            _fill(answer, fate.inside, with_nested, fate.resource.name)


def _list_of(fate):
    """Heat counts a resource with a stack inside as updated in any case; its ``action`` says whether it is."""
    return 'updated' if fate.action == diff.NONE and fate.inside is not None else LISTS[fate.action]


def resource(fate, required_by=(), parent=None):
    """The resource as it is, or would be where there is none, and what becomes of it."""
    result = format.resource(fate.resource, required_by, detail=True, parent=parent)
    if fate.action in (diff.CREATE, diff.REPLACE):
        result['resource_type'] = fate.new_type
    if fate.action == diff.CREATE:
        result.update(creation_time=None, updated_time=None)
    result.update(what(fate))
    return result


def what(fate):
    """The keys that tell what becomes of a resource."""
    decision = fate.decision
    result = {
        'action': fate.action,
        'reason': decision.reason,
        'forced_by': list(decision.forced_by),
        'may_replace': decision.may_replace,
        'property_changes': [_change(change) for change in fate.changes],
        'definition_changes': sorted(set(decision.changes.definition) - {'properties'}) if decision.changes is not None else [],
    }
    if fate.inside is not None:
        result['nested'] = None if fate.inside is UNKNOWN else update(fate.inside)
    return result


def _change(change):
    return {
        'property': change.property,
        'before': change.before,
        'after': change.after,
        'known': change.known,
        'forces_replacement': change.forces,
        'secret': change.secret,
    }
