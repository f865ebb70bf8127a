"""Short requests of high cost: each is refused with a 400 and its reason within SECONDS."""

import json
import time

import pytest

from tests.functional import shapes

VERSION = '2018-08-31'
SECONDS = 10  # generous: test machines may be loaded
BOMB = 'parameters:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n' + ''.join(
    f'  a{level}: &a{level} [{", ".join([f"*a{level - 1}"] * 9)}]\n' for level in range(1, 12)
)


def template_of(value, **sections):
    resources = {'one': {'type': 'OS::Heat::Value', 'properties': {'value': value}}}
    return {'template': {'heat_template_version': VERSION, 'resources': resources, **sections}}


def text_template(line, **more):
    return {'template': f'heat_template_version: {VERSION}\n{line}', **more}


def yaql(expression):
    return template_of({'yaql': {'expression': expression, 'data': {}}})


def nested(call, times, inner='x' * 1000):
    for _ in range(times):
        inner = call(inner)
    return inner


def conditions(count):
    chain = {f'c{number}': {'not': f'c{number + 1}'} for number in range(count)}
    return {**chain, f'c{count}': True}


HUNDRED = [str(number) for number in range(100)]
#: name -> (body of the request, part of the error message)
REQUESTS = {
    'a deep YAML': (text_template('description: ' + '[' * 5000 + ']' * 5000), 'nested too deeply'),
    'a deep JSON text': (
        {'template': '{"heat_template_version": ' + '[' * 100_000 + ']' * 100_000 + '}'},
        'nested too deeply',
    ),
    'a deep body': ({'template': json.loads('[' * 900 + ']' * 900)}, 'nested too deeply'),
    **{
        name: (
            {
                **template_of({'get_param': 'deep'}, parameters={'deep': {'type': 'json'}}),
                'parameters': {'deep': '[' * levels + ']' * levels},
            },
            'recursion depth',
        )
        for name, levels in {'a deep parameter': 5000, 'a parameter of 300 levels': 252}.items()
    },
    'aliases of aliases': (text_template(BOMB), 'unfold to too much'),
    'aliases in an environment': (text_template('', environment=BOMB), 'unfold to too much'),
    'aliases in an environment file': (
        text_template('', files={'e.yaml': BOMB}, environment_files=['e.yaml']),
        'unfold to too much',
    ),
    'a large template': (
        text_template('#' + 'x' * 600_000),
        'exceeds maximum allowed size (524288 bytes)',
    ),
    'a large body': ({'template': 'x' * 1_200_000}, 'exceeds maximum allowed size (1048576 bytes)'),
    'many resources': (
        {
            'template': {
                'heat_template_version': VERSION,
                'resources': {f'r{n}': {'type': 'OS::Heat::None'} for n in range(1001)},
            }
        },
        'Maximum resources per stack exceeded',
    ),
    'conditions of conditions': (
        template_of(1, conditions=conditions(5000), outputs={'o': {'value': {'if': ['c0', 1, 2]}}}),
        'stands behind more than 100 others',
    ),
    'all combinations': (
        template_of({'repeat': {'template': 'x', 'for_each': dict.fromkeys('abcdef', HUNDRED)}}),
        'would give',
    ),
    'repeat in repeat': (
        template_of(nested(lambda x: {'repeat': {'template': x, 'for_each': {'a': HUNDRED}}}, 8)),
        'would give',
    ),
    'texts in texts': (
        template_of(
            nested(lambda x: {'str_replace': {'template': 'a' * 1000, 'params': {'a': x}}}, 8)
        ),
        'would give a text',
    ),
    'lists of lists': (
        template_of(
            {
                'list_concat': [
                    {'repeat': {'template': 'x', 'for_each': dict.fromkeys('ab', HUNDRED)}}
                ]
                * 50
            }
        ),
        'would give',
    ),
    'yaql: a range': (yaql('range(1000000000).sum()'), 'exceeds 200 elements'),
    'yaql: without end': (yaql('generate(1, true, $ + 1).len()'), 'exceeds 200 elements'),
    'yaql: a long text': (yaql("'x' * 1000000000"), 'too much memory'),
    'yaql: a long list': (yaql('[1] * 1000000000'), 'would give'),
    'yaql: brackets': (yaql('(' * 3000 + '1' + ')' * 3000), 'nested deeper'),
}


@shapes.of('embedded', 'mariadb')
@pytest.mark.parametrize('name', REQUESTS)
def test_costly_request_is_refused_in_time(service, name):
    body, reason = REQUESTS[name]
    started = time.monotonic()
    response = service.ask('POST', '/stacks/preview', {'stack_name': 'greedy', **body})
    seconds = time.monotonic() - started
    assert (response.status_code, response.json()['code']) == (400, 400), response.text[:500]
    assert reason in response.json()['error']['message']
    assert seconds < SECONDS


def test_check_of_an_editor_ends_after_the_seconds_of_a_request(tmp_path):
    file = tmp_path / 'up.conf'
    file.write_text('[heat_lite]\ntemplate_seconds = 0.1\n')
    rows = ''.join(f'  r{number}: {{type: OS::Heat::None}}\n' for number in range(3000))
    text = f'heat_template_version: {VERSION}\nresources:\n{rows}'
    with shapes.embedded(tmp_path, '--config-file', file) as service:
        answer = service.ask('POST', '/validate/lint', {'template': text})
        short = service.ask('POST', '/validate/lint', {'template': text[:200].rpartition('\n')[0]})
    assert answer.status_code == 400, answer.text
    assert '"lint" exceeds a limit' in answer.json()['error']['message']
    assert short.status_code == 200, short.text
