"""The feed of an API process: news of engines, limits, slow and ended listeners."""

import contextlib
import threading
import time

import pytest

from heat_lite.api import event_feed, event_listener, wsgi
from heat_lite.api.event_listener import EventListener, FeedEvent, Scope
from heat_lite.api.v1 import event_streams
from heat_lite.common import exception
from heat_lite.common.event_cursor import EventCursor
from heat_lite.rpc.client import EngineClient
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

STACK = {'resources': {'r': {'type': 'OS::Heat::RandomString'}}}


@pytest.fixture(scope='module')
def driver(tmp_path_factory):
    folder = tmp_path_factory.mktemp('feed')
    with databases.migrated('sqlite', folder) as url, engines.running(url) as found:
        yield found


@contextlib.contextmanager
def feed_of(driver, total=10, of_project=10, in_threads=10):
    limits = event_feed.StreamLimits(total, of_project, in_threads)
    feed = event_feed.EventFeed(driver.client, limits)
    try:
        yield feed
    finally:
        feed.stop(0)


def listen(feed, project, has_thread=False):
    scope = Scope(project, None, 0, {}, frozenset(), False)
    listener = EventListener(scope, 'http://localhost/v1')
    feed.open(listener, has_thread)
    return listener


def read(listener, count):
    """Return what a listener gets until it has so many events."""
    taken, end = b'', time.monotonic() + WAIT_SECONDS
    while taken.count(b'event: event') < count:
        assert time.monotonic() < end, taken
        taken += listener.take(0.1)
    return taken


def test_new_events_come_without_a_poll(driver, monkeypatch):
    monkeypatch.setattr(event_feed, 'READ_SECONDS', 1000.0)
    with feed_of(driver) as feed:
        listener = listen(feed, driver.context.project_id)
        driver.create(STACK)
        read(listener, 4)


class Witness(threading.Event):
    """News that note the position of the listener at each message."""

    def __init__(self, listener):
        super().__init__()
        self.listener, self.positions = listener, []

    def set(self):
        self.positions.append(self.listener.position)
        super().set()


def test_position_before_new_events_is_not_told_after_them(driver):
    """A heartbeat with it would make a client that reconnects get these events again."""
    with feed_of(driver) as feed:
        listener = listen(feed, driver.context.project_id)
        before = listener.position
        witness = Witness(listener)
        listener.attach(witness)
        driver.create(STACK, name='told')
        read(listener, 4)
    assert before is not None
    assert witness.positions and set(witness.positions[:4]) == {None}


def test_streams_beyond_the_limits_are_refused(driver):
    with feed_of(driver, of_project=2, in_threads=1) as feed:
        first, _ = listen(feed, 'a'), listen(feed, 'a')
        with pytest.raises(exception.ServiceUnavailable, match='the project has 2 streams'):
            listen(feed, 'a')
        feed.close(first)
        with pytest.raises(exception.ServiceUnavailable, match='has 1 streams'):
            listen(feed, 'b', has_thread=True)
        listen(feed, 'a')


def test_project_with_most_streams_gives_its_place_to_another(driver):
    with feed_of(driver, total=3) as feed:
        mine = [listen(feed, 'a') for _ in range(3)]
        listen(feed, 'b')
        ended = [each for each in mine if each.ended]
        assert len(ended) == 1 and b'"code": 503' in ended[0].take(0)
        with pytest.raises(exception.ServiceUnavailable):
            listen(feed, 'b')


def test_threads_of_clients_that_do_not_leave_are_not_given_away_again(driver):
    """They would take all threads of the server."""
    with feed_of(driver, in_threads=2) as feed:
        mine = [listen(feed, 'a', has_thread=True) for _ in range(2)]
        other = listen(feed, 'b', has_thread=True)
        feed.close(other)
        mine.append(listen(feed, 'a', has_thread=True))
        with pytest.raises(exception.ServiceUnavailable, match='has 2 streams'):
            listen(feed, 'b', has_thread=True)
        feed.close(next(each for each in mine if each.ended))
        listen(feed, 'b', has_thread=True)


def test_streams_end_with_the_process(driver):
    with feed_of(driver) as feed:
        listener = listen(feed, 'a')
    assert b'event: error' in listener.take(0)
    with pytest.raises(exception.ServiceUnavailable):
        listen(feed, 'a')


