"""The turns of the requests of a project."""

import contextlib
import threading

import pytest

from heat_lite.api import admission
from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from tests.timeouts import WAIT_SECONDS, wait_until


def context(project, depth=None):
    made = RequestContext(project_id=project)
    made.stack_depth = depth
    return made


def test_requests_beyond_the_limit_wait_and_other_projects_do_not():
    control = admission.AdmissionControl(2, WAIT_SECONDS)
    admitted, done = threading.Semaphore(0), threading.Event()

    def request(project):
        with control.admit(context(project)):
            admitted.release()
            done.wait(WAIT_SECONDS)

    threads = [threading.Thread(target=request, args=('one',)) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert admitted.acquire(timeout=WAIT_SECONDS) and admitted.acquire(timeout=WAIT_SECONDS)
    assert not admitted.acquire(timeout=0.2)
    with control.admit(context('other')):
        pass
    done.set()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert all(admitted.acquire(timeout=0) for _ in range(3))
    assert not control._turns


def test_request_whose_turn_does_not_come_is_refused_with_the_reason():
    control = admission.AdmissionControl(1, 0.05)
    with control.admit(context('one')):
        with pytest.raises(exception.ServiceUnavailable, match='has 1 requests in progress'):
            with control.admit(context('one')):
                pass
    with control.admit(context('one')):
        pass


def test_requests_of_nested_stacks_do_not_wait_for_those_above_them():
    control = admission.AdmissionControl(8, 0.05)
    with control.admit(context('one')):
        with control.admit(context('one', 1)), control.admit(context('one', 2)):
            with control.admit(context('one', 1)):
                with pytest.raises(exception.ServiceUnavailable):
                    with control.admit(context('one', 1)):
                        pass


def test_levels_that_a_client_invents_share_the_turns_of_the_deepest():
    control = admission.AdmissionControl(4, 0.05)
    with control.admit(context('one', 900)):
        with pytest.raises(exception.ServiceUnavailable):
            with control.admit(context('one', 901)):
                pass


def test_limit_of_zero_admits_all():
    control = admission.AdmissionControl(0, 0.05)
    with control.admit(context('one')), control.admit(context('one')):
        pass
    assert not control._turns


def test_failed_request_ends_its_turn():
    control = admission.AdmissionControl(1, 0.05)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), control.admit(context('one')):
            raise ZeroDivisionError


def test_bodies_take_no_turns_and_are_limited():
    control = admission.AdmissionControl(1, 0.05)
    with contextlib.ExitStack() as stack:
        for _ in range(admission.BODIES_PER_TURN):
            stack.enter_context(control.admit_body(context('one')))
        with control.admit(context('one')), control.admit_body(context('other')):
            pass
        with pytest.raises(exception.ServiceUnavailable), control.admit_body(context('one')):
            pass
    assert not control._turns


def send(control, interruptible, ends):
    """Send a request that waits for its turn; add how it ends."""
    try:
        with control.admit(context('one'), '', interruptible):
            ends.append('admitted')
    except exception.RequestAbandoned:
        ends.append('abandoned')


def test_interrupted_request_is_abandoned_and_its_turn_goes_to_the_next():
    control = admission.AdmissionControl(1, WAIT_SECONDS)
    interrupts, ends = [], []

    @contextlib.contextmanager
    def interruptible(interrupt):
        interrupts.append(interrupt)
        yield lambda: False

    with control.admit(context('one'), '', interruptible):
        given = control, interruptible, ends
        threads = [threading.Thread(target=send, args=given) for _ in range(3)]
        for number, thread in enumerate(threads):
            thread.start()
            wait_until(lambda count=number: len(interrupts) > count)
        interrupts[0]()
        threads[0].join(WAIT_SECONDS)
        assert ends == ['abandoned']
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert ends == ['abandoned', 'admitted', 'admitted'] and not control._turns


def test_requests_are_admitted_in_the_order_of_their_arrival():
    control, order, arrived = admission.AdmissionControl(1, WAIT_SECONDS), [], []

    def request(number):
        with control.admit(context('one'), '', lambda _: arrive(number)):
            order.append(number)

    @contextlib.contextmanager
    def arrive(number):
        arrived.append(number)
        yield lambda: False

    with control.admit(context('one')):
        threads = [threading.Thread(target=request, args=(number,)) for number in range(5)]
        for number, thread in enumerate(threads):
            thread.start()
            wait_until(lambda count=number: len(arrived) > count)
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert order == list(range(5))


def test_request_whose_client_leaves_while_it_waits_is_abandoned():
    control = admission.AdmissionControl(1, WAIT_SECONDS)
    waiting, ends = threading.Event(), []

    @contextlib.contextmanager
    def interruptible(_):
        waiting.set()
        yield lambda: True

    thread = threading.Thread(target=send, args=(control, interruptible, ends))
    with control.admit(context('one')):
        thread.start()
        assert waiting.wait(WAIT_SECONDS)
    thread.join(WAIT_SECONDS)
    assert ends == ['abandoned'] and not control._turns
