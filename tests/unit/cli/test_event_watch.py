"""The view of an action fed by the stream of events of a service."""

import io
import json
import queue
import threading

import pytest

from heat_lite.cli import api_client, errors, event_stream
from heat_lite.cli.display import outcome, progress, terminal
from tests import identity
from tests.timeouts import NEVER_SECONDS, WAIT_SECONDS

BREAK, END = object(), object()
EVENT = {'resource_name': 's', 'event_time': '2026-01-01T00:00:00Z'}
STACK = {'stack_name': 's', 'stack_status_reason': 'the reason'}


class StreamingService:
    """A service with a stack and a stream. ``steps``: what the stream does, one after the other.

    A step is a kind of message, a status that the stack gets before an event, seconds, BREAK or
    END. ``status``: those of the stack by request; the last one stays. ``refusals``: the answers to
    the first requests for the stream.
    """

    def __init__(self, *steps, status=('CREATE_IN_PROGRESS',), refusals=()):
        self.steps = queue.SimpleQueue()
        for each in steps:
            self.steps.put(each)
        self.statuses = list(status)
        self.refusals = list(refusals)
        self.requests = []
        self.positions = []
        self.queries = []
        self.sent = 0

    def __call__(self, environ, start_response):
        name = environ['PATH_INFO'].rpartition('/')[2]
        is_stream = 'event-stream' in environ['HTTP_ACCEPT']
        self.requests.append('stream' if is_stream else name)
        if is_stream:
            return self._stream(environ, start_response)
        start_response('200 OK', [('Content-Type', 'application/json')])
        status = self.statuses[0]
        if name == '1' and len(self.statuses) > 1:
            del self.statuses[0]
        bodies = {
            'resources': {'resources': []},
            'events': {'events': []},
            '1': {'stack': {**STACK, 'stack_status': status}},
        }
        return [json.dumps(bodies[name]).encode()]

    def _stream(self, environ, start_response):
        if self.refusals:
            start_response(self.refusals.pop(0), [])
            return [b'']
        self.positions.append(environ.get('HTTP_LAST_EVENT_ID'))
        self.queries.append(environ['QUERY_STRING'])
        start_response('200 OK', [('Content-Type', 'text/event-stream')])
        return self._messages()

    def _messages(self):
        yield self._message('heartbeat')
        while (step := self.steps.get(timeout=WAIT_SECONDS)) not in (BREAK, END):
            if isinstance(step, float):
                threading.Event().wait(step)
            elif '_' in step:
                self.statuses = [step]
                yield self._message('event')
            else:
                yield self._message(step)

    def _message(self, kind):
        self.sent += 1
        event = {**EVENT, 'id': f'event-{self.sent}', 'resource_status': self.statuses[0]}
        data = json.dumps(event if kind == 'event' else {})
        return f'id: {self.sent}\nevent: {kind}\ndata: {data}\n\n'.encode()


@pytest.fixture(autouse=True)
def slow_checks(monkeypatch):
    """Let a test in which only the check by GET sees the end fail."""
    monkeypatch.setattr(progress, 'CHECK_SECONDS', NEVER_SECONDS)
    monkeypatch.setattr(progress, 'HOOK_SECONDS', NEVER_SECONDS)
    monkeypatch.setattr(event_stream, 'RETRY_SECONDS', 0.01)


def follow(service):
    with identity.serve(service) as url:
        try:
            out = terminal.Terminal(io.StringIO(), live=False)
            return outcome.follow(api_client.ApiClient(url), '/stacks/s/1', out)
        finally:
            service.steps.put(END)


def test_silent_stream_costs_no_requests_until_the_action_ends():
    service = StreamingService(1.5, 'CREATE_COMPLETE', 'complete', END)
    follow(service)
    assert service.requests.count('1') <= 4  # the first, at the begin of the stream, at the end
    assert 'until=complete' in service.queries[0] and 'nested_depth=5' in service.queries[0]


def test_broken_stream_continues_after_its_last_event():
    service = StreamingService('CREATE_IN_PROGRESS', BREAK, 'CREATE_COMPLETE', 'complete', END)
    follow(service)
    assert service.positions[:2] == [None, '2']


def test_end_that_the_stream_does_not_tell_is_found(monkeypatch):
    monkeypatch.setattr(progress, 'CHECK_SECONDS', 0.2)
    monkeypatch.setattr(progress, 'HOOK_SECONDS', 0.1)
    service = StreamingService(status=['CREATE_IN_PROGRESS'] * 3 + ['CREATE_COMPLETE'])
    follow(service)
    assert service.requests.count('1') == 4


def test_stream_that_ends_before_the_action_is_requested_again():
    service = StreamingService('complete', BREAK, 'CREATE_FAILED', 'complete', END)
    with pytest.raises(errors.StackFailed):
        follow(service)
    assert len(service.positions) >= 2


def test_refused_stream_is_requested_again_while_the_service_is_asked(monkeypatch):
    monkeypatch.setattr(event_stream, 'REFUSED_SECONDS', 0.5)
    service = StreamingService('CREATE_COMPLETE', 'complete', END, refusals=['503 Full'] * 2)
    follow(service)
    assert service.positions[0] is None and service.requests.count('1') >= 4


@pytest.mark.parametrize('refusal', ['404 Not Found', '406 Not Acceptable', '403 Forbidden'])
def test_service_without_streams_is_asked_again_and_again(refusal):
    statuses = ['CREATE_IN_PROGRESS'] * 4 + ['CREATE_COMPLETE']
    service = StreamingService(status=statuses, refusals=[refusal])
    follow(service)
    assert (service.requests.count('stream'), service.requests.count('1')) == (1, 5)
