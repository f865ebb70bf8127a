import io
import itertools
import json
import socket
import threading

import pytest

from heat_lite.cli import api_client, errors
from heat_lite.cli.display import outcome, progress, resource_tree, terminal, views
from tests import identity
from tests.timeouts import WAIT_SECONDS


def resource(name, status):
    return {
        'resource_name': name,
        'resource_type': 'T',
        'resource_status': status,
        'physical_resource_id': 'id-1',
        'resource_status_reason': f'reason of {name}',
    }


def application_of(statuses, failures=None, ended=None, plan=None):
    """A service whose stack and only resource have the next status at each request.

    ``ended`` is the status of a stack whose action has ended before its resource. ``plan``: the
    names of the preview; without them it has no previews.
    """
    following = itertools.chain(statuses, itertools.repeat(statuses[-1]))
    now, events = {}, []

    def application(environ, start_response):
        if 'event-stream' in environ['HTTP_ACCEPT']:
            start_response('406 Not Acceptable', [])
            return [b'']
        if environ['PATH_INFO'].endswith('/preview'):
            if plan is None:
                start_response('404 Not Found', [])
                return [b'']
            body = {'resource_changes': {'updated': [{'resource_name': name} for name in plan]}}
        elif environ['PATH_INFO'].endswith('/events'):
            marker = environ['QUERY_STRING'].partition('marker=')[2].partition('&')[0]
            body = {'events': events[int(marker or 0) :]}
        elif environ['PATH_INFO'].endswith('/resources'):
            body = {'resources': [resource('only', now['status'])]}
        else:
            before, now['status'] = now.get('status'), next(following)
            if now['status'] != before:
                moment = {'id': str(len(events) + 1), 'event_time': '2026-01-01T00:00:00Z'}
                events.append({**resource('only', now['status']), **moment})
            body = {
                'stack': {
                    'stack_name': 's',
                    'stack_status': ended or now['status'],
                    'stack_status_reason': 'the reason',
                    'failures': failures,
                }
            }
        start_response('200 OK', [('Content-Type', 'application/json')])
        return [json.dumps(body).encode()]

    return application


def follow(url, expected=None, is_json=False, **options):
    out = terminal.Terminal(io.StringIO(), live=False, is_json=is_json)
    outcome.follow(api_client.ApiClient(url), '/stacks/s/1', out, expected, **options)
    return out.stream.getvalue().splitlines()


def test_follow_returns_at_the_end_of_the_action():
    with identity.serve(application_of(['CREATE_IN_PROGRESS', 'CREATE_COMPLETE'])) as url:
        first, second, last = follow(url, 'CREATE')
    assert (first.split()[-1], second.split()[-1]) == ('CREATE_IN_PROGRESS', 'CREATE_COMPLETE')
    assert last.startswith('s: CREATE_COMPLETE after')


def test_follow_of_a_cancelled_stack_ends_with_the_work_on_its_resources():
    statuses = ['CREATE_IN_PROGRESS', 'CREATE_IN_PROGRESS', 'CREATE_COMPLETE']
    with identity.serve(application_of(statuses, ended='CREATE_FAILED')) as url:
        with pytest.raises(errors.StackFailed) as caught:
            follow(url, before=progress.Before(until_idle=True))
    assert 's: CREATE_FAILED after' in str(caught.value)
    with identity.serve(application_of(statuses, ended='CREATE_FAILED')) as url:
        follower = progress.Follower(
            api_client.ApiClient(url),
            '/stacks/s/1',
            views.choose(terminal.Terminal(io.StringIO(), live=False)),
            progress.Before(until_idle=True),
        )
        follower.follow()
    assert follower.tree.members['only'].status == 'CREATE_COMPLETE'


@pytest.mark.parametrize('plan, expected', [(['only', 'later'], {'only', 'later'}), (None, None)])
def test_follower_of_a_running_action_learns_its_plan(plan, expected):
    statuses = ['UPDATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE']
    with identity.serve(application_of(statuses, plan=plan)) as url:
        follower = waiting_for(url, terminal.Terminal(io.StringIO(), live=False))
        follower.follow()
    assert follower.tree.plan == expected


def test_columns_of_lines_are_as_wide_as_the_longest_text():
    out = terminal.Terminal(io.StringIO(), live=False)
    rows = [resource(name, 'CREATE_IN_PROGRESS') for name in ('short', 'a_resource_of_long_name')]
    events = [{**row, 'event_time': '2026-01-01T00:00:00Z'} for row in rows]
    views.LineView(out).show({}, resource_tree.tree_of(rows), events, 0.0)
    first, second = out.stream.getvalue().splitlines()
    assert first.index('CREATE') == second.index('CREATE')


