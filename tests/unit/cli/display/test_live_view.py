"""The picture of a running action, at several sizes of the terminal."""

import io
import signal

import pytest
from rich.console import Console

from heat_lite.cli.display import live_view, resource_tree, terminal
from tests.unit.cli.display.test_resource_tree import row


@pytest.fixture(autouse=True)
def able_terminal(monkeypatch):
    """Rich draws nothing anew on a terminal that is called dumb."""
    monkeypatch.setenv('TERM', 'xterm')


def picture(rows, status='CREATE_IN_PROGRESS'):
    tree = resource_tree.ResourceTree()
    tree.update(rows, 1)
    found = live_view.Picture()
    found.take({'stack_name': 'app', 'stack_status': status}, tree, zero=0)
    return found


def many():
    rows = [row(f'done{index}', 'CREATE_COMPLETE') for index in range(290)]
    rows += [row(f'next{index}', 'INIT_COMPLETE') for index in range(7)]
    return [*rows, row('busy', 'CREATE_IN_PROGRESS'), row('bad', 'CREATE_FAILED', nested='n')]


@pytest.mark.parametrize('width, height', [(70, 14), (40, 8), (200, 60), (20, 3), (1, 1)])
def test_picture_fits_any_size(width, height):
    lines = picture(many()).lines(width, height, clock=2)
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines)


def test_small_terminal_shows_failed_and_running_members_and_counts_others():
    lines = [line.plain for line in picture(many()).lines(70, 14, clock=3)]
    assert '290 of 299' in lines[0]
    assert any('✘ bad' in line and 'reason of bad' in line for line in lines)
    assert any('busy' in line and '2.0s' in line for line in lines)
    assert '289 complete' in lines[-1] and 'not shown' in lines[-1]


def test_member_below_a_folded_one_shows_what_contains_it():
    rows = [row('group', 'CREATE_IN_PROGRESS', 's', 'g')]
    for name in 'abc':
        rows.append(row(name, 'CREATE_IN_PROGRESS', stack='g', nested=name))
        rows.append(row('thing', 'CREATE_FAILED', stack=name))
    lines = [line.plain for line in picture(rows).lines(70, 8, clock=3)]
    names = [line.split()[1] for line in lines[1:-1]]
    assert names == ['group', 'a/thing', 'b/thing', 'c/thing']


def test_nested_members_are_indented_and_waiting_ones_say_for_what():
    rows = [
        row('outer', 'CREATE_IN_PROGRESS', nested='n', required_by=['later']),
        row('inner', 'CREATE_COMPLETE', 'n'),
        row('later', 'INIT_COMPLETE'),
    ]
    lines = [line.plain for line in picture(rows).lines(120, 20, clock=2)]
    assert lines[1].startswith(' · later') and 'waits for outer' in lines[1]
    assert 'outer' in lines[2] and lines[3].startswith('   ✔ inner')


def shown(tree, status, ended=False):
    """Return the lines of a picture, each without what changes with the time."""
    found = live_view.Picture()
    found.take({'stack_name': 'app', 'stack_status': status}, tree, zero=0)
    found.ended = ended
    first, *lines = found.lines(120, 20, clock=3)
    return [first.plain.split('  ')[-2], *(line.plain for line in lines)]


def test_rollback_of_a_create_counts_what_it_has_deleted():
    tree = resource_tree.ResourceTree()
    tree.update([], 0, is_first=True)
    tree.update([row('a', 'CREATE_COMPLETE'), row('b', 'CREATE_COMPLETE')], 1)
    tree.begin_rollback()
    tree.update([row('a', 'CREATE_COMPLETE'), row('b', 'DELETE_COMPLETE')], 2)
    count, *lines = shown(tree, 'ROLLBACK_IN_PROGRESS')
    assert '1 of 2' in count
    assert lines[0].startswith(' · a') and lines[1].startswith(' ✔ b')


def updated(plan, *statuses):
    """Return the tree of an update of a chain, its plan and the present statuses."""
    before = {name: 'CREATE_COMPLETE' for name in 'abcd'}
    needs = {'a': ['b'], 'b': ['c']}
    tree = resource_tree.ResourceTree()
    tree.plan = plan
    for now, state in enumerate((before, {**before, **dict(zip('abcd', statuses, strict=False))})):
        rows = [row(name, state[name], required_by=needs.get(name, ())) for name in 'abcd']
        tree.update(rows, now, is_first=not now)
    return tree


