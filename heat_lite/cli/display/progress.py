"""Follows the action of a stack until it has ended."""

import contextlib
import time
from typing import NamedTuple

from heat_lite.cli import action_history, api_client, event_stream
from heat_lite.cli.display import planned_changes, resource_tree, views
from heat_lite.cli.errors import Interrupted, StackFailed
from heat_lite.common.value_types import Values

#: seconds between two requests; the pause grows with the time that the service needs
POLL_SECONDS = 0.25
MAX_POLL_SECONDS = 5.0
PAUSE_PER_REQUEST = 4
#: seconds between two requests while the stream of events tells of no change
CHECK_SECONDS = 15.0
#: seconds to wait for a service that does not answer
UNREACHABLE_SECONDS = 120.0
#: seconds until the state shows an action that the service has accepted
START_SECONDS = 5.0
#: seconds without a change until hooks are looked for, and between two such requests
HOOK_SECONDS = 3.0
#: events that tell of hooks
HOOK_EVENTS = 200
#: the error of the service while it works on a stack, and seconds until the next request
BUSY = 'ActionInProgress'
BUSY_SECONDS = 1.0
NEWEST_FIRST = {'sort_keys': 'event_time', 'sort_dir': 'desc'}
#: the states of actions that do not visit every resource
PLANNED = tuple(f'{each}_IN_PROGRESS' for each in ('CREATE', 'UPDATE', 'RESTORE', 'ROLLBACK'))
OLDEST_FIRST = {'sort_keys': 'event_time', 'sort_dir': 'asc'}
#: events in one request, and seconds to wait for the begin and the end of the stream
EVENT_PAGE, LAST_SECONDS = 200, 1.0
#: minutes that an action may take, unless the stack has a timeout
DEFAULT_MINUTES = 60


class Before(NamedTuple):
    """The stack before the action: its state, its resources, the id of its last event.

    ``until_idle``: whether the end comes only after that of the work on all resources, which goes
    on after a cancel.
    ``history``: what the action has done already.
    """

    stack: Values | None = None
    rows: tuple = ()
    event: str | None = None
    until_idle: bool = False
    history: action_history.ActionHistory = action_history.ActionHistory()


NO_STACK = Before()


def list_resources(api: api_client.ApiClient, path: str) -> list[dict]:
    """Return the resources, with those of nested stacks; none for a deleted stack."""
    try:
        return api.resources(path, resource_tree.NESTED_DEPTH)
    except api_client.RequestFailed as error:
        if error.status == 404:
            return []
        raise


def state_before(api: api_client.ApiClient, path: str) -> Before:
    """Return the state of a stack before an action is requested."""
    stack = api.stack_at(path)
    return Before(stack, tuple(list_resources(api, path)), last_event(api, path))


def last_event(api: api_client.ApiClient, path: str) -> str | None:
    """Return the id of the newest event of a stack; None if there is none or it is not known."""
    try:
        found = api.get(path + '/events', limit=1, **NEWEST_FIRST)['events']
        return found[0]['id']
    except (api_client.RequestFailed, IndexError, KeyError, TypeError):
        return None


def new_events(
    api: api_client.ApiClient, path: str, last: str | None, nested_depth: int, **query: str
) -> list[dict]:
    """Return the events after the last one that is known, in their order; all without one."""
    every = {**OLDEST_FIRST, **query, 'nested_depth': str(nested_depth)}
    if last:
        every['marker'] = last
    return list(api.items(f'{path}/events', 'events', EVENT_PAGE, **every))