class AbsentEngine(EngineClient):
    """A client of a topic that no engine serves."""

    topic = 'absent'


@pytest.mark.parametrize('reason', [event_feed.STOPPING, event_feed.GIVEN_AWAY])
def test_stream_that_ends_before_it_has_begun_is_refused_with_the_reason(driver, reason):
    """The feed reads no events, since no engine answers; that is not the reason."""
    limits = event_feed.StreamLimits(2, 2, 2)
    feed, reasons = event_feed.EventFeed(AbsentEngine(timeout=0.1), limits), []

    def refused(project):
        with pytest.raises(exception.ServiceUnavailable) as failure:
            listen(feed, project)
        reasons.append(str(failure.value))

    def start(project, open_streams):
        thread = threading.Thread(target=refused, args=(project,), daemon=True)
        thread.start()
        while len(feed._open()) < open_streams:
            time.sleep(0.01)
        return thread

    waiting = [start('a', 1), start('a', 2)]
    if reason == event_feed.GIVEN_AWAY:
        start('b', 2)
    else:
        feed.stop(WAIT_SECONDS)
    while not reasons:
        time.sleep(0.01)
    assert reason in reasons[0]
    feed.stop(WAIT_SECONDS)
    for thread in waiting:
        thread.join()
    assert not feed._open()


def test_stream_whose_past_cannot_be_read_names_that_reason(driver):
    request = wsgi.Request.blank('/', {wsgi.CONTEXT: driver.context})
    listener = EventListener(Scope('a', None, 0, {}, frozenset(), False), request.base)
    history = event_streams._History(
        AbsentEngine(timeout=0.1), request, None, listener, EventCursor(0)
    )
    history._page = {'gap': False, 'events': [], 'more': True}
    token = event_streams._Token({}, WAIT_SECONDS)
    with feed_of(driver) as feed:
        messages = list(
            event_streams._Body(feed, listener, history, event_streams._ThreadClient(), 60, token)
        )
    assert event_streams.UNREAD.encode() in messages[-1]


def event(number):
    row = {
        'event_identity': {'tenant': 'a', 'stack_name': 's', 'stack_id': 'i', 'path': '/e/u'},
        'stack_identity': {'tenant': 'a', 'stack_name': 's', 'stack_id': 'i', 'path': ''},
        'stack_name': 's',
        'event_time': '',
        'resource_name': 'r',
        'physical_resource_id': '',
        'resource_action': 'CREATE',
        'resource_status': 'COMPLETE',
        'resource_status_reason': '',
        'resource_type': 'OS::Heat::None',
        'number': number,
        'lineage': ['i'],
        'tags': [],
    }
    return FeedEvent(row, EventCursor(number))


def test_slow_listener_is_cut_off_and_keeps_nothing(monkeypatch):
    monkeypatch.setattr(event_listener, 'MAX_WAITING', 5)
    scope = Scope('a', None, 0, {}, frozenset(), False)
    listener = EventListener(scope, 'http://localhost/v1')
    listener.offer([event(number) for number in range(5)])
    assert listener.take(0).count(b'event: event') == 5
    listener.offer([event(number) for number in range(6)])
    assert listener.ended and len(listener) == 1
    assert b'Last-Event-ID' in listener.take(0)


def test_ended_listener_that_is_cut_off_tells_its_client():
    """Its last message is dropped with the others: without one a stream would just break off."""
    scope = Scope('a', None, 0, {}, frozenset(), False)
    listener = EventListener(scope, 'http://localhost/v1')
    listener.end(event_listener.message('complete', {}))
    listener.cut_off()
    assert b'Last-Event-ID' in listener.take(0) and listener.ended and not len(listener)


def test_event_before_the_position_of_the_client_is_left_out():
    scope = Scope('a', None, 0, {}, frozenset(), False)
    listener = EventListener(scope, 'http://localhost/v1')
    listener.after = EventCursor(7, ((5, 5),))
    listener.offer([event(number) for number in range(4, 10)])
    taken = listener.take(0)
    assert taken.count(b'event: event') == 3
    # the first one is event 5: a client that continues there has seen 6 and 7
    assert [number for number in range(4, 10) if b'id: %d\n' % number in taken] == [7, 8, 9]