def test_follow_with_json_prints_an_object_a_line():
    with identity.serve(application_of(['CREATE_IN_PROGRESS', 'CREATE_COMPLETE'])) as url:
        found = [json.loads(line) for line in follow(url, is_json=True)]
    assert [each.get('resource_status') for each in found[:-1]] == [
        'CREATE_IN_PROGRESS',
        'CREATE_COMPLETE',
    ]
    assert found[-1]['stack']['stack_status'] == 'CREATE_COMPLETE'


@pytest.mark.parametrize(('action', 'remedy'), [('CREATE', 'retry'), ('ADOPT', 'abandon')])
def test_failed_stack_raises_the_cause_and_the_next_commands(action, remedy):
    with (
        identity.serve(application_of([f'{action}_IN_PROGRESS', f'{action}_FAILED'])) as url,
        pytest.raises(errors.StackFailed, match=f's: {action}_FAILED') as caught,
    ):
        follow(url)
    lines = str(caught.value).splitlines()
    assert lines[1:3] == ['  only  T  id-1', '      reason of only']
    assert any(f'heat-lite {remedy} s' in line for line in lines)


def test_rollback_is_a_failure_whose_recorded_cause_is_shown():
    recorded = {
        'resource_name': 'gone',
        'resource_type': 'T',
        'physical_resource_id': 'x',
        'reason': 'it broke',
        'action': 'CREATE',
        'stack_action': 'CREATE',
    }
    with (
        identity.serve(application_of(['ROLLBACK_COMPLETE'], [recorded])) as url,
        pytest.raises(errors.StackFailed, match='(?s)ROLLBACK_COMPLETE.*gone  T  x.*it broke'),
    ):
        follow(url)


def test_last_failure_of_a_failed_check_is_shown_with_its_remedy():
    recorded = {
        'resource_name': 'gone',
        'resource_type': 'T',
        'physical_resource_id': 'x',
        'action': 'CHECK',
        'stack_action': 'CHECK',
    }
    failures = [{**recorded, 'reason': reason} for reason in ('it was broken', 'it is missing')]
    with (
        identity.serve(application_of(['CHECK_FAILED'], failures)) as url,
        pytest.raises(errors.StackFailed, match='it is missing') as caught,
    ):
        follow(url)
    text = str(caught.value)
    assert 'it was broken' not in text and 'retry' not in text
    assert '  heat-lite update --existing --converge s  repair what differs' in text


def test_hook_that_holds_the_action_is_shown_once(monkeypatch):
    monkeypatch.setattr(progress, 'HOOK_SECONDS', 0)
    inner = application_of([*['CREATE_IN_PROGRESS'] * 4, 'CREATE_COMPLETE'])
    reason = 'CREATE paused until Hook pre-create is cleared'

    def application(environ, start_response):
        if not environ['PATH_INFO'].endswith('/events'):
            return inner(environ, start_response)
        start_response('200 OK', [])
        event = {**resource('only', 'INIT_COMPLETE'), 'id': '1', 'resource_status_reason': reason}
        events = [] if 'marker' in environ['QUERY_STRING'] else [event]
        return [json.dumps({'events': events}).encode()]

    with identity.serve(application) as url:
        lines = follow(url, 'CREATE')
    assert sum('heat-lite hook clear s only pre-create' in line for line in lines) == 1


def test_another_action_than_expected_is_a_failure():
    with (
        identity.serve(application_of(['DELETE_COMPLETE'])) as url,
        pytest.raises(errors.StackFailed, match='DELETE_COMPLETE'),
    ):
        follow(url, 'CREATE')


def test_follow_beyond_its_time_limit_raises():
    with (
        identity.serve(application_of(['CREATE_IN_PROGRESS'])) as url,
        pytest.raises(errors.StackFailed, match='after 0 seconds'),
    ):
        follow(url, limit=0)


def test_state_of_before_is_not_the_end_of_the_action():
    before = progress.Before(
        {'stack_status': 'CREATE_COMPLETE', 'stack_status_reason': 'the reason'}, event='1'
    )
    statuses = ['CREATE_COMPLETE', 'UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE']
    with identity.serve(application_of(statuses)) as url:
        assert 'UPDATE_COMPLETE' in follow(url, 'UPDATE', before=before)[-1]


