"""The order in which requests of several peers have their turns."""

import contextlib
import threading
import time

import pytest

from heat_lite.common import exception, fair_turns
from tests.timeouts import WAIT_SECONDS


class Requests:
    """Requests that wait while one has the only turn; ``order``: the peers as they begin."""

    def __init__(self):
        self.turns = fair_turns.FairTurns(1, WAIT_SECONDS, 'too many')
        self.order = []
        self._threads = []

    def send(self, peer):
        thread = threading.Thread(target=self._run, args=(peer,))
        self._threads.append(thread)
        thread.start()
        while sum(map(len, self.turns._waits.values())) < len(self._threads):
            time.sleep(0.001)

    def _run(self, peer):
        with self.turns.turn(peer):
            self.order.append(peer)

    def join(self):
        for thread in self._threads:
            thread.join(WAIT_SECONDS)
        self._threads = []


def test_peer_with_one_request_waits_for_none_of_those_of_a_busy_peer():
    requests = Requests()
    for _ in range(3 * fair_turns.CREDIT):
        with requests.turns.turn('busy'):
            pass
    with requests.turns.turn('busy'):
        for _ in range(5):
            requests.send('busy')
        requests.send('honest')
    requests.join()
    assert requests.order == ['honest'] + ['busy'] * 5


def test_busy_peers_alternate_whatever_one_has_sent_before_the_other():
    requests = Requests()
    with requests.turns.turn('first'):
        for _ in range(6):
            requests.send('first')
        for _ in range(6):
            requests.send('other')
    requests.join()
    assert requests.order[:6] == ['other', 'first', 'other', 'first', 'other', 'first']


def test_crowds_have_a_part_of_the_turns_while_others_wait():
    """A client that had sent more than each of 100 addresses once waited for 900 requests."""
    requests = Requests()
    for _ in range(20):
        with requests.turns.turn('honest'):
            pass
    with requests.turns.turn('any'):
        for _ in range(fair_turns.MAX_WAITS + 3):
            for number in range(3):
                requests.send(f'crowd {number}')
        for number in range(fair_turns.CROWD_PERIOD):
            requests.send(f'honest {number}' if number else 'honest')
    requests.join()
    first = requests.order[: fair_turns.CROWD_PERIOD + 1]
    assert [each.split()[0] for each in first].count('crowd') == 1 and 'honest' in first


def test_peer_that_waits_has_no_more_credit_than_others():
    requests = Requests()
    for _ in range(100):
        with requests.turns.turn('first'):
            pass
    with requests.turns.turn('first'):
        for _ in range(fair_turns.MAX_WAITS + 2):
            requests.send('first')
        for _ in range(fair_turns.CREDIT + fair_turns.MAX_WAITS + 3):
            requests.send('other')
    requests.join()
    assert requests.order[: fair_turns.CREDIT] == ['other'] * fair_turns.CREDIT
    assert 'first' in requests.order[fair_turns.CREDIT : fair_turns.CREDIT + 3]


def test_request_whose_turn_does_not_come_is_refused_and_takes_no_turn():
    turns = fair_turns.FairTurns(1, 0.01, 'there are too many')
    with turns.turn('one'):
        with pytest.raises(exception.ServiceUnavailable, match='there are too many'):
            with turns.turn('other'):
                pass
    with turns.turn('other'):
        pass


def test_numbers_of_peers_are_bounded(monkeypatch):
    monkeypatch.setattr(fair_turns, 'MAX_PEERS', 10)
    turns = fair_turns.FairTurns(1, 1, '')
    for number in range(50):
        with turns.turn(str(number)):
            pass
    assert len(turns._numbers) <= 11


@pytest.mark.parametrize(
    'host, peer',
    [
        ('10.0.0.1', '10.0.0.1'),
        ('::ffff:10.0.0.1', '10.0.0.1'),
        ('2001:db8::1', '2001:db8::/64'),
        ('2001:db8::ffff:0:0:1', '2001:db8::/64'),
        ('fe80::1%eth0', 'fe80::/64'),
        ('', ''),
    ],
)
def test_addresses_of_a_network_that_one_client_has_are_one_peer(host, peer):
    assert fair_turns.peer_of(host) == peer


