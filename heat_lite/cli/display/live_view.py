"""A picture of a running action on a terminal, drawn by the library rich.

It has a line of totals and a line for each resource. If the terminal has too few lines, finished
and waiting resources are counted instead of shown.
"""

import os
import signal
import threading
import time
from collections.abc import Sequence
from types import FrameType

from rich.cells import cell_len
from rich.console import Console
from rich.control import Control, ControlType
from rich.live import Live
from rich.text import Text

from heat_lite.cli.display import resource_tree, terminal, views
from heat_lite.common import printable
from heat_lite.common.value_types import Value, Values

DRAWINGS_PER_SECOND = 8
#: the outcome of an update for what it does not change
UNCHANGED = 'UNCHANGED'
STYLES = {
    'COMPLETE': 'green',
    'FAILED': 'bold red',
    'IN_PROGRESS': 'yellow',
    **dict.fromkeys(('', UNCHANGED), 'dim'),
}
#: what is shown first if there is too little room
PRIORITIES = ('FAILED', 'IN_PROGRESS', '', 'COMPLETE', UNCHANGED)
#: actions on all resources, whose states before are no result of the action
SWEEPS = ('DELETE', 'SUSPEND', 'RESUME', 'CHECK')
#: actions that visit a resource after those that need it
BACKWARDS = ('DELETE', 'SUSPEND')
CREATES = ('CREATE', 'ADOPT')
SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
BAR_WIDTH, SHORTEST_BAR = 24, 5
#: lines for the totals, for what is folded, for a note, and for the cursor
RESERVED_LINES = 4
#: columns that a line needs before it shows the type as well; and the status of a resource, which
#: its symbol shows, too
WIDE, MEDIUM = 100, 60
#: columns of names, unless longer ones have room
NAME_COLUMNS = 26
#: columns of the seconds and the status after the name
STATUS_COLUMNS = 30


class LiveView:
    """The view of a terminal (see ``views``)."""

    prints_events = False
    shows_plan = True

    def __init__(self, out: terminal.Terminal, console: Console | None = None) -> None:
        self.console = console or Console(file=out.stream, highlight=False)
        self._picture = Picture()
        self._live: Live | None = None
        self._echo = terminal.Echo()
        self._handlers: dict[int, Value] = {}
        self._is_drawing = self._is_stop_due = False
        #: the columns of the lines on the terminal
        self._drawn: list[int] = []

    def _draw(self) -> Text:
        width, height = self.console.size
        lines = self._picture.lines(width, max(height - 1, 1), time.monotonic())
        self._drawn = [each.cell_len for each in lines]
        return Text('\n').join(lines)

    def show(
        self,
        stack: Values,
        tree: resource_tree.ResourceTree,
        events: list[Values],
        now: float,
    ) -> None:
        """Show the present state."""
        self._picture.take(stack, tree, time.monotonic() - now)
        if not self._handlers:
            self._handlers = {
                signal.SIGTERM: signal.signal(signal.SIGTERM, _exit),
                signal.SIGTSTP: signal.signal(signal.SIGTSTP, self._on_stop),
            }
        self._refresh()

    def note(self, text: str) -> None:
        """Show a remark until the next state."""
        self._picture.remark = text

    def wait(self, seconds: float, wakeup: threading.Event | None = None) -> None:
        """Wait, or until ``wakeup`` is set, and let the durations tick meanwhile."""
        end = time.monotonic() + seconds
        wakeup = wakeup or threading.Event()
        while (left := end - time.monotonic()) > 0 and not wakeup.is_set():
            wakeup.wait(min(left, 1 / DRAWINGS_PER_SECOND))
            if self._handlers:
                self._refresh()

    def close(self) -> None:
        """Keep the last picture, without what only a running action has."""
        self._picture.ended = True
        self._end_picture()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}

    def _refresh(self) -> None:
        """Draw the picture. In the background the terminal is that of another program."""
        if self._live is None and not terminal.is_in_foreground(self.console.file):
            return
        self._is_drawing = True
        if self._live is None:
            live = self._begin_picture()
        else:
            live = self._live
            self.console.control(unwrap(self._drawn, *self.console.size))
        live.refresh()
        self._is_drawing = False
        if self._is_stop_due:
            self._stop()

    def _begin_picture(self) -> Live:
        self._echo.disable()
        self._live = live = Live(
            console=self.console, auto_refresh=False, get_renderable=self._draw, transient=False
        )
        live.start()
        return live

    def _end_picture(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.stop()
        self._echo.restore()

    def _on_stop(self, number: int, frame: FrameType | None) -> None:
        """Stop the process by SIGTSTP; the end of a drawing comes first."""
        self._is_stop_due = True
        if not self._is_drawing:
            self._stop()

    def _stop(self) -> None:
        """Give the terminal back, stop, and begin a new picture after SIGCONT."""
        self._is_stop_due = False
        self._end_picture()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._on_stop)


