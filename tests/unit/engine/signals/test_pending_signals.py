"""The signals that are accepted and not handled yet."""

from heat_lite.engine.signals.pending_signals import PendingSignals, SignalOutcome


def test_pending_signals_with_the_same_details_are_removed_one_by_one():
    pending = PendingSignals()
    tickets = [pending.add(1, None), pending.add(1, None), pending.add(2, {})]
    pending.remove(1, tickets[1])
    assert (pending.of(1), pending.of(2)) == ([None], [{}])
    pending.remove(1, tickets[0])
    assert pending.of(1) == []


def test_one_task_handles_the_pending_signals_of_a_row_until_none_is_left():
    pending = PendingSignals()
    outcome = SignalOutcome()
    first, second = pending.add(1, 'a', outcome), pending.add(1, 'b')
    assert pending.begin(1) and not pending.begin(1) and pending.begin(2)
    assert pending.take(1, 1) == [(first, 'a', outcome)]
    pending.remove(1, first)
    assert pending.take(1, 9) == [(second, 'b', None)]
    pending.remove(1, second)
    assert pending.take(1, 9) == []
    assert pending.begin(1), 'the task has ended, so the next signal needs another'
