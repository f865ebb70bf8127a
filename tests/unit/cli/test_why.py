"""The verb ``why``, against answers of a service."""

import json

import pytest

from heat_lite.cli import main
from tests import identity

STACK = '/v1/p/stacks/app/1'
IN_PROGRESS, INITIAL = 'CREATE_IN_PROGRESS', 'INIT_COMPLETE'
ENGINE = {'host': 'node', 'engine_id': 'e-1', 'stacks': [{'id': '1'}]}


def node(name, status=IN_PROGRESS, reason='state changed', kind='OS::Nova::Server', **more):
    return {
        'id': f'{more.get("stack_id", "1")}/{name}',
        'stack_id': '1',
        'stack_name': 'app',
        'parent': None,
        'resource_name': name,
        'resource_type': kind,
        'resource_status': status,
        'resource_status_reason': reason,
        'waiting_for': [],
        **more,
    }


def event(name, reason, status=IN_PROGRESS, **more):
    return {
        'resource_name': name,
        'resource_status': status,
        'resource_status_reason': reason,
        'event_time': '2026-01-01T00:00:00Z',
        'links': [{'rel': 'stack', 'href': 'http://service/v1/p/stacks/app/1'}],
        **more,
    }


def asked(capsys, nodes=(), events=(), services=None, status=IN_PROGRESS, **answers):
    """Return what the verb shows as {resource: (reason, command)}."""
    stacks = [{'id': each, 'stack_status': status} for each in ('1', '2')]
    stack = {'stack_name': 'app', 'id': '1', 'stack_status': status, 'parameters': {'n': '3'}}
    known = {
        '/v1/p/stacks/app': {'stack': stack},
        '/v1/p/stacks/1': {'stack': stack},
        STACK: {'stack': stack},
        f'{STACK}/graph': {'graph': {'nodes': list(nodes), 'edges': [], 'stacks': stacks}},
        f'{STACK}/events': {'events': list(events)},
        **({'/v1/p/services': {'services': services}} if services is not None else {}),
        **{STACK + path: answer for path, answer in answers.items()},
    }

    def application(environ, start_response):
        found = known.get(environ['PATH_INFO'])
        content = json.dumps(found or {}).encode()
        status = '200 OK' if found else '403 Forbidden'
        start_response(status, [('Content-Length', str(len(content)))])
        return [content]

    with identity.serve(application) as url:
        assert main.main(['why', '--endpoint', f'{url}/v1/p', 'app']) == 0
        told = capsys.readouterr().out
        assert main.main(['why', '--endpoint', f'{url}/v1/p', '--json', 'app']) == 0
    waits = json.loads(capsys.readouterr().out)['waits']
    assert all(each['reason'] in told for each in waits[:20]), told
    return {each['resource']: (each['reason'], each['command']) for each in waits}, told


@pytest.mark.parametrize(
    ('reason', 'expected'),
    [
        ('waiting for nova since 9 s: 503', 'nova since 9 s: 503'),
        ('in use, tried 2 times: 409', 'its object to be free: in use, tried 2 times: 409'),
        ('state changed', 'its own work: a request to a service, or the poll until its object'),
    ],
)
def test_why_tells_the_stored_reason_of_a_resource(capsys, reason, expected):
    found, _ = asked(capsys, [node('server', reason=reason)])
    assert found['server'][0].startswith(expected)
    assert found['server'][1] == 'heat-lite resource show app server'


def test_why_names_what_a_resource_waits_for_unless_its_action_has_ended(capsys):
    nodes = [
        *(node(name) for name in 'abcd'),
        node('last', INITIAL, waiting_for=['1/a', '1/b', '1/c', '1/d']),
        node('ready', INITIAL),
    ]
    found, _ = asked(capsys, nodes)
    assert found['last'] == ('a, b, c and others', 'heat-lite graph app')
    assert 'max_parallel_handlers' in found['ready'][0]
    found, told = asked(capsys, [node('ready', INITIAL)], status='CREATE_FAILED')
    assert found == {} and 'waits for nothing; see `heat-lite failures app`' in told


def test_why_leads_into_nested_stacks(capsys):
    inner = {'stack_id': '2', 'stack_name': 'app-outer', 'parent': '1/outer'}
    nodes = [node('outer'), node('leaf', **inner), node('done', 'CREATE_COMPLETE', **inner)]
    found, _ = asked(capsys, nodes)
    assert found['outer'] == (
        'its nested stack: 1 of 2 resources are not complete',
        'heat-lite why 2',
    )
    assert found['outer/leaf'][1] == 'heat-lite resource show app outer/leaf'


def test_why_names_the_command_that_clears_a_hook(capsys):
    paused = event('a', 'CREATE paused until Hook pre-create is cleared', INITIAL)
    found, _ = asked(capsys, [node('a', INITIAL)], [paused])
    assert found == {
        'a': ('the hook pre-create to be cleared', 'heat-lite hook clear app a pre-create')
    }


@pytest.mark.parametrize(
    ('resource', 'expected'),
    [
        ({'properties': {'count': 2, 'timeout': 60}}, '1 of 2 received; fails after 60 s'),
        ({'properties': {'count': {'get_param': 'n'}}}, '1 of 3 received'),
        ({'Properties': {'Count': '2', 'Timeout': {'Ref': 'n'}}}, '1 of 2 received; fails after 3'),
        ({'properties': {'count': {'get_attr': ['x', 'y']}}}, 'signals: 1 received'),
        ({}, '1 of 1 received'),
    ],
)
def test_why_counts_the_signals_of_a_wait_condition(capsys, resource, expected):
    condition = node('ready', kind='OS::Heat::WaitCondition')
    answers = {
        '/resources/ready': {'resource': {'attributes': {'data': '{"1": null}'}}},
        '/template': {'resources': {'ready': resource}},
    }
    found, _ = asked(capsys, [condition], **answers)
    assert expected in found['ready'][0]


@pytest.mark.parametrize(
    ('services', 'expected'),
    [
        ([{**ENGINE, 'status': 'up'}], None),
        ([{**ENGINE, 'status': 'down'}], 'another engine to take it over from node (e-1), which'),
        ([{**ENGINE, 'status': 'up', 'stacks': []}], 'an engine: none works on it'),
        (None, None),
    ],
)
def test_why_looks_for_the_engine_of_the_stack(capsys, services, expected):
    found, _ = asked(capsys, services=services)
    assert found.get('', (None,))[0] == expected or found[''][0].startswith(expected)


def test_why_shows_twenty_waits_and_counts_the_others(capsys):
    nodes = [node(f'r{number}') for number in range(25)]
    _, told = asked(capsys, nodes)
    assert told.endswith('and 5 more; --json lists all\n')