class Follower:
    """Reads the stack at each new event, and shows it in ``view`` (see ``views``).

    Without the stream of events it reads the stack again and again.
    """

    def __init__(
        self, api: api_client.ApiClient, path: str, view: views.View, before: Before
    ) -> None:
        self.api = api
        self.path = path
        self.view = view
        self.before = before
        self.tree = resource_tree.ResourceTree()
        self.answered = time.monotonic()
        self.began = self.answered - before.history.seconds
        self.action = ''  # the one that was seen last
        self.looked_for_hooks = 0.0  # the last time, or that of a change
        self.hooks = ''
        self.is_quiet = False  # since hooks were looked for
        self.watch: event_stream.EventWatch | None = None
        self.tree.update(before.rows, before.history.seconds, is_first=True)
        self.tree.recall(before.history.work)
        self.tree.is_new |= before.history.is_new
        self.event = before.event or before.history.event  # the last one before the action
        self.printed: set[str] = set()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def follow(self, limit: float | None = None) -> dict:
        """Return the stack when its action has ended.

        Raises StackFailed after ``limit`` seconds (the default is derived from the timeout of the
        stack), and Interrupted for SIGINT.
        """
        if self.view.prints_events:
            self.watch = event_stream.EventWatch(self.api, self.path, {'from': 'start'})
            self.watch.news.wait(LAST_SECONDS)
        try:
            while True:
                asked = time.monotonic()
                if self.watch is not None:
                    self.watch.forget()
                stack = self._poll()
                if stack is not None and not self._is_running(stack):
                    return stack
                if stack is not None:
                    self._check_limit(stack, limit)
                needed = time.monotonic() - asked
                pause = max(POLL_SECONDS, min(MAX_POLL_SECONDS, needed * PAUSE_PER_REQUEST))
                self._wait(pause)
        except KeyboardInterrupt:
            raise Interrupted from None
        finally:
            if self.watch is not None:
                self.watch.close()
            self.view.close()

    def _wait(self, pause: float) -> None:
        """Wait for ``pause``, then for an event; the end of the action ends the wait at once."""
        if self.watch is None:
            self.watch = event_stream.EventWatch(self.api, self.path)
        self.view.wait(pause, self.watch.ended)
        if self.watch.is_live and not self.watch.ended.is_set():
            self.view.wait(CHECK_SECONDS if self.is_quiet else HOOK_SECONDS, self.watch.news)
        self.is_quiet &= not self.watch.news.is_set()

    def request(self, action: dict) -> Before:
        """Request an action, again and again while resources of a cancelled one are at work.

        Return the state before the request. Raises RequestFailed, e.g. while another action runs.
        """
        try:
            while True:
                before = state_before(self.api, self.path)
                try:
                    self.api.call('POST', f'{self.path}/actions', action)
                    return before
                except api_client.RequestFailed as error:
                    stack = self._poll() if error.kind == BUSY else None
                    if stack is None or stack['stack_status'].endswith('IN_PROGRESS'):
                        raise
                self._check_limit(stack, None)
                self._note_at_work()
                self.view.wait(BUSY_SECONDS)
        except KeyboardInterrupt:
            raise Interrupted('nothing was requested') from None
        finally:
            self.view.close()

    def _poll(self) -> dict | None:
        """Show the present state. Return the stack; None if the service does not answer."""
        try:
            # The stack is read first: when it is complete, the list shows its resources complete.
            # The list comes last: it has the nested stacks that the events are about.
            stack = self.api.stack_at(self.path)
            found = self._new_events(stack) if self.view.prints_events else []
            rows = list_resources(self.api, self.path)
        except api_client.RequestFailed as error:
            if not error.is_temporary:
                raise
            self._note_unreachable(error)
            return None
        self.answered = time.monotonic()
        former, self.action = self.action, stack['stack_status'].partition('_')[0]
        if self.action == 'ROLLBACK' and former not in ('', self.action):
            self.tree.begin_rollback()
        self.tree.is_new |= self.action == 'CREATE'
        changed = self.tree.update(rows, self.seconds)
        if former != self.action and self.view.shows_plan:
            self._set_plan(stack['stack_status'])
        self.view.show(stack, self.tree, found, self.seconds)
        self._note_hooks(stack, bool(changed))
        return stack

    def _new_events(self, stack: Values) -> list[dict]:
        """Return the events that were not returned before.

        The stream has them in their order from the first one on; the list, for a service without
        streams, lacks those of deleted nested stacks.
        """
        found, live = [], False
        if self.watch is not None:
            live = self.watch.is_live
            if live and not stack['stack_status'].endswith('IN_PROGRESS'):
                self.watch.ended.wait(LAST_SECONDS)
            found = self.watch.take()
        ids = [each['id'] for each in found]
        if self.event in ids:
            del found[: ids.index(self.event) + 1]
        elif self.event and not self.printed:
            found = []  # they come from the time before the action
        if not live:
            found += new_events(self.api, self.path, self.event, resource_tree.NESTED_DEPTH)
        found = list(
            {each['id']: each for each in found if each['id'] not in self.printed}.values()
        )
        self.printed.update(each['id'] for each in found)
        return found

    def _set_plan(self, status: str) -> None:
        """Ask the service what the action will still change; a rollback of a create deletes all."""
        is_rollback = self.action == 'ROLLBACK'
        if status in PLANNED and not (is_rollback and self.tree.is_new):
            with contextlib.suppress(api_client.RequestFailed):
                found = self.api.call('PATCH', f'{self.path}/preview', {})
                self.tree.set_plan(planned_changes.paths(found), is_rollback)

    def _note_hooks(self, stack: dict, is_changed: bool) -> None:
        """Show what waits at a hook: the list of resources does not tell."""
        if is_changed:
            self.hooks, self.looked_for_hooks = '', self.seconds
            self.is_quiet = False
        elif self.seconds - self.looked_for_hooks > HOOK_SECONDS:
            self.looked_for_hooks, self.is_quiet = self.seconds, True
            query = {'limit': HOOK_EVENTS, 'nested_depth': resource_tree.NESTED_DEPTH}
            try:
                found = self.api.get(self.path + '/events', **query, **NEWEST_FIRST)
            except api_client.RequestFailed:
                return
            events = reversed(found['events'])
            self.hooks = resource_tree.describe_hooks(stack['stack_name'], self.tree, events)
        if self.hooks:
            self.view.note(self.hooks)

    def _note_at_work(self) -> None:
        self.view.note(f'waiting for the end of the work on {self.tree.at_work() or "it"}')

    def _note_unreachable(self, error: Exception) -> None:
        silent = time.monotonic() - self.answered
        if silent > UNREACHABLE_SECONDS:
            raise StackFailed(
                f'the service has not answered for {UNREACHABLE_SECONDS:g} seconds: {error}\n'
                'The action may go on; `heat-lite follow` shows it.'
            ) from error
        self.view.note('the service does not answer, waiting for it')

    def _is_running(self, stack: dict) -> bool:
        status = stack['stack_status']
        if status.endswith('IN_PROGRESS') or status == 'INIT_COMPLETE':
            return True
        if self.before.until_idle and self.tree.at_work():
            self._note_at_work()
            return True
        # The state may be that of before for a moment after the request.
        return (
            self.before.stack is not None
            and _state(stack) == _state(self.before.stack)
            and self.seconds < START_SECONDS
            # A short action has ended in the state of before, with events of its own.
            and last_event(self.api, self.path) == self.before.event
        )

    def _check_limit(self, stack: dict, limit: float | None) -> None:
        if limit is None:
            # A rollback has the time of its own.
            limit = ((stack.get('timeout_mins') or DEFAULT_MINUTES) * 2 + 10) * 60
        if self.seconds > limit:
            raise StackFailed(f'{stack["stack_status"]} after {limit:g} seconds')


def _state(stack: dict) -> tuple:
    return stack['stack_status'], stack.get('stack_status_reason'), stack.get('updated_time')
