"""The timeline of an action: when each resource waited, called and polled the cloud, and what took
the longest.
"""

import datetime
from collections.abc import Iterable

from heat_lite.api.event_listener import STACK_TYPE
from heat_lite.api.v1.stack_graph import node_id
from heat_lite.common import status
from heat_lite.common.value_types import Values

#: the phases of a resource; WORKING is CALLING and POLLING where it is unknown when one ended
WAITING, CALLING, POLLING, WORKING = 'waiting', 'calling', 'polling', 'working'


class RecordedAction:
    """One action of a stack: its events, from those of its tree in their order.

    ``partial``: the event of its begin was deleted; ``first`` is the oldest that is stored.
    """

    def __init__(self, number: int, first: Values, partial: bool = False) -> None:
        self.number = number
        self.name = first['resource_action']
        self.first = first
        self.partial = partial
        self.last: Values | None = None
        self.rows: list[Values] = []

    def view(self) -> Values:
        """Return the action with its times."""
        return {
            'number': self.number,
            'action': self.name,
            'status': self.last['resource_status'] if self.last else status.IN_PROGRESS,
            'partial': self.partial,
            **_times(self.first, self.last),
        }


def actions_of(stack_id: str, rows: Iterable[Values], current: str) -> list[RecordedAction]:
    """Return the actions of a stack, numbered from 1 in the stored events, oldest first.

    ``current``: the name of the last action. The first action is partial if the events do not
    begin with its begin: those of a large stack are deleted from the oldest on.
    """
    found: list[RecordedAction] = []
    for row in rows:
        is_own = row['lineage'][0] == stack_id
        if is_own and is_of_stack(row) and row['resource_status'] == status.IN_PROGRESS:
            found.append(RecordedAction(len(found) + 1, row))
        elif is_own and not found:
            found.append(RecordedAction(1, row, partial=True))
        if is_own and is_of_stack(row) and row['resource_status'] != status.IN_PROGRESS:
            found[-1].last = row
            if found[-1].partial:
                found[-1].name = row['resource_action']
        if found:
            found[-1].rows.append(row)
    if found and found[-1].partial and found[-1].last is None:
        found[-1].name = current
    return found


def is_of_stack(row: Values) -> bool:
    """Return whether an event is of a stack itself, not of a resource."""
    return row['resource_type'] == STACK_TYPE and row['physical_resource_id'] == row['lineage'][0]


def timeline(
    stack_id: str,
    action: RecordedAction,
    requirements: dict[str, list[str]],
    nested: dict[str, str | None],
) -> Values:
    """Return the resources of an action with their phases, and the critical path.

    ``requirements``: the ids of the resources that each one requires. ``nested``: the ids of the
    nested stacks by the resources that contain them.
    """
    begun = {}
    resources: dict[str, Values] = {}
    for row in action.rows:
        own_stack = row['lineage'][0]
        if is_of_stack(row):
            if row['resource_status'] == status.IN_PROGRESS:
                begun[own_stack] = row
            continue
        key = node_id(own_stack, row['resource_name'])
        if key not in resources:
            resources[key] = _resource(key, row, begun.get(own_stack, action.first))
        _add(resources[key], row)
    path = _critical_path(stack_id, list(resources.values()), requirements, nested)
    for each in resources.values():
        each['critical'] = each['id'] in path
        ends = [phase['ended_at'] for phase in each['phases'] if phase['ended_at']]
        each['seconds'] = sum(
            phase['seconds'] or 0 for phase in each['phases'] if phase['phase'] != WAITING
        )
        each['ended_at'] = max(ends, default=None) if not _is_open(each) else None
        for phase in each['phases']:
            phase.pop('since', None)
    return {**action.view(), 'resources': list(resources.values()), 'critical_path': path}


