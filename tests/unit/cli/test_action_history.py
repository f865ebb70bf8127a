"""Durations of an action that began before it is followed."""

import datetime
import json
import urllib.parse

import pytest

from heat_lite.cli import action_history, api_client
from heat_lite.cli.display import progress, resource_tree, terminal, views
from tests import identity
from tests.unit.cli.display.test_progress import resource

NOW = datetime.datetime.now(datetime.UTC)


def event(name, status, ago, stack='1'):
    time = NOW - datetime.timedelta(seconds=ago)
    return {
        'id': f'{stack}-{name}-{status}-{ago}',
        'event_time': time.strftime('%Y-%m-%dT%H:%M:%SZ'),
        'resource_name': name,
        'resource_status': status,
        'physical_resource_id': '1' if name == 's' else f'id of {name}',
        'links': [{'rel': 'stack', 'href': f'http://x/stacks/s/{stack}'}],
    }


UPDATE = [
    event('s', 'CREATE_IN_PROGRESS', 900),
    event('slow', 'CREATE_IN_PROGRESS', 899),
    event('slow', 'CREATE_COMPLETE', 800),
    event('s', 'CREATE_COMPLETE', 800),
    event('s', 'UPDATE_IN_PROGRESS', 100),
    event('done', 'UPDATE_IN_PROGRESS', 90),
    event('done', 'UPDATE_COMPLETE', 60),
    event('slow', 'UPDATE_IN_PROGRESS', 40),
    event('slow', 'CREATE_IN_PROGRESS', 30, stack='nested'),
]


def read(events, status='UPDATE_IN_PROGRESS'):
    def application(environ, start_response):
        query = dict(urllib.parse.parse_qsl(environ['QUERY_STRING']))
        body = {'stack': {'id': '1', 'stack_name': 's', 'stack_status': status}}
        if environ['PATH_INFO'].endswith('/events'):
            found = events[::-1]
            if 'marker' in query:
                ids = [each['id'] for each in found]
                found = found[ids.index(query['marker']) + 1 :]
            body = {'events': found[: int(query['limit'])]}
        start_response('200 OK', [('Content-Type', 'application/json')])
        return [json.dumps(body).encode()]

    with identity.serve(application) as url:
        return action_history.read(api_client.ApiClient(url), '/stacks/s/1')


def until_now(seconds):
    """Return what has been counted since ``NOW`` to the limit of the resolution of events."""
    since = (datetime.datetime.now(datetime.UTC) - NOW).total_seconds()
    return pytest.approx(seconds + since, abs=2)


@pytest.mark.parametrize('page', [1000, 2])
def test_history_has_the_work_of_the_running_action(monkeypatch, page):
    monkeypatch.setattr(action_history, 'PAGE', page)
    history = read(UPDATE)
    assert history.seconds == until_now(100)
    assert history.work['1', 'done'] == (10, 40)
    assert history.work['1', 'slow'] == (60, None)
    assert history.work['nested', 'slow'] == (70, None)


def test_history_of_an_ended_action_lasts_until_its_end():
    history = read([*UPDATE, event('s', 'UPDATE_FAILED', 20)], 'UPDATE_FAILED')
    assert history.seconds == 80


def test_history_without_the_first_event_is_empty():
    assert read(UPDATE[5:]) == action_history.ActionHistory()
    assert read([{'id': 'x'}]) == action_history.ActionHistory()


def test_follower_counts_from_the_beginning_of_the_action():
    rows = tuple(
        {**resource(name, status), 'links': UPDATE[0]['links']}
        for name, status in (('done', 'UPDATE_COMPLETE'), ('slow', 'UPDATE_IN_PROGRESS'))
    )
    before = progress.Before(None, rows, history=read(UPDATE))
    view = views.choose(terminal.Terminal(None, live=False))
    follower = progress.Follower(api_client.ApiClient('http://x'), '/stacks/s/1', view, before)
    done, slow = follower.tree.members.values()
    now = follower.seconds
    assert now == until_now(100)
    assert (done.touched, done.seconds(now)) == (True, 30)
    assert slow.seconds(now) == pytest.approx(now - 60)


def test_recalled_failure_is_a_cause():
    tree = resource_tree.ResourceTree()
    row = {**resource('bad', 'UPDATE_FAILED'), 'links': UPDATE[0]['links']}
    tree.update([row], 100, is_first=True)
    assert not tree.causes()
    tree.recall({('1', 'bad'): (10, 30)})
    [cause] = tree.causes()
    assert cause.seconds(100) == 20


@pytest.mark.parametrize(
    'status, events, expected',
    [
        ('ROLLBACK_IN_PROGRESS', ['CREATE_FAILED', 'ROLLBACK_IN_PROGRESS'], True),
        ('ROLLBACK_IN_PROGRESS', ['CREATE_FAILED', *['ROLLBACK_IN_PROGRESS'] * 2], True),
        ('ROLLBACK_IN_PROGRESS', ['CREATE_FAILED', 'UPDATE_FAILED', 'ROLLBACK_IN_PROGRESS'], False),
        ('UPDATE_IN_PROGRESS', ['CREATE_COMPLETE', 'UPDATE_IN_PROGRESS'], False),
    ],
)
def test_rollback_of_a_create_is_known_by_the_events_of_the_stack(status, events, expected):
    found = [event('s', each, 9 - index) for index, each in enumerate(events)]
    history = read(found, status)
    assert history.is_new is expected and history.event == found[-2]['id']
