"""Bells for those who wait for news of a row."""

from heat_lite.engine.bells import Bells


def heard(bell):
    calls = []
    bell.listen(lambda: calls.append(1))
    return bool(calls)


def test_all_who_wait_for_a_row_hear_of_it_and_nobody_else():
    bells = Bells()
    first, second, other = bells.hang(1), bells.hang(1), bells.hang(2)
    assert bells.ring(1)
    assert heard(first) and heard(second) and not heard(other)
    assert not bells.ring(1), 'they have been told'


def test_who_has_gone_is_not_waited_for():
    bells = Bells()
    bell = bells.hang(1, patience=5)
    assert bell.patience == 5
    bells.take_down(1, bell)
    bells.take_down(1, bell)
    assert not bells.ring(1)
