"""How a running action is shown: lines, JSON, or a picture of the terminal that changes.

A view has ``show``, ``note``, ``wait`` and ``close``.
"""

import pkgutil
import threading
from typing import TYPE_CHECKING, TypeAlias

from heat_lite.cli.display import resource_tree, terminal
from heat_lite.common.value_types import Values

if TYPE_CHECKING:
    from heat_lite.cli.display.live_view import LiveView

View: TypeAlias = 'LineView | LiveView'


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


def type_text(member: resource_tree.Member) -> str:
    """Return the type of a resource; of a template only the file name."""
    return short_type(member.row['resource_type'])


def short_type(name: str) -> str:
    """Return the name of a type; of a template only the file name."""
    return name.rpartition('/')[2] if '://' in name else name


def _order(member: resource_tree.Member) -> tuple[bool, int]:
    """Nested members start after the resource that contains them, and end before it."""
    has_ended = member.outcome != 'IN_PROGRESS'
    return has_ended, -member.depth if has_ended else member.depth


class LineView:
    """A line for each change of a member."""

    def __init__(self, out: terminal.Terminal) -> None:
        self.out = out
        self._last_note = ''

    def show(
        self,
        stack: Values,
        tree: resource_tree.ResourceTree,
        changed: list[resource_tree.Member],
        now: float,
    ) -> None:
        """Show the members that have changed."""
        if changed:
            self._last_note = ''
        for member in sorted(changed, key=_order):
            if member.outcome:
                self._show(member, now)

    def _show(self, member: resource_tree.Member, now: float) -> None:
        status = member.status
        seconds = '' if member.outcome == 'IN_PROGRESS' else seconds_text(member.seconds(now))
        reason = '  ' + reason_of(member) if member.outcome == 'FAILED' else ''
        self.out.write_line(
            f'  {self.out.symbol(status)} {seconds:>6}  {member.path:18}'
            f' {type_text(member):24} {self.out.colorize(status, status)}{reason}'
        )

    def note(self, text: str) -> None:
        """Show a remark; the same one is not repeated."""
        if text != self._last_note:
            self.out.write_line(f'  ({text})')
        self._last_note = text

    def wait(self, seconds: float, wakeup: threading.Event | None = None) -> None:
        """Wait for the time, or until ``wakeup`` is set."""
        (wakeup or threading.Event()).wait(seconds)

    def close(self) -> None:
        """End the output of the view."""


class JsonView(LineView):
    """A JSON object a line for each change of a member."""

    def _show(self, member: resource_tree.Member, now: float) -> None:
        seconds = member.seconds(now)
        self.out.write_json(
            {
                'resource': member.path,
                'resource_type': member.row['resource_type'],
                'resource_status': member.status,
                'resource_status_reason': member.reason,
                'physical_resource_id': member.row.get('physical_resource_id'),
                'seconds': None if seconds is None else round(seconds, 3),
            },
            indent=None,
        )

    def note(self, text: str) -> None:
        if text != self._last_note:
            self.out.write_json({'note': text}, indent=None)
        self._last_note = text


def choose(out: terminal.Terminal) -> View:
    """Return the view for an output."""
    if out.is_json:
        return JsonView(out)
    if not out.live:
        return LineView(out)
    # The library rich is loaded for a terminal only.
    return pkgutil.resolve_name('heat_lite.cli.display.live_view:LiveView')(out)
