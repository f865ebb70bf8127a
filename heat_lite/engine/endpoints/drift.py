"""The RPC endpoint for drift: the properties that others have changed in the cloud.

Tests: tests/functional/test_live_state.py, tests/functional/test_live_routes.py.
"""

import time
from collections.abc import Iterable

from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.validation import masking
from heat_lite.template import stored_properties

#: seconds for the calls of the cloud; resources after that are listed as unchecked
MAX_SECONDS = 40
NO_TIME = f'The cloud took longer than {MAX_SECONDS} seconds for the resources before.'
NO_OBJECT = 'There is no object yet.'
AT_WORK = 'An action works on the resource.'
TOO_DEEP = 'Its nested stack is deeper than nested_depth.'
CHANGED, MISSING = 'changed', 'missing'


class Drift(Endpoint):
    def stack_drift(
        self, context: RequestContext, stack_identity: Wire, nested_depth: int = 0
    ) -> Wire:
        """Return the changed and missing objects of a stack and its nested stacks, as they are now.

        Nothing is stored, and no resource changes its state: ``check`` does that. Resources
        without an object outside of this service are left out, but for lookups.
        """
        top = self._stack(context, stack_identity)
        return compare(self._levels(context, top, nested_depth), nested_depth)


def compare(levels: Iterable[list[Stack]], nested_depth: int) -> Wire:
    """Return the drift of a stack and of its nested stacks, level by level."""
    end = time.monotonic() + MAX_SECONDS
    found: Wire = {'checked': 0, 'resources': [], 'unchecked': []}
    prefixes: dict[str, str] = {}
    for depth, level in enumerate(levels):
        for stack in level:
            above = prefixes.get(str(stack.owner_id))
            prefix = '' if above is None else f'{above}{stack.parent_resource_name}/'
            prefixes[stack.id] = prefix
            _compare(stack, prefix, depth == nested_depth, end, found)
    return found


def _compare(stack: Stack, prefix: str, is_last_level: bool, end: float, found: Wire) -> None:
    for item in stack.current_resources():
        at_work = item.status == status.IN_PROGRESS
        if (item.local or not (item.has_object or item.is_lookup)) and not at_work:
            continue
        place = {
            'path': prefix + item.name,
            'resource_name': item.name,
            'resource_type': item.type(),
            'stack_id': stack.id,
            'stack_name': stack.name,
            'physical_resource_id': item.resource_id,
        }
        reason = AT_WORK if at_work else NO_TIME if time.monotonic() > end else None
        changes: list[Wire] | None = None
        if reason is None:
            changes, reason = _changes(item, is_last_level)
        if reason is not None:
            found['unchecked'].append({**place, 'reason': reason})
            continue
        found['checked'] += 1
        if changes is None:
            found['resources'].append({**place, 'status': MISSING, 'properties': []})
        elif changes:
            found['resources'].append({**place, 'status': CHANGED, 'properties': changes})


def _changes(item: Value, is_last_level: bool) -> tuple[list[Wire] | None, str | None]:
    """Return the changed properties, None for an object that is gone; and why it is not known."""
    if item.resource_id is None and item.has_object:
        return [], NO_OBJECT
    if item.has_nested_stack:
        exists = item.nested() is not None
        return ([], TOO_DEEP if is_last_level else None) if exists else (None, None)
    try:
        # without a property that an update could change, what it shows beside
        live = item.get_live_state(item.properties) or item.importable_state()
    except (exception.NotFound, exception.EntityNotFound):
        return None, None
    except Exception as error:  # the error of a service or a library
        return [], item.stack.redact(str(error)) or type(error).__name__
    if live is None:
        return ([], item.not_compared) if item.object_exists() else (None, None)
    return _shown(item, item.stored_properties(), live), None


def _shown(item: Resource, stored: Values, live: Values) -> list[Wire]:
    live = stored_properties.with_stored_parts(live, stored, item.definition.ignored_paths)
    names = sorted(name for name, value in live.items() if value != stored.get(name))
    if not names:
        return []
    expected = masking.masked(item.stack, item.name, {name: stored.get(name) for name in names})
    actual = masking.masked(item.stack, item.name, {name: live[name] for name in names})
    return [
        {'property': name, 'expected': expected[name], 'actual': actual[name]} for name in names
    ]