def test_update_counts_what_it_will_change_and_marks_the_rest():
    tree = updated({'a', 'b', 'c', 'new'}, 'UPDATE_IN_PROGRESS')
    count, a, b, c, d = shown(tree, 'UPDATE_IN_PROGRESS')
    assert '0 of 4' in count and a[1] in live_view.SPINNER
    assert b.startswith(' · b') and b.endswith('waits for a') and c.endswith('waits for b')
    assert d.split() == ['=', 'd', 'unchanged', 'T']


def test_planned_change_that_was_not_needed_is_unchanged_at_the_end():
    tree = updated({'a', 'b', 'c'}, 'UPDATE_COMPLETE')
    count, _, b, _, _ = shown(tree, 'UPDATE_COMPLETE', ended=True)
    assert '1 of 1' in count and b.split() == ['=', 'b', 'unchanged', 'T']
    count, _, b, _, _ = shown(tree, 'UPDATE_FAILED', ended=True)
    assert '1 of 3' in count and b.startswith(' · b')


def test_update_without_a_plan_counts_what_is_done_only():
    tree = updated(None, 'UPDATE_COMPLETE', 'UPDATE_IN_PROGRESS')
    count, _, _, c, _ = shown(tree, 'UPDATE_IN_PROGRESS')
    assert '1 done' in count and ' of ' not in count and 'waits' not in c


def test_rollback_of_an_update_plans_to_undo_what_was_touched():
    tree = updated({'a', 'b', 'c'}, 'UPDATE_COMPLETE', 'UPDATE_FAILED')
    tree.begin_rollback()
    count, a, _, c, _ = shown(tree, 'ROLLBACK_IN_PROGRESS')
    assert '0 of 2' in count and a.startswith(' · a') and c.startswith(' = c')


def test_work_before_a_rollback_does_not_count_for_it():
    tree = updated(
        None, 'UPDATE_COMPLETE', 'UPDATE_IN_PROGRESS', 'CREATE_COMPLETE', 'UPDATE_FAILED'
    )
    tree.begin_rollback()
    states = {'a': 'UPDATE_COMPLETE', 'b': 'UPDATE_COMPLETE', 'c': 'UPDATE_COMPLETE'}
    tree.update([row(name, states.get(name, 'UPDATE_FAILED')) for name in 'abcd'], 2)
    tree.set_plan({'a', 'b', 'd'}, is_rollback=True)
    assert '1 of 4' in shown(tree, 'ROLLBACK_IN_PROGRESS')[0]


def test_unknown_members_of_a_group_may_change():
    tree = updated({'group/'})
    assert tree.is_planned('group/1/db') and not tree.is_planned('a')


def test_member_that_was_continued_by_an_update_counts_as_created():
    tree = resource_tree.ResourceTree()
    tree.update([row('a', 'CREATE_COMPLETE'), row('b', 'UPDATE_COMPLETE')], 0)
    assert '2 of 2' in shown(tree, 'CREATE_IN_PROGRESS')[0]


def test_suspend_begins_with_what_needs_others():
    tree = updated(None, 'CREATE_COMPLETE', 'CREATE_COMPLETE', 'SUSPEND_IN_PROGRESS')
    count, a, b, _, _ = shown(tree, 'SUSPEND_IN_PROGRESS')
    assert '0 of 4' in count and a.endswith('waits for b') and b.endswith('waits for c')


def test_delete_shows_members_before_their_turn_as_waiting():
    tree = resource_tree.ResourceTree()
    rows = [row(f'r{index}', 'CREATE_COMPLETE') for index in range(9)]
    tree.update(rows, 0, is_first=True)
    tree.update([*rows[:8], row('r8', 'DELETE_IN_PROGRESS')], 1)
    found = live_view.Picture()
    found.take({'stack_name': 'app', 'stack_status': 'DELETE_IN_PROGRESS'}, tree, zero=0)
    lines = [line.plain for line in found.lines(80, 9, clock=2)]
    assert lines[1].startswith(' · r0') and 'r8' in lines[5]
    assert lines[-1] == '   … 4 waiting (not shown)'


