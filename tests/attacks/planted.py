"""Hidden parameters of all kinds, a stack that uses them, and requests to each route about it."""

import json
import re
import time

from heat_lite import operations
from heat_lite.operations import operation
from tests.timeouts import WAIT_SECONDS

#: the form in which a value is given -> the value
SECRETS = {
    form: f'planted-{form}-4d7'
    for form in ('body environment environment-default default json list file map items'.split())
}
NUMBER, FRACTION, PIN = 48151623421108, 7418529630.25, 90817263544
TEST = 'OS::Heat::TestResource'
#: hidden parameters that are no strings: type -> value
STRUCTURES = {
    'json': {'texts': ['x', {'deep': SECRETS['map']}], 'numbers': [{'pin': PIN}]},
    'comma_delimited_list': ['x', SECRETS['items'], str(PIN)],
    'number': FRACTION,
}


def hidden(kind='string', **more):
    return {'type': kind, 'hidden': True, **more}


def resource(value, **more):
    return {'type': TEST, 'properties': {'value': value}, **more}


def value_of(kind, value):
    return {'type': 'OS::Heat::Value', 'properties': {'type': kind, 'value': value}}


def parameter(*path):
    return {'get_param': list(path) if path[1:] else path[0]}


GRANDCHILD = {
    'heat_template_version': '2021-04-16',
    'parameters': {'text': {'type': 'string'}, 'map': {'type': 'json'}},
    'resources': {
        'of_text': resource(parameter('text')),
        'of_map': value_of('json', parameter('map')),
    },
}
CHILD = {
    'heat_template_version': '2021-04-16',
    'parameters': {'inner': hidden(), 'visible': {'type': 'string'}, 'map': {'type': 'json'}},
    'resources': {
        'deep': resource(parameter('inner')),
        'deeper': {
            'type': 'grandchild.yaml',
            'properties': {'text': parameter('visible'), 'map': parameter('map')},
        },
    },
}
FILES = {'child.yaml': json.dumps(CHILD), 'grandchild.yaml': json.dumps(GRANDCHILD)}
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'parameters': {
        'body': hidden(constraints=[{'length': {'max': 40}}]),
        'environment': hidden(),
        'environment-default': hidden(),
        'default': hidden(default=SECRETS['default']),
        'json': hidden('json'),
        'list': hidden('comma_delimited_list'),
        'number': hidden('number'),
        **{f'whole_{kind}': hidden(kind) for kind in STRUCTURES},
    },
    'resources': {
        'kept': resource(parameter('body')),
        'formatted': resource(
            {'str_replace': {'template': 'a $x', 'params': {'$x': parameter('environment')}}}
        ),
        'defaults': resource(
            {'list_join': ['', [parameter('default'), parameter('environment-default')]]}
        ),
        'collected': resource(
            {'list_join': ['', [parameter('json', 'key'), parameter('list', 1)]]}
        ),
        'numbered': resource(parameter('number')),
        **{f'of_{kind}': value_of(kind, parameter(f'whole_{kind}')) for kind in STRUCTURES},
        'noted': resource('x', metadata={'noted': parameter('list')}),
        'config': {
            'type': 'OS::Heat::SoftwareConfig',
            'properties': {
                'config': {'str_replace': {'template': '$x', 'params': {'$x': parameter('body')}}}
            },
        },
        'child': {
            'type': 'child.yaml',
            'properties': {
                'inner': parameter('body'),
                'visible': parameter('environment'),
                'map': parameter('whole_json'),
            },
        },
        'group': {
            'type': 'OS::Heat::ResourceGroup',
            'properties': {'count': 1, 'resource_def': resource(parameter('json', 'key'))},
        },
        'broken': {
            'type': 'OS::Heat::RandomString',
            # fails when the attribute is known; the error quotes it
            'properties': {'length': {'get_attr': ['kept', 'output']}},
            'depends_on': ['child', 'group', 'config', 'noted', 'formatted', 'collected'],
        },
    },
    'outputs': {
        'told': {'value': parameter('body')},
        'wrong': {'value': {'map_merge': [{'get_attr': ['kept', 'output']}]}},
    },
}
WORKING = {
    **TEMPLATE,
    'resources': {name: row for name, row in TEMPLATE['resources'].items() if name != 'broken'},
}
#: resources whose properties refuse the value; the errors of Heat quote it
WRONG = (
    {'type': 'OS::Heat::RandomString', 'properties': {'length': parameter('number')}},
    {'type': 'OS::Heat::RandomString', 'properties': {'length': parameter('body')}},
    {'type': 'OS::Heat::SoftwareConfig', 'properties': {'inputs': parameter('body')}},
    {'type': TEST, 'deletion_policy': parameter('body')},
    {'type': TEST, 'condition': parameter('body')},
    resource({'get_attr': ['kept', parameter('body')]}),
    resource({'get_file': parameter('body')}),
    resource({'get_resource': parameter('body')}),
    resource({'map_merge': [parameter('body')]}),
    resource({'yaql': {'expression': 'int($.data)', 'data': parameter('body')}}),
    {'type': 'OS::Heat::RandomString', 'properties': {'length': parameter('whole_number')}},
    resource({'map_merge': [parameter('whole_comma_delimited_list')]}),
)
#: resources whose errors are in the text of the template, so that a validation has them too
WRONG_TEXTS = (
    {'type': TEST, 'deletion_policy': {'map_merge': [parameter('body')]}},
    {'type': TEST, 'condition': parameter('body')},
    resource({'get_attr': ['kept', parameter('body')]}),
    resource({'if': [parameter('body'), 1, 2]}),
)
#: the same as WRONG, with errors that name the type alone
WRONG_TYPES = (
    resource({'get_resource': parameter('whole_comma_delimited_list')}),
    resource({'get_resource': parameter('whole_json')}),
)
#: route -> the secrets that it shows, and why: as in Heat
SHOWN = {
    'POST validate': 'values of the same request',
    'POST stacks/preview': 'values of the same request',
    'GET stacks/{stack_name}/{stack_id}/export': 'complete, for an adoption',
    'DELETE stacks/{stack_name}/{stack_id}/abandon': 'complete, for an adoption',
    'GET stacks/{stack_name}/{stack_id}/template': 'the default is written in the template',
    'POST stacks/refactor': 'the default is written in the template',
    'GET stacks/{stack_name}/{stack_id}/revisions/{revision}': 'the same, of a former template',
    'GET stacks/{stack_name}/{stack_id}/resources/{resource_name}/metadata': 'servers read it',
    'GET software_configs/{config_id}': 'servers read it',
}
#: keys whose values are the cloud's, or shown to servers, or what the template asks to show
SHOWN_KEYS = ('attributes', 'metadata', 'output_value')


