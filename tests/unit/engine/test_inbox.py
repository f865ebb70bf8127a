"""The way to the work on a stack."""

import threading

import pytest

from heat_lite.engine.inbox import Inbox, Verb, Visit


class Work:
    """Stands in for the job of a stack: sees to what is asked when told to."""

    def __init__(self, stack='the stack'):
        self.inbox = Inbox()
        self.stack = stack

    def turn(self):
        for visit in self.inbox.visits():
            visit.make(self.stack)
            visit.leave()


def verb(check=lambda stack: None):
    return Verb('UPDATE', work=None, begin=None, check=check)


def refuse(stack):
    raise ValueError(f'not {stack}')


def test_a_visitor_gets_the_result_or_the_error():
    work = Work()
    good, bad = Visit(str.upper), Visit(refuse)
    assert work.inbox.visit(good) and work.inbox.visit(bad)
    threading.Timer(0.01, work.turn).start()
    assert good.wait(5) and good.result == 'THE STACK'
    with pytest.raises(ValueError, match='not the stack'):
        bad.wait(5)


def test_nobody_waits_for_ever():
    visit = Visit(str.upper)
    work = Work()
    work.inbox.visit(visit)
    assert not visit.wait(0.01)
    assert work.inbox.withdraw(visit) and not work.inbox.withdraw(visit)
    assert work.inbox.visits() == []


def test_a_verb_that_must_not_leaves_the_work_undisturbed():
    inbox = Inbox()
    bad, good = verb(refuse), verb()
    inbox.take_over(bad)
    assert not inbox.wants_over('stack')
    with pytest.raises(ValueError):
        bad.wait(0)
    inbox.take_over(verb(refuse))
    inbox.take_over(good)
    assert inbox.wants_over('stack') and inbox.next_verb() is good
    assert inbox.next_verb() is None and not inbox.wants_over('stack')


@pytest.mark.parametrize('asked', [lambda inbox: inbox.visit(Visit(str)), lambda inbox: inbox.take_over(verb())])
def test_it_closes_only_when_nothing_is_left_to_do(asked):
    inbox = Inbox()
    assert asked(inbox) and not inbox.close()
    inbox.visits(), inbox.next_verb()
    assert inbox.close() and not asked(inbox)


def test_what_comes_wakes_the_job():
    class Job:
        woken = 0

        def wake(self):
            self.woken += 1

    inbox, job = Inbox(), Job()
    inbox.attach(job)
    inbox.send('stop')
    inbox.visit(Visit(str))
    inbox.take_over(verb())
    assert job.woken == 4 and inbox.receive() == 'stop' and inbox.receive() is None
