"""Each argument of each route of Heat's API is honoured or refused, never ignored."""

import ast
from pathlib import Path

import pytest

from tests.http import scripted
from tests.http.test_contracts import send

ENDPOINTS = Path(__file__).resolve().parents[2] / 'heat_lite' / 'engine' / 'endpoints'
STACK = '/v1/p/stacks/s/1'
PAGE = {'limit': '7', 'marker': 'm', 'sort_keys': 'name', 'sort_dir': 'asc'}
FILTERS = dict.fromkeys(('id', 'status', 'name', 'action'), 'CHECK')
EVENTS = {
    **PAGE,
    'nested_depth': '2',
    **dict.fromkeys(('resource_status', 'resource_action', 'resource_type'), 'CHECK'),
}
STACKS = {
    **PAGE,
    **FILTERS,
    **dict.fromkeys(('tags', 'tags_any', 'not_tags', 'not_tags_any'), 'a,b'),
    **dict.fromkeys(('show_deleted', 'show_nested', 'show_hidden', 'with_count'), 'true'),
    **dict.fromkeys(
        (
            'tenant username owner_id stack_name stack_action stack_status stack_status_reason '
            'disable_rollback timeout_mins stack_owner parent stack_user_project_id'
        ).split(),
        'x',
    ),
    'global_tenant': 'true',
}
# (method, path): {argument of the query: value}
QUERIES = {
    ('POST', '/v1/p/validate'): {'ignore_errors': '99001', 'show_nested': 'true'},
    ('GET', '/v1/p/resource_types'): {
        'name': 'x',
        'support_status': 'SUPPORTED',
        'version': '1',
        'with_description': 'true',
    },
    ('GET', '/v1/p/resource_types/T/template'): {'template_type': 'hot'},
    ('GET', '/v1/p/template_versions/V/functions'): {'with_condition_func': 'true'},
    ('GET', '/v1/p/stacks'): STACKS,
    ('GET', '/v1/p/stacks/detail'): {
        name: value for name, value in STACKS.items() if name != 'global_tenant'
    },
    ('GET', STACK): {'resolve_outputs': 'false'},
    ('PUT', f'{STACK}/preview'): {'show_nested': 'true'},
    ('PATCH', f'{STACK}/preview'): {'show_nested': 'true'},
    ('GET', f'{STACK}/resources'): {
        **FILTERS,
        'type': 'T',
        'physical_resource_id': 'x',
        'nested_depth': '2',
        'with_detail': 'true',
        'unknown': 'x',
    },
    ('GET', f'{STACK}/resources/r'): {'with_attr': 'a'},
    ('GET', f'{STACK}/events'): {**EVENTS, 'resource_name': 'r'},
    ('GET', f'{STACK}/resources/r/events'): EVENTS,
    ('GET', '/v1/p/software_configs'): {'global_tenant': 'true', 'limit': '7', 'marker': 'm'},
    ('GET', '/v1/p/software_deployments'): {'server_id': 'x'},
}

TEMPLATE = {'heat_template_version': '2018-08-31'}
CONTENT = {
    'environment': {'parameters': {'a': 1}},
    'environment_files': ['e.yaml'],
    'files': {'e.yaml': ''},
    'files_container': 'box',
    'parameters': {'a': 2},
    'template': {'heat_template_version': '2021-04-16'},
    'template_url': 'ftp://nowhere/x',
}
OPTIONS = {'disable_rollback': False, 'tags': 'a,b', 'timeout_mins': 7}
UPDATE = {**CONTENT, **OPTIONS, 'clear_parameters': ['a'], 'converge': True}
CREATE = {**CONTENT, **OPTIONS, 'adopt_stack_data': '{', 'converge': True}
NAMED = {'stack_name': 's', 'template': TEMPLATE}
CONFIG = {'config': 'x', 'group': 'g', 'inputs': [{'name': 'i'}], 'name': 'n'}
CONFIG |= {'options': {'a': 1}, 'outputs': [{'name': 'o'}]}
DEPLOYMENT = dict.fromkeys(('action', 'config_id', 'status', 'status_reason'), 'x')
DEPLOYMENT |= {'input_values': {'a': 1}}
# (method, path): (body without the argument, {argument of the body: value})
BODIES = {
    ('POST', '/v1/p/validate'): ({'template': TEMPLATE}, CONTENT),
    ('POST', '/v1/p/stacks'): (NAMED, CREATE),
    ('POST', '/v1/p/stacks/preview'): (NAMED, CREATE),
    ('PUT', STACK): ({'template': TEMPLATE}, UPDATE),
    ('PATCH', STACK): ({}, UPDATE),
    ('PUT', f'{STACK}/preview'): ({'template': TEMPLATE}, UPDATE),
    ('PATCH', f'{STACK}/preview'): ({}, UPDATE),
    ('POST', f'{STACK}/snapshots'): ({}, {'name': 'n'}),
    ('POST', f'{STACK}/resources/r/signal'): ({}, {'anything': 1}),
    ('PATCH', f'{STACK}/resources/r'): (
        {'mark_unhealthy': False},
        {'mark_unhealthy': True, 'resource_status_reason': 'why'},
    ),
    ('POST', f'{STACK}/actions'): (
        {},
        dict.fromkeys(('suspend', 'resume', 'check', 'cancel_update', 'cancel_without_rollback')),
    ),
    ('POST', '/v1/p/software_configs'): ({}, CONFIG),
    ('POST', '/v1/p/software_deployments'): (
        {},
        {**DEPLOYMENT, 'server_id': 'x', 'stack_user_project_id': 'x'},
    ),
    ('PUT', '/v1/p/software_deployments/1'): ({}, {**DEPLOYMENT, 'output_values': {'a': 1}}),
}