def request(name, template=TEMPLATE, **parameters):
    """Return the body of a request with all secrets."""
    given = {
        'body': SECRETS['body'],
        'json': json.dumps({'key': SECRETS['json']}),
        'list': f'a,{SECRETS["list"]}',
        'number': NUMBER,
        **{f'whole_{kind}': value for kind, value in STRUCTURES.items()},
    }
    environment = {
        'parameters': {'environment': SECRETS['environment']},
        'parameter_defaults': {'environment-default': SECRETS['environment-default']},
    }
    return {
        'stack_name': name,
        'template': template,
        'parameters': given | parameters,
        'environment': environment,
        'environment_files': ['environment.yaml'],  # clients send both
        'files': {**FILES, 'environment.yaml': json.dumps(environment)},
        'disable_rollback': True,
    }


def quoted_by_outputs(**parameters):
    """Return the body of a request: the errors of outputs, also one stack down, quote the body.

    Its update waits at a hook before the resources that have stored the body.
    """
    wrong = {'wrong': {'value': {'map_merge': [{'get_attr': ['kept', 'output']}]}}}
    quoting = {
        'heat_template_version': '2021-04-16',
        'parameters': {'text': {'type': 'string'}},
        'resources': {'kept': resource(parameter('text'))},
        'outputs': wrong,
    }
    resources = {
        'first': resource(parameter('body')),
        'kept': resource(parameter('body'), depends_on='first'),
        'child': {
            'type': 'quoting.yaml',
            'properties': {'text': parameter('body')},
            'depends_on': 'first',
        },
    }
    template = {**TEMPLATE, 'resources': resources, 'outputs': wrong}
    body = request('earlier', template, **parameters)
    hooks = {'resources': {'first': {'hooks': 'pre-update'}}}
    environment = {**body['environment'], 'resource_registry': hooks}
    body['files'] |= {
        'quoting.yaml': json.dumps(quoting),
        'environment.yaml': json.dumps(environment),
    }
    return body


