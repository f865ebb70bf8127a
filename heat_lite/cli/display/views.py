"""How a running action is shown: lines, JSON, or a picture of the terminal that changes.

A view has ``show``, ``note``, ``wait`` and ``close``. ``shows_plan``: it uses the tree's plan.
"""

import datetime
import pkgutil
import threading
from typing import TYPE_CHECKING, TypeAlias

from heat_lite.cli import action_history
from heat_lite.cli.display import resource_tree, terminal
from heat_lite.common.value_types import Values

if TYPE_CHECKING:
    from heat_lite.cli.display.live_view import LiveView

View: TypeAlias = 'LineView | LiveView'
STACK_TYPE, ROLLBACK = 'OS::Heat::Stack', 'ROLLBACK_IN_PROGRESS'
#: characters of a column of a line; longer texts move what follows
MAX_WIDTH = 40
#: the keys of an event in JSON
SHOWN_KEYS = 'resource_status resource_status_reason physical_resource_id event_time'.split()


def seconds_text(seconds: float | None) -> str:
    """Return a duration for people: 4.2s, 1:05, 2:03:04."""
    if seconds is None:
        return ''
    if seconds < 60:
        return f'{seconds:.1f}s'
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours}:{minutes:02}:{rest:02}' if hours else f'{minutes}:{rest:02}'


def reason_of(member: resource_tree.Member) -> str:
    """Return the reason of a status, unless it says nothing."""
    return '' if member.reason in ('', 'state changed') else member.reason


def short_type(name: str) -> str:
    """Return the name of a type; of a template only the file name."""
    return name.rpartition('/')[2] if '://' in name else name


class LineView:
    """A line for each event: JSON, or text for people."""

    prints_events = True

    def __init__(self, out: terminal.Terminal) -> None:
        self.out = out
        self.shows_plan = not out.is_json
        self._last_note = ''
        #: of the columns of paths and types; those of long names grow
        self._widths = [18, 24]
        #: {path: (seconds, time of the event)} of the begin of the work
        self._began: dict[str, tuple[float, datetime.datetime]] = {}

    def show(
        self, stack: Values, tree: resource_tree.ResourceTree, events: list[Values], now: float
    ) -> None:
        """Show new events.

        Events of nested stacks are left out: their resources have the same. Of the stack itself, a
        person sees the begin of a rollback only: the end of the action has a line of its own.
        """
        if events and not self.out.is_json:
            self._widen_columns(tree)
        for event in events:
            path, status = tree.path_of(event), event['resource_status']
            is_own = resource_tree.is_of_stack(event)
            is_told = tree.knows(event) or not (self.out.is_json or status == ROLLBACK)
            if terminal.outcome(status) and not (is_own and is_told):
                self._last_note = ''
                member = tree.members.get(path)
                kind = STACK_TYPE if is_own else member.row['resource_type'] if member else ''
                self._show(event, path, kind, self._seconds(event, path, now))

    def _widen_columns(self, tree: resource_tree.ResourceTree) -> None:
        kinds = [short_type(member.row['resource_type']) for member in tree.members.values()]
        for at, texts in enumerate(([*tree.members, *(tree.plan or ())], kinds)):
            longest = max(map(len, texts), default=0)
            self._widths[at] = max(self._widths[at], min(longest, MAX_WIDTH))

    def _seconds(self, event: Values, path: str, now: float) -> float | None:
        """Return the seconds since the begin of the work; times of events are whole seconds."""
        moment = action_history.read_time(event['event_time'])
        if event['resource_status'].endswith('IN_PROGRESS'):
            self._began[path] = now, moment
            return None
        began, first = self._began.pop(path, (now, moment))
        by_events = (moment - first).total_seconds()
        return now - began if now - began > by_events - 1 else by_events

    def _show(self, event: Values, path: str, kind: str, seconds: float | None) -> None:
        status, reason = event['resource_status'], event.get('resource_status_reason') or ''
        if self.out.is_json:
            row = {key: event.get(key) for key in SHOWN_KEYS}
            row['seconds'] = None if seconds is None else round(seconds, 3)
            self.out.write_json({'resource': path, 'resource_type': kind, **row}, indent=None)
            return
        more = '  ' + reason if terminal.outcome(status) == 'FAILED' else ''
        columns = f'{path:{self._widths[0]}} {short_type(kind):{self._widths[1]}}'
        self.out.write_line(
            f'  {self.out.symbol(status)} {seconds_text(seconds):>6}  {columns}'
            f' {self.out.colorize(status, status)}{more}'
        )

    def note(self, text: str) -> None:
        """Show a remark; the same one is not repeated."""
        if text != self._last_note and self.out.is_json:
            self.out.write_json({'note': text}, indent=None)
        elif text != self._last_note:
            self.out.write_line(f'  ({text})')
        self._last_note = text

    def wait(self, seconds: float, wakeup: threading.Event | None = None) -> None:
        """Wait for the time, or until ``wakeup`` is set."""
        (wakeup or threading.Event()).wait(seconds)

    def close(self) -> None:
        """End the output of the view."""


def choose(out: terminal.Terminal) -> View:
    """Return the view for an output."""
    if out.is_json or not out.live:
        return LineView(out)
    # The library rich is loaded for a terminal only.
    return pkgutil.resolve_name('heat_lite.cli.display.live_view:LiveView')(out)