def _resource(key: str, row: Values, begin: Values) -> Values:
    starts = row['resource_status'] == status.IN_PROGRESS and row['timestamp'] > begin['timestamp']
    waited = _phase(WAITING, begin, row, None) if starts else None
    return {
        'id': key,
        'resource_name': row['resource_name'],
        'resource_type': row['resource_type'],
        'stack_id': row['lineage'][0],
        'stack_name': row['stack_name'],
        'physical_resource_id': row['physical_resource_id'],
        'phases': [waited] if waited else [],
    }


def _add(resource: Values, row: Values) -> None:
    """Begin a phase of work with an event, or end the last one with all that is known of it."""
    phases, state = resource['phases'], f'{row["resource_action"]}_{row["resource_status"]}'
    resource['resource_status'] = state
    resource['resource_status_reason'] = row['resource_status_reason']
    resource['physical_resource_id'] = row['physical_resource_id']
    if _is_open(resource):
        phases[-1:] = _ended(phases[-1], row, state)
    if row['resource_status'] == status.IN_PROGRESS:
        phases.append(_phase(WORKING, row, None, state) | {'since': row['timestamp']})


def _ended(work: Values, row: Values, state: str) -> list[Values]:
    """Return the phases of work that ends with an event, the calls and the polls if known."""
    since, waits, until = work.pop('since'), row.get('first_wait'), row['timestamp']
    seconds = round(until - since, 3)
    whole = {**work, 'ended_at': _text(until), 'status': state, 'seconds': seconds}
    # a value outside is not ours: Heat sets the column where it moves properties to a new table
    if waits is None or not since <= waits <= until or row['resource_status'] == status.IN_PROGRESS:
        return [whole]
    if waits == until:
        return [{**whole, 'phase': CALLING}]
    middle = _text(waits)
    called, polled = round(waits - since, 3), round(until - waits, 3)
    return [
        {**whole, 'phase': CALLING, 'ended_at': middle, 'seconds': called},
        {**whole, 'phase': POLLING, 'started_at': middle, 'seconds': polled},
    ]


def _is_open(resource: Values) -> bool:
    return bool(resource['phases']) and resource['phases'][-1]['ended_at'] is None


def _phase(kind: str, first: Values, last: Values | None, state: str | None) -> Values:
    return {'phase': kind, **_times(first, last), 'status': state}


def _text(seconds: float) -> str:
    found = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return f'{found:%Y-%m-%dT%H:%M:%S}.{found.microsecond // 1000:03}Z'


def _times(first: Values, last: Values | None) -> Values:
    return {
        'started_at': _text(first['timestamp']),
        'ended_at': last and _text(last['timestamp']),
        'seconds': last and round(last['timestamp'] - first['timestamp'], 3),
    }


def _critical_path(
    stack_id: str,
    resources: list[Values],
    requirements: dict[str, list[str]],
    nested: dict[str, str | None],
) -> list[str]:
    """Return the resources whose work held up the end: each is the last that the next one needed.

    The resources are in the order of their first events. The path of a nested stack follows the
    resource that contains it.
    """
    order = {each['id']: place for place, each in enumerate(resources)}
    by_stack: dict[str, list[Values]] = {}
    for each in resources:
        by_stack.setdefault(each['stack_id'], []).append(each)
    path: list[str] = []
    pending = [stack_id]
    while pending:
        own = _chain(by_stack.get(pending.pop(), []), requirements, order)
        path += own
        pending += [found for found in map(nested.get, own) if found]
    return path


def _chain(
    resources: list[Values], requirements: dict[str, list[str]], order: dict[str, int]
) -> list[str]:
    by_id = {each['id']: each for each in resources}
    chain: list[str] = []
    candidates = list(by_id)
    while candidates:
        last = max(candidates, key=lambda each: (_end(by_id[each]), order[each]))
        chain.append(last)
        candidates = [
            each for each in requirements.get(last, ()) if each in by_id and each not in chain
        ]
    return chain[::-1]


def _end(resource: Values) -> str:
    """Return the text of the time at which the work ended; beyond all others if it goes on."""
    times = [phase['ended_at'] or '9999' for phase in resource['phases']]
    return max(times, default='')
