"""The description of the REST API in OpenAPI 3.1, made of the operations.

It is served as ``/openapi.json`` without authentication: it has no data of any project.
"""

import json
import re
from collections.abc import Iterable, Iterator

import webob

from heat_lite.api import wsgi
from heat_lite.api.v1 import params
from heat_lite.common import lru_cache
from heat_lite.common.value_types import Values
from heat_lite.operations import OPERATIONS, operation
from heat_lite.operations.operation import STRING, Operation
from heat_lite.policies import rules

PATH = '/openapi.json'
VERSION = '3.1.0'
GAP = re.compile(r'\{([a-z_]+)\}')
GROUPS = {
    'stacks': 'Stacks',
    'texts': 'Editors of templates',
    'stack_lookup': 'Paths by the name of a stack',
    'snapshots': 'Snapshots',
    'actions': 'Actions',
    'resource': 'Resources',
    'events': 'Events',
    'live': 'Live views',
    'types': 'Types and functions',
    'software_configs': 'Software configurations',
    'software_deployments': 'Software deployments',
    'build_info': 'The service',
    'service': 'The service',
}
INTEGER = {'type': 'integer', 'minimum': 0, 'maximum': params.MAX_NUMBER}
BOOLEAN = {'type': 'boolean'}
TEXTS = {'type': 'array', 'items': STRING}
#: the schemas of query parameters by kind; the others are strings
SCHEMAS = {
    operation.INTEGER: INTEGER,
    operation.OPTIONAL_INTEGER: INTEGER,
    operation.FLAG: BOOLEAN,
    operation.OPTIONAL_FLAG: BOOLEAN,
    operation.ONE_OR_LIST: TEXTS,
    operation.TEXTS: TEXTS,
}
ERRORS = {
    '400': 'The request is invalid.',
    '401': 'The request is not authenticated.',
    '403': 'The policy denies the request, or the project is another one.',
    '404': 'There is no such object.',
    '409': 'The object exists already, or an action on the stack is in progress.',
    '500': 'The service has failed.',
    '503': 'The service has no place for the request now; repeat it after Retry-After seconds.',
    '504': 'No engine has answered in time.',
}
#: the operations with If-Match
CONDITIONAL = ('stacks.update', 'stacks.update_patch', 'stacks.delete')
CHANGED = 'The definition of the stack is not that of If-Match.'
ERROR_SCHEMA = {
    'type': 'object',
    'properties': {
        'code': {'type': 'integer'},
        'title': STRING,
        'explanation': STRING,
        'error': {
            'type': 'object',
            'properties': {
                'type': STRING,
                'message': STRING,
                'traceback': {'type': ['string', 'null']},
                'position': {'type': 'object'},
            },
            'required': ['type'],
        },
    },
    'required': ['code', 'title', 'explanation', 'error'],
}


@lru_cache.cached_function(1)
def document() -> Values:
    """Return the description."""
    paths: dict[str, Values] = {}
    for each in OPERATIONS:
        if '*' not in each.path:  # OpenAPI has no gap that contains slashes
            shown = f'/v1/{each.path}'
            paths.setdefault(shown, {})[each.method.lower()] = _operation(each)
    return {
        'openapi': VERSION,
        'info': {
            'title': 'heat_lite',
            'version': 'v1',
            'summary': 'The Orchestration API of OpenStack Heat, and more',
        },
        'paths': paths,
        'components': {
            'schemas': {'Error': ERROR_SCHEMA},
            'securitySchemes': {
                'token': {'type': 'apiKey', 'in': 'header', 'name': 'X-Auth-Token'}
            },
        },
        'security': [{'token': []}],
    }


def _operation(each: Operation) -> Values:
    group, rule = each.name.partition('.')[0], each.rule_name
    gaps = GAP.findall(each.path)
    by_resource = '_of_resource' if 'resource_name' in gaps and group == 'events' else ''
    by_method = f'_{each.method.lower()}' if group == 'stack_lookup' else ''
    described: Values = {
        'operationId': each.name.replace('.', '_') + by_resource + by_method,
        'tags': [GROUPS[group]],
        'summary': each.summary,
        'parameters': [*_path_parameters(gaps), *_query_parameters(each), *_condition(each)],
        'responses': dict(_responses(each)),
    }
    if rule:
        described['x-policy'] = {'rule': rule, 'default': rules.DEFAULTS[rule]}
    if each.method not in wsgi.NO_BODY:
        described['requestBody'] = {
            'required': not {'required', 'anyOf'}.isdisjoint(each.body),
            'content': {'application/json': {'schema': each.body}},
        }
    return described


def _path_parameters(gaps: Iterable[str]) -> Iterator[Values]:
    for name in gaps:
        yield {'name': name, 'in': 'path', 'required': True, 'schema': {**STRING, 'minLength': 1}}


def _query_parameters(each: Operation) -> Iterator[Values]:
    for name, kind in sorted(each.query.items()):
        schema = SCHEMAS.get(kind, STRING)
        found: Values = {'name': name, 'in': 'query', 'schema': schema}
        yield {**found, 'style': 'form', 'explode': True} if schema is TEXTS else found


def _condition(each: Operation) -> Iterator[Values]:
    if each.name in CONDITIONAL:
        text = 'ETags of the stack: the request is refused (412) if its definition is another one.'
        yield {'name': 'If-Match', 'in': 'header', 'description': text, 'schema': STRING}


def _responses(each: Operation) -> Iterator[tuple[str, Values]]:
    response: Values = {'description': 'The request has succeeded.'}
    if each.status in (200, 201):
        response['content'] = {'application/json': {'schema': {}}}
        if each.name.startswith('events.'):
            response['content']['text/event-stream'] = {'schema': STRING}
    yield str(each.status), response
    if each.query:
        yield '304', {'description': 'Nothing has changed since the ETag of If-None-Match.'}
    changed = {'412': CHANGED} if each.name in CONDITIONAL else {}
    for code, text in {**ERRORS, **changed}.items():
        schema = {'$ref': '#/components/schemas/Error'}
        yield code, {'description': text, 'content': {'application/json': {'schema': schema}}}


@lru_cache.cached_function(1)
def _body() -> bytes:
    return json.dumps(document()).encode()


class OpenApiFilter(wsgi.Filter):
    """Filter that answers GET of the document."""

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        if environ.get('PATH_INFO') != PATH or environ['REQUEST_METHOD'] not in ('GET', 'HEAD'):
            return self.application
        return webob.Response(body=_body(), content_type='application/json', charset=None)
