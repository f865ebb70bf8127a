"""The beginning of an action, and of the work on each resource, as the events tell."""

import datetime
import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from heat_lite.cli import api_client
from heat_lite.cli.display import resource_tree
from heat_lite.common.value_types import Values

#: events that are read at most, the newest first, and those in one request
MAX_EVENTS, PAGE = 5000, 1000


class WorkTime(NamedTuple):
    """When work on a resource began and ended, in seconds since the beginning of the action."""

    began: float
    ended: float | None


class ActionHistory(NamedTuple):
    """What an action has done before it is followed.

    ``seconds``: how long it has run. ``work``: {(id of the stack, name of the resource): WorkTime}.
    ``event``: the id of the last event before it. ``is_new``: whether it rolls a create back.
    """

    seconds: float = 0.0
    work: dict[tuple[str, str], WorkTime] = {}
    event: str | None = None
    is_new: bool = False


def read(api: api_client.ApiClient, path: str) -> ActionHistory:
    """Return the history of the last action of a stack; an empty one if it is not known."""
    try:
        stack = api.stack_at(path)
        newest_first = _newest_first(api, path)
        found = _last_action(stack, newest_first)
        earlier = next(newest_first, None)
        older = itertools.chain([earlier] if earlier else [], newest_first)
        is_new = stack['stack_status'] == 'ROLLBACK_IN_PROGRESS' and _is_create(stack, older)
    except (api_client.RequestFailed, KeyError, TypeError, ValueError):
        return ActionHistory()
    if not found:
        return ActionHistory()
    is_running = stack['stack_status'].endswith('IN_PROGRESS')
    zero = read_time(found[0]['event_time'])
    end = datetime.datetime.now(datetime.UTC) if is_running else read_time(found[-1]['event_time'])
    seconds = max((end - zero).total_seconds(), 0.0)
    return ActionHistory(seconds, _work(found, zero), earlier['id'] if earlier else None, is_new)


def seconds_since(event: dict) -> float:
    """Return how long ago an event was."""
    return max(
        (datetime.datetime.now(datetime.UTC) - read_time(event['event_time'])).total_seconds(), 0.0
    )


def _newest_first(api: api_client.ApiClient, path: str) -> Iterator[dict]:
    depth = resource_tree.NESTED_DEPTH
    query = {'nested_depth': depth, 'sort_keys': 'event_time', 'sort_dir': 'desc'}
    return itertools.islice(api.items(f'{path}/events', 'events', PAGE, **query), MAX_EVENTS)


def _last_action(stack: Values, newest_first: Iterable[dict]) -> list[dict]:
    """Return the events of the last action of a stack, the first one first; [] without it."""
    found = []
    for event in newest_first:
        found.append(event)
        if _is_own(stack, event) and event['resource_status'].endswith('_IN_PROGRESS'):
            return found[::-1]
    return []


def _is_own(stack: Values, event: Values) -> bool:
    return event.get('physical_resource_id') == stack['id']


def _is_create(stack: Values, newest_first: Iterable[dict]) -> bool:
    """Return whether the last action but rollbacks is a create."""
    own = (each['resource_status'] for each in newest_first if _is_own(stack, each))
    return next((each for each in own if not each.startswith('ROLLBACK')), '').startswith('CREATE')


def _work(events: Iterable[dict], zero: datetime.datetime) -> 'dict[tuple[str, str], WorkTime]':
    work: dict[tuple[str, str], WorkTime] = {}
    for event in events:
        key = resource_tree.stack_of(event), event['resource_name']
        seconds = max((read_time(event['event_time']) - zero).total_seconds(), 0.0)
        if event['resource_status'].endswith('_IN_PROGRESS'):
            work[key] = WorkTime(seconds, None)
        elif key in work:
            work[key] = WorkTime(work[key].began, seconds)
    return work


def read_time(text: str) -> datetime.datetime:
    """Read a time of the service, in UTC unless it says otherwise. Raises ValueError."""
    moment = datetime.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
