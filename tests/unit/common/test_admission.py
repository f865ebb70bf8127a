"""The permits of requests, and the order in which parties get them."""

import contextlib
import threading

import pytest

from heat_lite.common import admission, exception
from heat_lite.common.context import RequestContext
from tests.timeouts import WAIT_SECONDS, wait_until


def context(project, depth=None):
    made = RequestContext(project_id=project)
    made.stack_depth = depth
    return made


def permit(control, project, depth=None, interruptible=None):
    environ = {} if interruptible is None else {admission.INTERRUPTIBLE: interruptible}
    return control.permit(context(project, depth), environ)


class Requests:
    """Requests that wait for the only permit; ``order``: the parties as they begin."""

    def __init__(self):
        self.admission = admission.Admission(1, 1)
        self.order = []
        self._begun = []

    def send(self, party, peer=None):
        permit = admission.Permit(party, None, peer)
        permit.granted = Granted(lambda: self._begin(permit))
        self.admission.enter(permit)

    def _begin(self, permit):
        self.order.append(permit.party)
        self._begun.append(permit)

    @contextlib.contextmanager
    def held(self):
        """Hold all permits while the block sends, then end what it has sent one after another."""
        with self.admission.permit('one'), self.admission.permit('another'):
            yield
        for permit in self._begun:
            self.admission.leave(permit)

    def use(self, party, times):
        for _ in range(times):
            with self.admission.permit(party):
                pass


class Granted:
    def __init__(self, begin):
        self.set = begin


@pytest.fixture
def requests():
    return Requests()


def test_requests_beyond_the_limit_wait_and_other_projects_do_not():
    control = admission.RequestAdmission(2, WAIT_SECONDS)
    admitted, done = threading.Semaphore(0), threading.Event()

    def request(project):
        with permit(control, project):
            admitted.release()
            done.wait(WAIT_SECONDS)

    threads = [threading.Thread(target=request, args=('one',)) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert admitted.acquire(timeout=WAIT_SECONDS) and admitted.acquire(timeout=WAIT_SECONDS)
    assert not admitted.acquire(timeout=0.2)
    with permit(control, 'other'):
        pass
    done.set()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert all(admitted.acquire(timeout=0) for _ in range(3))


def test_request_whose_turn_does_not_come_is_refused_with_the_reason():
    control = admission.RequestAdmission(1, 0.05)
    with permit(control, 'one'):
        with pytest.raises(exception.ServiceUnavailable, match='has 1 requests in progress'):
            with permit(control, 'one'):
                pass
    with permit(control, 'one'):
        pass


def test_project_without_a_request_has_one_beyond_the_total():
    control = admission.RequestAdmission(8, 0.05, 2)
    with permit(control, 'one'), permit(control, 'one'):
        with pytest.raises(exception.ServiceUnavailable, match='the service has 2 requests'):
            with permit(control, 'one'):
                pass
        with permit(control, 'other'):
            with pytest.raises(exception.ServiceUnavailable, match='the service has 2 requests'):
                with permit(control, 'third'):
                    pass


def test_requests_of_nested_stacks_do_not_wait_for_those_above_them():
    control = admission.RequestAdmission(8, 0.05)
    with permit(control, 'one'):
        with permit(control, 'one', 1), permit(control, 'one', 2):
            with permit(control, 'one', 1):
                with pytest.raises(exception.ServiceUnavailable):
                    with permit(control, 'one', 1):
                        pass


def test_levels_that_a_client_invents_share_the_permits_of_the_deepest():
    control = admission.RequestAdmission(4, 0.05)
    with permit(control, 'one', 900):
        with pytest.raises(exception.ServiceUnavailable):
            with permit(control, 'one', 901):
                pass


def test_limit_of_zero_admits_all():
    control = admission.RequestAdmission(0, 0.05)
    with permit(control, 'one'), permit(control, 'one'):
        pass


def test_failed_request_ends_its_permit():
    control = admission.RequestAdmission(1, 0.05)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), permit(control, 'one'):
            raise ZeroDivisionError