def unwrap(lines: list[int], width: int, height: int) -> Control:
    """Return what erases the rows that lines have gained since the terminal became narrower.

    ``lines``: their columns. Terminals wrap lines that have become too long.
    """
    rows = sum(max(1, -(-columns // width)) for columns in lines)
    gained = min(rows, height) - len(lines)
    erase = ((ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1))
    return Control(*erase * max(gained, 0))


def _exit(number: int, frame: FrameType | None) -> None:
    """End by SIGTERM with the terminal as it was: its cursor, and its echo."""
    raise SystemExit(128 + number)


class Picture:
    """The lines of the picture for a size of the terminal."""

    def __init__(self) -> None:
        self.stack: Values = {}
        self.tree = resource_tree.ResourceTree()
        self.zero = 0.0
        self.remark = ''
        self.ended = False

    def take(self, stack: Values, tree: resource_tree.ResourceTree, zero: float) -> None:
        """Take in a state. ``zero`` is the time at which the observation began."""
        self.stack, self.tree, self.zero, self.remark = stack, tree, zero, ''

    def lines(self, width: int, height: int, clock: float) -> list[Text]:
        """Return at most ``height`` lines of at most ``width`` columns."""
        if not self.stack:
            return []
        now = clock - self.zero
        members = list(self.tree.members.values())
        shown = self._fitting(members, max(height - RESERVED_LINES, 1))
        names = _name_columns(shown, width)
        lines = [self._totals(members, now, width)]
        kept = {each.path for each in shown}
        lines += [self._line(each, now, width, names, label_of(each, kept)) for each in shown]
        folded = [each for each in members if each.path not in kept]
        if folded:
            lines.append(Text(self._folded(folded), 'dim'))
        if self.remark:
            lines.append(Text(f'  {self.remark}', 'bold'))
        for line in lines:
            line.truncate(width, overflow='ellipsis')
            line.no_wrap = True
        return lines[:height]

    def _fitting(
        self, members: Sequence[resource_tree.Member], room: int
    ) -> Sequence[resource_tree.Member]:
        """Return the members that have room, in their order; the most important ones first."""
        if len(members) <= room:
            return members
        ranked = sorted(
            range(len(members)),
            key=lambda index: (self._priority(members[index]), members[index].depth, index),
        )
        return [members[index] for index in sorted(ranked[:room])]

    def _outcome(self, member: resource_tree.Member) -> str:
        """Return the outcome of the action for a member; '' before its turn."""
        action = self._action()
        if member.touched or action in CREATES:
            return member.outcome
        is_over = self.ended and self.stack['stack_status'].endswith('COMPLETE')
        stays = is_over or not self.tree.is_planned(member.path)
        return UNCHANGED if stays and action not in SWEEPS else ''

    def _action(self) -> str:
        """Return the action on the members: the rollback of a create deletes them."""
        action = self.stack['stack_status'].partition('_')[0]
        return 'DELETE' if action == 'ROLLBACK' and self.tree.is_new else action

    def _priority(self, member: resource_tree.Member) -> int:
        return PRIORITIES.index(self._outcome(member))

    def _folded(self, members: Sequence[resource_tree.Member]) -> str:
        waiting = 'not started' if self.ended else 'waiting'
        words = {
            'COMPLETE': 'complete',
            '': waiting,
            'IN_PROGRESS': 'in progress',
            'FAILED': 'failed',
            UNCHANGED: 'unchanged',
        }
        found = [self._outcome(each) for each in members]
        parts = [f'{found.count(each)} {word}' for each, word in words.items() if each in found]
        return f'   … {", ".join(parts)} (not shown)'

    def _totals(self, members: Sequence[resource_tree.Member], now: float, width: int) -> Text:
        status = self.stack['stack_status']
        done, total = self._progress(members)
        name = Text(printable.escape(self.stack['stack_name']), 'bold')
        state = Text(f'  {status}', STYLES[terminal.outcome(status)])
        count = f'  {done} of {total}' if total else f'  {done} done' if done else ''
        counts = Text(count).append(f'  {views.seconds_text(now)}')
        # the name is shortened and the bar left out, rather than the numbers
        room = width - state.cell_len - counts.cell_len
        name.truncate(max(room, 1), overflow='ellipsis')
        bar = min(BAR_WIDTH, room - name.cell_len - 2) if total else 0
        if bar >= SHORTEST_BAR:
            filled = bar * done // total
            state.append('  ' + '━' * filled, 'green').append('╌' * (bar - filled), 'bright_black')
            counts = counts[1:]
        return Text.assemble(name, state, counts)

    def _progress(self, members: Sequence[resource_tree.Member]) -> tuple[int, int]:
        """Return (number of finished members, number of members) of the action.

        The latter is 0 while it is not known what an update will change.
        """
        outcomes = [self._outcome(each) for each in members]
        done, total = outcomes.count('COMPLETE'), len(members) - outcomes.count(UNCHANGED)
        if self.ended or not self._knows_turns():
            return done, total if self.ended else 0
        plan = self.tree.plan or ()
        made = [path for path in plan if path[-1] != '/' and path not in self.tree.members]
        return done, total + len(made)

    def _line(
        self, member: resource_tree.Member, now: float, width: int, names: int, label: str
    ) -> Text:
        line = Text(' ' + '  ' * member.depth)
        outcome = self._outcome(member)
        line.append(self._symbol(outcome, now) + ' ', STYLES[outcome])
        line.append(printable.escape(label))
        line.truncate(names - 1, overflow='ellipsis')
        _pad(line, names)
        seconds = views.seconds_text(member.seconds(now)) if member.touched else ''
        line.append(f'{seconds:>7}  ', 'not dim')
        detail = self._detail(member)
        # On a narrow terminal the reason of a failure has the place of its status.
        if width >= WIDE or (width >= MEDIUM and (outcome != 'FAILED' or not detail)):
            status = 'unchanged' if outcome == UNCHANGED else member.status
            line.append(status, STYLES[outcome])
        if width >= WIDE:
            _pad(line, names + STATUS_COLUMNS)
            kind = views.short_type(member.row['resource_type'])
            line.append('  ' + printable.escape(kind), 'dim')
        if detail:
            line.append('  ' * (width >= MEDIUM) + printable.escape(detail), STYLES[outcome])
        return line

    def _symbol(self, outcome: str, now: float) -> str:
        if outcome == 'IN_PROGRESS' and not self.ended:
            return SPINNER[int(now * DRAWINGS_PER_SECOND) % len(SPINNER)]
        return terminal.SYMBOLS.get(outcome, '·')

    def _detail(self, member: resource_tree.Member) -> str:
        outcome = self._outcome(member)
        if outcome in ('FAILED', 'IN_PROGRESS'):
            return ' '.join(views.reason_of(member).split())
        is_waiting = not outcome and self._knows_turns() and not self.ended
        names = self._waits_for(member) if is_waiting else []
        if not names:
            return ''
        more = f' and {len(names) - 3} more' if len(names) > 3 else ''
        return f'waits for {", ".join(names[:3])}{more}'

    def _knows_turns(self) -> bool:
        """Return whether it is known what the action visits."""
        return self._action() in (*CREATES, *SWEEPS) or self.tree.plan is not None

    def _waits_for(self, member: resource_tree.Member) -> list[str]:
        """Return the names of the members whose turn comes before."""
        base, backwards = member.path.rpartition('/')[0], self._action() in BACKWARDS
        return [
            each.name
            for each in self.tree.members.values()
            if each.path.rpartition('/')[0] == base
            and (_requires(each, member) if backwards else _requires(member, each))
            and self._outcome(each) in ('IN_PROGRESS', '')
        ]


def _requires(member: resource_tree.Member, other: resource_tree.Member) -> bool:
    return member.name in (other.row.get('required_by') or ())


def label_of(member: resource_tree.Member, shown: set[str]) -> str:
    """Return the name of a member, with the names of what contains it and is not ``shown``."""
    label, outer = member.name, member.path.rpartition('/')[0]
    while outer and outer not in shown:
        outer, _, name = outer.rpartition('/')
        label = f'{name}/{label}'
    return label


def _name_columns(members: Sequence[resource_tree.Member], width: int) -> int:
    """Return the columns of indentation, symbol and name: at most two fifths of the width."""
    longest = max((3 + 2 * each.depth + cell_len(each.name) for each in members), default=0)
    return min(max(longest + 1, NAME_COLUMNS), max(width * 2 // 5, 10))


def _pad(line: Text, column: int) -> None:
    line.append(' ' * max(column - line.cell_len, 1))