@pytest.mark.parametrize('width, bar', [(40, False), (70, True), (120, True)])
def test_numbers_are_readable_beside_long_names(width, bar):
    rows = [row('a_name_that_is_longer_than_its_column_' * 3, 'CREATE_IN_PROGRESS'), row('b', '_')]
    found = picture(rows)
    found.stack['stack_name'] = 'app-of-the-shop'
    first, *lines = [line.plain for line in found.lines(width, 10, clock=5)]
    assert first.endswith(' 0 of 2  5.0s') and ('╌' in first) is bar
    assert '… ' in lines[0] and ' 4.0s' in lines[0]


def test_names_of_a_stack_cannot_command_the_terminal():
    lines = picture([row('x\x1b[2J', 'CREATE_COMPLETE')]).lines(80, 10, clock=2)
    assert r'x\x1b[2J' in lines[1].plain and '\x1b' not in lines[1].plain


def test_view_draws_ticks_and_keeps_the_last_picture():
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=70, height=14, color_system=None)
    view = live_view.LiveView(terminal.Terminal(stream, live=True), console)
    tree = resource_tree.ResourceTree()
    tree.update([row('a', 'CREATE_IN_PROGRESS')], 0)
    view.show({'stack_name': 'app', 'stack_status': 'CREATE_IN_PROGRESS'}, tree, [], 0)
    view.wait(0.3)
    view.note('the service does not answer')
    view.wait(0.2)
    view.close()
    text = stream.getvalue()
    assert text.count('CREATE_IN_PROGRESS') > 4 and 'the service does not answer' in text


def test_view_gives_the_terminal_back_before_it_stops_and_begins_anew(monkeypatch):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=70, height=14, color_system=None)
    view = live_view.LiveView(terminal.Terminal(stream, live=True), console)
    tree = resource_tree.ResourceTree()
    tree.update([row('a', 'CREATE_IN_PROGRESS')], 0)
    state = {'stack_name': 'app', 'stack_status': 'CREATE_IN_PROGRESS'}
    stops = []
    monkeypatch.setattr(live_view.os, 'kill', lambda *args: stops.append(stream.tell()))
    handler = signal.getsignal(signal.SIGTSTP)
    view.show(state, tree, [], 0)
    signal.raise_signal(signal.SIGTSTP)
    view.show(state, tree, [], 0)
    view.close()
    assert signal.getsignal(signal.SIGTSTP) == handler
    [stop] = stops
    before, after = stream.getvalue()[:stop], stream.getvalue()[stop:]
    hide, show, up = '\x1b[?25l', '\x1b[?25h', '\x1b[1A'
    assert before.rindex(show) > before.rindex(hide) and before.endswith(show)
    first, second = after.index(hide), after.index('CREATE_IN_PROGRESS')
    assert first < second and up not in after[:second]
    assert after.rindex(show) > after.rindex(hide)


@pytest.mark.parametrize('width, rows', [(80, 0), (70, 0), (69, 1), (35, 1), (34, 2), (1, 22)])
def test_rows_that_a_narrower_terminal_adds_are_erased(width, rows):
    """Else they stay above the picture."""
    erased = str(live_view.unwrap([70, 20 if width > 1 else 70], width, 24))
    assert erased.count('\x1b[1A') == erased.count('\x1b[2K') == rows


def test_view_erases_wrapped_rows_before_it_draws_on_a_narrower_terminal():
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, height=14, color_system=None)
    view = live_view.LiveView(terminal.Terminal(stream, live=True), console)
    tree = resource_tree.ResourceTree()
    tree.update([row('a', 'CREATE_IN_PROGRESS')], 0)
    state = {'stack_name': 'app', 'stack_status': 'CREATE_IN_PROGRESS'}
    view.show(state, tree, [], 0)
    view.show(state, tree, [], 0)
    same, start = stream.getvalue().count('\x1b[1A'), stream.tell()
    console.width = 30
    view.show(state, tree, [], 0)
    assert stream.getvalue()[start:].count('\x1b[1A') > same
    view.close()