class Accomplices:
    """Parties that hold turns until ``stop``."""

    def __init__(self, turns):
        self._turns = turns
        self._over = threading.Event()
        self._threads = []

    def hold(self, party):
        begun = threading.Event()
        thread = threading.Thread(target=self._run, args=(party, begun))
        self._threads.append(thread)
        thread.start()
        return begun

    def _run(self, party, begun):
        with self._turns.turn('address', party=party):
            begun.set()
            self._over.wait(WAIT_SECONDS)

    def stop(self):
        self._over.set()
        for thread in self._threads:
            thread.join(WAIT_SECONDS)


@pytest.fixture
def held(monkeypatch):
    """Turns that four accomplices hold for long."""
    monkeypatch.setattr(fair_turns, 'LONG_SECONDS', 0.05)
    turns = fair_turns.FairTurns(4, WAIT_SECONDS, 'too many', yields=True)
    accomplices = Accomplices(turns)
    for number in range(4):
        assert accomplices.hold(f'accomplice {number}').wait(WAIT_SECONDS)
    time.sleep(0.1)
    yield turns, accomplices
    accomplices.stop()


def test_turns_that_last_long_do_not_delay_parties_whose_turns_are_short(held):
    turns, accomplices = held
    with turns.turn('address', party='honest'):
        assert not accomplices.hold('accomplice 1').wait(0.3)
    with turns.turn('address', party='honest'), turns.turn('address', party='other'):
        second = accomplices.hold('other')
        assert not second.wait(0.2)
    assert second.wait(WAIT_SECONDS)


def test_request_that_waits_begins_when_the_turns_before_it_have_lasted_long(monkeypatch):
    monkeypatch.setattr(fair_turns, 'LONG_SECONDS', 0.3)
    turns = fair_turns.FairTurns(2, WAIT_SECONDS, 'too many', yields=True)
    accomplices = Accomplices(turns)
    for number in range(2):
        assert accomplices.hold(f'accomplice {number}').wait(WAIT_SECONDS)
    honest = accomplices.hold('honest')
    assert not honest.is_set() and honest.wait(WAIT_SECONDS)
    accomplices.stop()


def test_unknown_parties_leave_places_to_those_with_short_turns(held):
    turns, accomplices = held
    for number in range(8):
        turns._lengths[f'known {number}'] = 0.01
    for number in range(4, 6):
        assert accomplices.hold(f'accomplice {number}').wait(WAIT_SECONDS)
    assert not accomplices.hold('accomplice 6').wait(0.3)
    for number in range(2):
        assert accomplices.hold(f'known {number}').wait(WAIT_SECONDS)
    assert not accomplices.hold('known 2').wait(0.3)
    assert len(turns._active) == 8  # twice the limit


def test_party_passes_when_the_turns_of_others_are_longer_than_its_own(held):
    turns, accomplices = held
    turns._lengths['delayed'] = turns._lengths['later'] = 0.5
    turns._lengths['accomplice 9'] = 600
    again = accomplices.hold('accomplice 9')
    # it was long only because of such turns
    assert accomplices.hold('delayed').wait(WAIT_SECONDS)
    assert not again.is_set()


def test_length_of_turns_is_that_of_the_last_ones(monkeypatch):
    turns = fair_turns.FairTurns(1, WAIT_SECONDS, 'too many', yields=True)
    turns._lengths['party'] = 64.0
    for _ in range(10):
        with turns.turn('address', party='party'):
            pass
    assert turns._lengths['party'] < 1
    monkeypatch.setattr(fair_turns, 'MAX_PEERS', 1)
    with turns.turn('address', party='other'):
        pass
    assert turns._lengths.keys() == {'other'}


def test_turns_of_one_project_do_not_yield():
    turns = fair_turns.FairTurns(1, 0.2, 'too many')
    with turns.turn('one'), pytest.raises(exception.ServiceUnavailable):
        with turns.turn('other'):
            pass


def test_peer_with_slow_bodies_leaves_turns_to_others():
    turns = fair_turns.CappedTurns(limit=3, of_peer=2, seconds=0.01, refusal='later')
    with contextlib.ExitStack() as held:
        for _ in range(2):
            held.enter_context(turns.turn('slow'))
        with pytest.raises(exception.ServiceUnavailable), turns.turn('slow'):
            pass
        held.enter_context(turns.turn('other'))
        with pytest.raises(exception.ServiceUnavailable), turns.turn('third'):
            pass
    with turns.turn('slow'), turns.turn('slow'), turns.turn('third'):
        pass
    with fair_turns.CappedTurns(0, 0, 0.01, 'later').turn('any'):
        pass