class RefusingEngine(scripted.Engine):
    """An engine that records each call: lists are empty, everything else is not found."""

    def __getattr__(self, method):
        if method.startswith('_') or method == 'target':
            raise AttributeError(method)
        if method.startswith(('list_stacks', 'count_stacks')):
            self.script[method] = {'returns': [] if method == 'list_stacks' else 0}
        else:
            self.script[method] = {'raises': {'NotFound': {'what': 'It'}}}
        return super().__getattr__(method)


@pytest.fixture(scope='module')
def service():
    with scripted.service(engine=RefusingEngine()) as both:
        yield both


def outcome(service, line, body=None):
    """Return what a request did: the status if it was refused, and the calls of the engine."""
    app, engine = service
    engine.calls = []
    response = send({'line': line, **({} if body is None else {'json': body})}, app)
    refused = response.status_int in (400, 403) and response.json['error']['message']
    return refused, [(method, args) for method, _, args in engine.calls]


@pytest.mark.parametrize(
    'method, path, name, value',
    [
        pytest.param(*route, name, value, id=f'{" ".join(route)}?{name}')
        for route, arguments in QUERIES.items()
        for name, value in arguments.items()
    ],
)
def test_argument_of_the_query_changes_the_outcome(service, method, path, name, value):
    body = BODIES[method, path][0] if (method, path) in BODIES else None
    plain = outcome(service, f'{method} {path}', body)
    assert plain[1], 'the request without arguments reaches the engine'
    assert outcome(service, f'{method} {path}?{name}={value}', body) != plain


@pytest.mark.parametrize(
    'method, path, name, value',
    [
        pytest.param(*route, name, value, id=f'{" ".join(route)}: {name}')
        for route, (_, arguments) in BODIES.items()
        for name, value in arguments.items()
    ],
)
def test_argument_of_the_body_changes_the_outcome(service, method, path, name, value):
    base = dict(BODIES[method, path][0])
    plain = outcome(service, f'{method} {path}', base)
    if name == 'template_url':  # a template in the body takes precedence
        base.pop('template', None)
    assert outcome(service, f'{method} {path}', {**base, name: value}) != plain


def test_each_argument_of_a_method_of_the_engine_is_used():
    """No endpoint accepts an argument that its body does not mention.

    The messages of workers have Heat's arguments, although they only say where to look.
    """
    unused = [
        f'{path.name}: {method.name}({argument.arg})'
        for path in sorted(ENDPOINTS.glob('*.py'))
        for owner in ast.walk(ast.parse(path.read_text()))
        if isinstance(owner, ast.ClassDef) and owner.name != 'Worker'
        for method in owner.body
        if isinstance(method, ast.FunctionDef) and not method.name.startswith('_')
        for argument in (*method.args.args, *method.args.kwonlyargs)
        if argument.arg not in ('self', 'context')
        and not any(
            isinstance(node, ast.Name) and node.id == argument.arg for node in ast.walk(method)
        )
    ]
    assert unused == []
