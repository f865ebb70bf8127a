"""The signals that are accepted and not handled yet."""

from heat_lite.engine.runtime import PendingSignals


def test_pending_signals_with_the_same_details_are_removed_one_by_one():
    pending = PendingSignals()
    tickets = [pending.add(1, None), pending.add(1, None), pending.add(2, {})]
    pending.remove(1, tickets[1])
    assert (pending.of(1), pending.of(2)) == ([None], [{}])
    pending.remove(1, tickets[0])
    assert pending.of(1) == []
