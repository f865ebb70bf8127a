"""Requests that once failed the service, or that a generator would hardly find."""

from tests.attacks.fuzz import values
from tests.attacks.fuzz.attacks import JSON, Attack, quote

STACK = '/stacks/@stack@/@id@'


def _post(path, value):
    return Attack(
        'POST',
        path,
        {'Content-Type': JSON},
        value if isinstance(value, bytes) else values.encode(value),
    )


def _put(path, value):
    return _post(path, value)._replace(method='PUT')


def _patch(path, value):
    return _post(path, value)._replace(method='PATCH')


def _get(path):
    return Attack('GET', path, {}, b'')


HOT = {'heat_template_version': '2021-04-16'}
CFN = {'HeatTemplateFormatVersion': '2012-12-12'}
RANDOM = {'type': 'OS::Heat::RandomString'}


def _deployment(**values):
    return {'config_id': '@config@', 'server_id': 'a', **values}


def _with_random():
    return {**HOT, 'resources': {'x': RANDOM}}


def _template(**sections):
    return {'stack_name': 's', 'template': {**HOT, **sections}}


def _output(value):
    return _template(outputs={'o': {'value': value}})


EXAMPLES = [
    _post('/stacks/preview', _template(resources=1)),
    _post(
        '/stacks/preview',
        {'stack_name': 's', 'template': HOT, 'environment': {'event_sinks': [{'type': {}}]}},
    ),
    *(
        _post('/validate', _output({'yaql': {'expression': text, 'data': {}}}))
        for text in ('regex("(")', '$.a.b')
    ),
    *(
        _post('/stacks', {'stack_name': name, 'template': HOT})
        for name in ('\ud800', '😀', '\x00', 'a' * 256, 10**40)
    ),
    *(
        _post('/stacks', {'stack_name': 's', 'template': HOT, 'tags': tag})
        for tag in ('\ud800', '\x00', '😀' * 80, 'é' * 81)
    ),
    *(
        _post('/software_configs', {'name': text, 'group': text, 'config': text})
        for text in ('\ud800', '\x00', '😀' * 255, 'a' * 256)
    ),
    _post('/stacks', {'stack_name': 's', 'template': HOT, 'timeout_mins': 10**40}),
    _post(
        '/stacks',
        b'{"stack_name": "s", "template": {"heat_template_version": "2021-04-16"},'
        b' "timeout_mins": NaN}',
    ),
    _post('/stacks', b'{"stack_name": "s", "stack_name": [], "template": {}}'),
    _post('/stacks/preview', _output(values.deep(140, False))),
    *(
        _post(
            '/stacks/preview',
            {'stack_name': 's', 'template': f'heat_template_version: 2021-04-16\noutputs: {text}'},
        )
        for text in ('[' * 3000, '{a: ' * 3000)
    ),
    _post('/stacks', b'{"stack_name": "s", "template": ' + b'[' * 3000 + b']' * 3000 + b'}'),
    _post(
        '/stacks',
        {
            'stack_name': 's',
            'template': HOT,
            'on_behalf_of': ['x'],
            'owner_id': 1,
            'nested_depth': 'x',
        },
    ),
    _get('/stacks?' + '&'.join(1500 * ['tags=a'])),
    _get('/stacks?tags=' + ','.join(1500 * ['a'])),
    _get('/stacks?limit=-1'),
    _get('/stacks?limit=' + '9' * 40),
    _get('/stacks?sort_keys=' + quote('name; --') + '&sort_dir=x'),
    _get('/stacks?marker=%00'),
    _get('/resource_types?name=' + quote('(.*)*!')),
    _get('/resource_types?name=' + quote('(')),
    _get('/stacks?' + '&'.join(f'status={number}' for number in range(1500))),
    _get('/stacks?marker=@id@&' + '&'.join(1500 * ['sort_keys=name'])),
    _patch(
        STACK,
        {'template': HOT, 'environment': {'event_sinks': [{'type': 'zaqar-queue', 'target': 'q'}]}},
    ),
    _post('/validate', _template(parameter_groups=[[], {}])),
    _post('/validate', {'template': HOT, 'environment': {'event_sinks': [1]}}),
    _post('/software_deployments', _deployment(action='a' * 256)),
    _post('/software_deployments', _deployment(status='a' * 256)),
    _post('/software_deployments', _deployment(server_id=1)),
    _put('/software_deployments/@deployment@', {'status': 'a' * 256, 'action': 1}),
    *(
        _post('/validate', {'template': {**CFN, 'Parameters': {'p': {'Type': 'String', **bounds}}}})
        for bounds in ({'MaxLength': []}, {'MinLength': 10**400}, {'MinValue': {}})
    ),
    *(
        _post('/validate', _template(parameters={'p': {'type': 'number', 'constraints': [each]}}))
        for each in ({'range': {'min': []}}, {'modulo': {'step': {}, 'offset': 1}})
    ),
    *(
        _post('/stacks', {**_template(resources=resources), 'stack_name': '@new@'})
        for text in ('a\x00b', 'é' * 256, '😀' * 64)
        for resources in (
            {text: RANDOM},
            {'x': {**RANDOM, 'external_id': text}},
            {'x': {'type': 'OS::Heat::TestResource', 'properties': {'value': text}}},
            {'x': {'type': 'OS::Heat::TestResource', 'properties': {'value': text * 300}}},
        )
    ),
    *(_post(f'{STACK}/snapshots', {'name': name}) for name in ('a' * 256, '\x00', 'é' * 255)),
    *(
        _post('/stacks', {'stack_name': '@new@', 'adopt_stack_data': values.json.dumps(document)})
        for text in ('a\x00b', 'é' * 256)
        for document in (
            {'template': _with_random(), 'resources': {'x': {'resource_id': text}}},
            {'template': _with_random(), 'resources': {'x': {'resource_data': {text: text}}}},
        )
    ),
    _post(
        '/validate',
        _template(
            resources={
                'x': {'type': 'OS::Heat::AccessPolicy', 'properties': {'AllowedResources': [[]]}}
            }
        ),
    ),
]