def test_action_that_ends_in_the_state_of_before_is_known_by_its_events():
    requests = []
    inner = application_of(['CHECK_COMPLETE'])

    def application(environ, start_response):
        if not environ['PATH_INFO'].endswith('/events'):
            return inner(environ, start_response)
        start_response('200 OK', [('Content-Type', 'application/json')])
        if 'limit=1&' not in environ['QUERY_STRING']:
            return [b'{"events": []}']
        requests.append(environ['QUERY_STRING'])
        return [json.dumps({'events': [{'id': f'event-{len(requests)}'}]}).encode()]

    with identity.serve(application) as url:
        before = progress.state_before(api_client.ApiClient(url), '/stacks/s/1')
        assert before.event == 'event-1'
        assert 'CHECK_COMPLETE' in follow(url, 'CHECK', before=before)[-1]
    assert len(requests) == 2 and 'sort_dir=desc' in requests[0]


def test_interrupt_tells_how_to_follow_and_cancel():
    class InterruptingView:
        prints_events = shows_plan = False

        def show(self, *state):
            pass

        def wait(self, seconds, wakeup=None):
            raise KeyboardInterrupt

        def close(self):
            pass

    with identity.serve(application_of(['CREATE_IN_PROGRESS'])) as url:
        follower = progress.Follower(
            api_client.ApiClient(url), '/stacks/s/1', InterruptingView(), progress.NO_STACK
        )
        with pytest.raises(errors.Interrupted):
            follower.follow()
    assert follower.action == 'CREATE'


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def test_service_that_restarts_is_waited_for(monkeypatch):
    monkeypatch.setattr(progress, 'UNREACHABLE_SECONDS', WAIT_SECONDS)
    lines = []
    with socket.create_server(('127.0.0.1', 0)) as silent:
        port = silent.getsockname()[1]
        thread = threading.Thread(
            target=lambda: lines.extend(follow(f'http://127.0.0.1:{port}/v3')), daemon=True
        )
        thread.start()
        for _ in 'ab':  # the stream, and the state
            silent.accept()[0].close()
    with identity.serve(application_of(['CREATE_COMPLETE']), port=port):
        thread.join(WAIT_SECONDS)
    assert lines[0] == '  (the service does not answer, waiting for it)'
    assert lines[-1].startswith('s: CREATE_COMPLETE') and len(lines) == 3


def test_service_that_stays_away_is_given_up(monkeypatch):
    monkeypatch.setattr(progress, 'UNREACHABLE_SECONDS', 0)
    with pytest.raises(errors.StackFailed, match='has not answered'):
        follow(f'http://127.0.0.1:{free_port()}/v3')


def responding(answers):
    """A service with the next body, or error, of each path; the last one stays."""

    def application(environ, start_response):
        path = environ['PATH_INFO'].rpartition('/')[2]
        given = answers.get(path, [BUSY])
        body = given.pop(0) if len(given) > 1 else given[0]
        status = '409 Conflict' if 'error' in body else '200 OK'
        start_response(status, [('Content-Type', 'application/json')])
        return [json.dumps(body).encode()]

    return application


def stack_in(status):
    return {'stack': {'stack_name': 's', 'stack_status': status}}


BUSY = {'error': {'type': 'ActionInProgress', 'message': 'busy'}}


def waiting_for(url, out):
    api = api_client.ApiClient(url)
    return progress.Follower(api, '/stacks/s/1', views.LineView(out), progress.NO_STACK)


def test_request_waits_for_the_resources_of_a_cancelled_action(monkeypatch):
    monkeypatch.setattr(progress, 'BUSY_SECONDS', 0)
    out = terminal.Terminal(io.StringIO(), live=False)
    answers = {
        '1': [stack_in('CREATE_FAILED')],
        'resources': [{'resources': [resource('slow', 'CREATE_IN_PROGRESS')]}],
        'events': [{'events': [{**resource('s', 'INIT_COMPLETE'), 'id': 'e'}]}],
        'actions': [BUSY, BUSY, {}],
    }
    with identity.serve(responding(answers)) as url:
        before = waiting_for(url, out).request({'retry': None})
    assert before.stack == stack_in('CREATE_FAILED')['stack'] and before.event == 'e'
    assert out.stream.getvalue().count('waiting for the end of the work on slow') == 1


def test_request_during_an_action_is_refused():
    answers = {
        '1': [stack_in('CREATE_IN_PROGRESS')],
        'resources': [{'resources': []}],
        'events': [{'events': []}],
        'actions': [BUSY],
    }
    with (
        identity.serve(responding(answers)) as url,
        pytest.raises(api_client.RequestFailed, match='busy'),
    ):
        waiting_for(url, terminal.Terminal(io.StringIO(), live=False)).request({'retry': None})
