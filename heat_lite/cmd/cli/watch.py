"""Follows a stack until it is done and shows its resources on the way."""

import time
from collections.abc import Iterable

from heat_lite.cmd.cli import rest, screen

POLL_SECONDS = 0.1
WAIT_SECONDS = 3600


class Failed(Exception):
    """The stack ended badly; the text says why."""


class View:
    """Resources of one stack as they change; ``known`` are those that it had before."""

    def __init__(self, out: screen.Screen, known: Iterable[dict] = ()):
        self.out = out
        self.started = time.monotonic()
        self.seen = {found['resource_name']: found for found in known}
        self.since = dict.fromkeys(self.seen, 0.0)

    def line(self, found: dict) -> str:
        name, status = found['resource_name'], found['resource_status']
        seconds = f'{self.since[name]:5.1f}s'
        return f'  {self.out.mark(status)} {seconds}  {name:18} {found["resource_type"]:24} {self.out.paint(status, status)}'

    def update(self, action: str, now_there: Iterable[dict]) -> None:
        """Show what changed. Plain output leaves out what ``action`` has not reached yet."""
        now = time.monotonic() - self.started
        changed = []
        for found in now_there:
            before = self.seen.get(found['resource_name'], {}).get('resource_status')
            self.seen[found['resource_name']] = found
            if found['resource_status'] != before:
                self.since[found['resource_name']] = now
                changed.append(found)
        if self.out.live:
            self.out.redraw([self.line(found) for found in self.seen.values()])
            return
        for found in changed:
            if found['resource_status'].startswith(action):
                self.out.say(self.line(found))


def resources(api: rest.Api, path: str) -> list[dict]:
    """Those that the stack has now, in the order of their life; none when it is gone."""
    try:
        found = api.call('GET', path + '/resources')['resources']
    except rest.Refused as error:
        if error.status == 404:
            return []
        raise
    return sorted(found, key=lambda each: (each.get('creation_time') or '', each['resource_name']))


def and_the_gone(known: Iterable[dict], now_there: list[dict]) -> list[dict]:
    """A stack that is being deleted lists only what is left: the others are deleted."""
    left = {found['resource_name'] for found in now_there}
    return now_there + [found | {'resource_status': 'DELETE_COMPLETE'} for found in known if found['resource_name'] not in left]


def follow(api: rest.Api, path: str, out: screen.Screen, known: Iterable[dict] = (), seconds: float = WAIT_SECONDS) -> dict:
    """Wait for the end of what the stack is doing; the stack as it is then. Raises Failed when it failed or takes too long."""
    view = View(out, known)
    while True:
        # the stack first: what is done when it says so is listed as done
        stack = api.call('GET', path, resolve_outputs='false')['stack']
        status = stack['stack_status']
        found = resources(api, path)
        if status.startswith('DELETE'):
            found = and_the_gone(view.seen.values(), found)
        view.update(status.partition('_')[0], found)
        if not status.endswith('IN_PROGRESS') and status != 'INIT_COMPLETE':
            break
        if time.monotonic() - view.started > seconds:
            raise Failed(f'{status} after {seconds:g} seconds')
        time.sleep(POLL_SECONDS)
    out.keep()
    if status.endswith('FAILED'):
        raise Failed(f'{status}: {stack["stack_status_reason"]}')
    return stack