def test_permit_of_the_project_ends_that_of_the_peer():
    control, ended = admission.RequestAdmission(1, 0.05), []
    environ = {admission.END_PEER_PERMIT: lambda: ended.append('peer')}
    with control.permit(context('one'), environ):
        assert ended == ['peer']


def send(control, interruptible, ends):
    """Send a request that waits for its permit; add how it ends."""
    try:
        with permit(control, 'one', None, interruptible):
            ends.append('admitted')
    except exception.RequestAbandoned:
        ends.append('abandoned')


def test_interrupted_request_is_abandoned_and_its_permit_goes_to_the_next():
    control = admission.RequestAdmission(1, WAIT_SECONDS)
    interrupts, ends = [], []

    @contextlib.contextmanager
    def interruptible(interrupt):
        interrupts.append(interrupt)
        yield lambda: False

    with permit(control, 'one', None, interruptible):
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
    assert ends == ['abandoned', 'admitted', 'admitted']


def test_request_whose_client_leaves_while_it_waits_is_abandoned():
    control = admission.RequestAdmission(1, WAIT_SECONDS)
    waiting, ends = threading.Event(), []

    @contextlib.contextmanager
    def interruptible(_):
        waiting.set()
        yield lambda: True

    thread = threading.Thread(target=send, args=(control, interruptible, ends))
    with permit(control, 'one'):
        thread.start()
        assert waiting.wait(WAIT_SECONDS)
    thread.join(WAIT_SECONDS)
    assert ends == ['abandoned']


def test_party_with_one_request_waits_for_none_of_those_of_a_busy_party(requests):
    requests.use('busy', 3 * admission.CREDIT)
    with requests.held():
        for _ in range(5):
            requests.send('busy')
        requests.send('honest')
    assert requests.order == ['honest'] + ['busy'] * 5


def test_busy_parties_alternate(requests):
    with requests.held():
        for party in ('first', 'other'):
            for _ in range(6):
                requests.send(party)
    assert requests.order[:6] in (['first', 'other'] * 3, ['other', 'first'] * 3)


def test_crowds_have_a_part_of_the_permits_while_others_wait(requests):
    requests.use('honest', 20)
    with requests.held():
        for _ in range(admission.MAX_WAITS + 3):
            for number in range(3):
                requests.send(f'crowd {number}')
        for number in range(admission.CROWD_PERIOD):
            requests.send(f'honest {number}' if number else 'honest')
    first = requests.order[: admission.CROWD_PERIOD + 1]
    assert [each.split()[0] for each in first].count('crowd') == 1 and 'honest' in first


def test_peer_with_requests_of_many_projects_is_a_crowd(requests):
    with requests.held():
        for number in range(admission.MAX_WAITS + 2):
            requests.send(f'project {number}', 'peer')
        requests.send('honest', 'other')
    assert requests.order[0] == 'honest'


def test_long_request_counts_as_many(requests, monkeypatch):
    monkeypatch.setattr(admission, 'COUNTED_SECONDS', 1e-9)
    requests.use('long', 1)
    monkeypatch.setattr(admission, 'COUNTED_SECONDS', WAIT_SECONDS)
    requests.use('short', 2 * admission.CREDIT)
    with requests.held():
        requests.send('long')
        requests.send('short')
    assert requests.order == ['short', 'long']


def test_numbers_of_parties_are_bounded(requests, monkeypatch):
    monkeypatch.setattr(admission, 'MAX_PARTIES', 10)
    for number in range(50):
        requests.use(str(number), 1)
    assert len(requests.admission._numbers) <= 10


@pytest.mark.parametrize(
    ('host', 'peer'),
    [
        ('10.0.0.1', '10.0.0.1'),
        ('::ffff:10.0.0.1', '10.0.0.1'),
        ('2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'),
        ('2001:db8:1:2::9%eth0', '2001:db8:1:2::/64'),
        ('unix', 'unix'),
    ],
)
def test_peer_of_an_address(host, peer):
    assert admission.peer_of(host) == peer