def two_stacks_deep(kind, value):
    """Return the body of a request: a resource two stacks below fails, and quotes the value."""

    def template(resources, **more):
        parameters = {'secret': {'type': kind, **more}}
        return {
            'heat_template_version': '2021-04-16',
            'parameters': parameters,
            'resources': resources,
        }

    def nested(file):
        return {'below': {'type': file, 'properties': {'secret': parameter('secret')}}}

    length = {'get_attr': ['kept', 'value']}
    innermost = {
        'kept': value_of(kind, parameter('secret')),
        'broken': {'type': 'OS::Heat::RandomString', 'properties': {'length': length}},
    }
    return {
        'stack_name': f'deep-{kind}',
        'template': template(nested('child.yaml'), hidden=True),
        'parameters': {'secret': value},
        'files': {
            'child.yaml': json.dumps(template(nested('grandchild.yaml'))),
            'grandchild.yaml': json.dumps(template(innermost)),
        },
        'disable_rollback': True,
    }


def found_in(text):
    """Return the secrets in a text."""
    return {
        each for each in (*SECRETS.values(), *map(str, (NUMBER, FRACTION, PIN))) if each in text
    }


def without_shown(value):
    """Return a response without what the cloud, servers or the template show on purpose."""
    if isinstance(value, dict):
        return {key: without_shown(each) for key, each in value.items() if key not in SHOWN_KEYS}
    return [without_shown(each) for each in value] if isinstance(value, list) else value


class Requests:
    """Sends requests and notes their routes; ``leaks`` are ``(route, secrets)`` of responses."""

    PATTERNS = tuple(
        (
            f'{each.method} {each.path.removeprefix(operation.TENANT + "/")}',
            re.compile(
                re.sub(r'\{\w+(:arn:\*)?\}', lambda found: 'arn:.+' if found[1] else '[^/]+', path)
            ),
            each.method,
        )
        for each in operations.OPERATIONS
        for path in [each.path.removeprefix(operation.TENANT)]
    )

    def __init__(self, service):
        self._service = service
        self.routes, self.leaks = set(), []

    def __call__(self, method, path, body=None):
        response = self._service.ask(method, path, body)
        matching = [
            route
            for route, pattern, verb in self.PATTERNS
            if verb == method and pattern.fullmatch(path.partition('?')[0])
        ]
        route = min(matching, key=lambda each: each.count('{'))  # words come before variables
        self.routes.add(route)
        try:
            text = json.dumps(without_shown(response.json()))
        except ValueError:
            text = response.text
        leaked = found_in(text + str(response.headers))
        if leaked and route not in SHOWN:
            self.leaks.append((route, path, response.status_code, sorted(leaked)))
        return response

    def rest(self, path):
        """Wait for the end of the action; return the status of the stack."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            state = self('GET', path).json()['stack']['stack_status']
            if not state.endswith('IN_PROGRESS'):
                return state
            assert time.monotonic() < end, (path, state)
            time.sleep(0.2)
