import io
import itertools
import json

import pytest

from heat_lite.cmd.cli import rest, screen, watch
from tests import identity
from tests.waiting import PATIENCE


def resource(name, status):
    return {'resource_name': name, 'resource_type': 'T', 'resource_status': status}


def test_plain_output_tells_changes_of_this_action_only():
    stream = io.StringIO()
    view = watch.View(screen.Screen(stream, live=False))
    view.update('CREATE', [resource('a', 'CREATE_IN_PROGRESS'), resource('b', 'INIT_COMPLETE')])
    view.update('CREATE', [resource('a', 'CREATE_COMPLETE'), resource('b', 'INIT_COMPLETE')])
    view.update('CREATE', [resource('a', 'CREATE_COMPLETE'), resource('b', 'INIT_COMPLETE')])
    told = [line.split()[2::2] for line in stream.getvalue().splitlines()]
    assert told == [['a', 'CREATE_IN_PROGRESS'], ['a', 'CREATE_COMPLETE']]


def test_live_output_shows_all_each_time():
    stream = io.StringIO()
    view = watch.View(screen.Screen(stream, live=True))
    view.update('CREATE', [resource('a', 'CREATE_COMPLETE'), resource('b', 'INIT_COMPLETE')])
    assert 'INIT_COMPLETE' in stream.getvalue()


def test_what_is_gone_is_deleted():
    known = [resource('a', 'CREATE_COMPLETE'), resource('b', 'CREATE_COMPLETE')]
    found = watch.and_the_gone(known, [resource('b', 'DELETE_IN_PROGRESS')])
    assert {each['resource_name']: each['resource_status'] for each in found} == {'a': 'DELETE_COMPLETE', 'b': 'DELETE_IN_PROGRESS'}


def serve_statuses(*statuses):
    """A service whose stack goes through these statuses, one a request, and has one resource of the same status."""
    following = itertools.chain(statuses, itertools.repeat(statuses[-1]))
    now = {}

    def application(environ, start_response):
        if environ['PATH_INFO'].endswith('/resources'):
            body = {'resources': [resource('only', now['status'])]}
        else:
            now['status'] = next(following)
            body = {'stack': {'stack_status': now['status'], 'stack_status_reason': 'the reason'}}
        start_response('200 OK', [('Content-Type', 'application/json')])
        return [json.dumps(body).encode()]

    return identity.serve(application)


def follow(url, seconds=PATIENCE):
    stream = io.StringIO()
    watch.follow(rest.Api(url), '/stacks/s/1', screen.Screen(stream, live=False), seconds=seconds)
    return stream.getvalue()


def test_follows_to_the_end():
    with serve_statuses('CREATE_IN_PROGRESS', 'CREATE_COMPLETE') as url:
        lines = follow(url).splitlines()
    assert [line.split()[-1] for line in lines] == ['CREATE_IN_PROGRESS', 'CREATE_COMPLETE']


def test_a_failure_carries_its_reason():
    with serve_statuses('CREATE_IN_PROGRESS', 'CREATE_FAILED') as url, pytest.raises(watch.Failed, match='CREATE_FAILED: the reason'):
        follow(url)


def test_does_not_wait_for_ever():
    with serve_statuses('CREATE_IN_PROGRESS') as url, pytest.raises(watch.Failed, match='after 0 seconds'):
        follow(url, seconds=0)
