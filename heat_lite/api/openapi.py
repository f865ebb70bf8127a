"""The description of the REST API in OpenAPI 3.1, made of the routes, the policy and the readers.

It is served as ``/openapi.json`` without authentication: it has no data of any project.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import webob

from heat_lite import policies
from heat_lite.api import openapi_summaries, wsgi
from heat_lite.api.v1 import params, routes
from heat_lite.common import lru_cache

PATH = '/openapi.json'
VERSION = '3.1.0'
GAP = re.compile(r'\{([a-z_]+)(:[^}]*)?\}')
OK, CREATED, ACCEPTED, NO_CONTENT, FOUND = '200', '201', '202', '204', '302'
#: statuses of success that are not 200
SUCCESS = {
    'stacks.create': (CREATED,),
    'stacks.update': (ACCEPTED,),
    'stacks.update_patch': (ACCEPTED,),
    'stacks.delete': (NO_CONTENT,),
    'snapshots.delete_snapshot': (NO_CONTENT,),
    'snapshots.restore_snapshot': (ACCEPTED,),
    'software_configs.delete': (NO_CONTENT,),
    'software_deployments.delete': (NO_CONTENT,),
    'stack_lookup': (FOUND,),
}
FLAGS = {'resolve_outputs': params.flag}
#: query parameters by action
QUERY: dict[str, dict[str, Any]] = {
    'stacks.index': {
        **params.STACK_FILTERS,
        **params.STACK_PAGE,
        **params.STACK_TAGS,
        **params.STACK_SCOPE,
        **dict.fromkeys(('global_tenant', 'with_count'), params.flag),
    },
    'stacks.show': FLAGS,
    'stacks.delete': {'force': params.flag},
    'stacks.preview_update': {'show_nested': params.flag},
    'stacks.preview_update_patch': {'show_nested': params.flag},
    'stacks.validate_template': {
        'show_nested': params.optional_flag,
        'ignore_errors': params.text,
    },
    'resource.index': {**params.RESOURCE_FILTERS, **params.RESOURCES},
    'resource.show': {'with_attr': params.text_list},
    'events.index': {
        **params.EVENT_FILTERS,
        **params.EVENTS,
        **dict.fromkeys(('until', 'from', 'last_event_id', 'tags'), params.text),
    },
    'events.index_project': {
        **params.EVENT_STREAM,
        'nested_depth': params.optional_integer,
        **dict.fromkeys(('from', 'last_event_id', 'tags'), params.text),
    },
    'live.graph': {'nested_depth': params.optional_integer},
    'live.timeline': {'nested_depth': params.optional_integer, **params.TIMELINE},
    'live.drift': {'nested_depth': params.optional_integer},
    'service.index': {'with_stacks': params.flag},
    'types.list_resource_types': params.RESOURCE_TYPES,
    'types.resource_schema': {'with_description': params.flag},
    'types.generate_template': {'template_type': params.text},
    'types.list_template_functions': {'with_condition_func': params.flag},
    'software_configs.index': {**params.CONFIGS, 'global_tenant': params.flag},
    'software_deployments.index': {'server_id': params.text},
}
QUERY['stacks.detail'] = QUERY['stacks.index']

INTEGER, BOOLEAN, TEXT = {'type': 'integer', 'minimum': 0}, {'type': 'boolean'}, {'type': 'string'}
TEXTS = {'type': 'array', 'items': TEXT}
SCHEMAS = {
    params.integer: {**INTEGER, 'maximum': params.MAX_NUMBER},
    params.optional_integer: {**INTEGER, 'maximum': params.MAX_NUMBER},
    params.flag: BOOLEAN,
    params.optional_flag: BOOLEAN,
    params.one_or_list: TEXTS,
    params.text_list: TEXTS,
}
OBJECT: dict[str, Any] = {'type': 'object'}
STACK_BODY = {
    'type': 'object',
    'properties': {
        'stack_name': TEXT,
        'template': {'type': ['object', 'string']},
        'template_url': TEXT,
        'environment': {'type': ['object', 'string']},
        'environment_files': TEXTS,
        'files': {'type': 'object', 'additionalProperties': True},
        'files_container': TEXT,
        'parameters': OBJECT,
        'tags': TEXT,
        'timeout_mins': INTEGER,
        'disable_rollback': {'type': ['boolean', 'string']},
    },
}
TEXTS_BODY: dict[str, Any] = {
    'template': TEXT,
    'environment': {'type': ['string', 'null']},
    'files': {'type': ['object', 'null'], 'additionalProperties': TEXT},
}
PLACE = {'type': 'integer', 'minimum': 1}
#: schemas of bodies by action; any other body is a JSON object
BODIES: dict[str, dict[str, Any]] = {
    'stacks.create': {**STACK_BODY, 'required': ['stack_name']},
    'stacks.preview': {**STACK_BODY, 'required': ['stack_name']},
    **dict.fromkeys(
        (
            'stacks.update',
            'stacks.update_patch',
            'stacks.preview_update',
            'stacks.preview_update_patch',
            'stacks.validate_template',
        ),
        STACK_BODY,
    ),
    'texts.lint': {'type': 'object', 'properties': TEXTS_BODY, 'required': ['template']},
    'texts.complete': {
        'type': 'object',
        'properties': {**TEXTS_BODY, 'file': TEXT, 'line': PLACE, 'column': PLACE},
        'required': ['template', 'line', 'column'],
    },
    'actions.action': {'type': 'object', 'minProperties': 1, 'maxProperties': 1},
    'resource.mark_unhealthy': {
        'type': 'object',
        'properties': {'mark_unhealthy': BOOLEAN, 'resource_status_reason': TEXT},
        'required': ['mark_unhealthy'],
    },
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
ERROR_SCHEMA = {
    'type': 'object',
    'properties': {
        'code': {'type': 'integer'},
        'title': TEXT,
        'explanation': TEXT,
        'error': {
            'type': 'object',
            'properties': {
                'type': TEXT,
                'message': TEXT,
                'traceback': {'type': ['string', 'null']},
                'position': OBJECT,
            },
            'required': ['type'],
        },
    },
    'required': ['code', 'title', 'explanation', 'error'],
}


@lru_cache.cached_function(1)
def document() -> dict[str, Any]:
    """Return the description."""
    paths: dict[str, dict[str, Any]] = {}
    rows: Iterable[tuple[Any, ...]] = routes.ROUTES
    for method, path, target, *rule in rows:
        if '*' not in path:  # OpenAPI has no gap that contains slashes
            shown = '/v1/' + GAP.sub(r'{\1}', path)
            operation = _operation(method, path, target, rule[0] if rule else True)
            paths.setdefault(shown, {})[method.lower()] = operation
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


def _operation(method: str, path: str, target: str, rule: Any) -> dict[str, Any]:
    scope, _, action = target.partition('.')
    gaps = [found[0] for found in GAP.findall(path)]
    by_resource = '' if 'resource_name' not in gaps or scope != 'events' else '_of_resource'
    operation: dict[str, Any] = {
        'operationId': f'{scope}_{action}{by_resource}'
        + (f'_{method.lower()}' if scope == 'stack_lookup' else ''),
        'tags': [openapi_summaries.GROUPS[scope]],
        'summary': openapi_summaries.SUMMARIES[target],
        'parameters': [*_path_parameters(gaps), *_query_parameters(target)],
        'responses': dict(_responses(target)),
    }
    named = f'{_policy_scope(scope)}:{action}' if rule is True else rule
    if named:
        operation['x-policy'] = {'rule': named, 'default': _policy_defaults().get(named)}
    if method not in wsgi.NO_BODY:
        schema = BODIES.get(target, OBJECT)
        operation['requestBody'] = {
            'required': 'required' in schema,
            'content': {'application/json': {'schema': schema}},
        }
    return operation


def _policy_scope(scope: str) -> str:
    return 'stacks' if scope in ('types', 'snapshots', 'stack_lookup') else scope


@lru_cache.cached_function(1)
def _policy_defaults() -> dict[str, str]:
    return {row[0]: row[1] for row in policies.REST}


def _path_parameters(gaps: Iterable[str]) -> Iterator[dict[str, Any]]:
    for name in gaps:
        yield {'name': name, 'in': 'path', 'required': True, 'schema': {**TEXT, 'minLength': 1}}


def _query_parameters(target: str) -> Iterator[dict[str, Any]]:
    for name, reader in sorted(QUERY.get(target, {}).items()):
        schema = SCHEMAS.get(reader, TEXT)
        found: dict[str, Any] = {'name': name, 'in': 'query', 'schema': schema}
        yield {**found, 'style': 'form', 'explode': True} if schema is TEXTS else found


def _responses(target: str) -> Iterator[tuple[str, dict[str, Any]]]:
    scope = target.partition('.')[0]
    for code in SUCCESS.get(target, SUCCESS.get(scope, (OK,))):
        response: dict[str, Any] = {'description': 'The request has succeeded.'}
        if code in (OK, CREATED):
            response['content'] = {'application/json': {'schema': {}}}
            if scope == 'events':
                response['content']['text/event-stream'] = {'schema': TEXT}
        yield code, response
    if target in QUERY:
        yield '304', {'description': 'Nothing has changed since the ETag of If-None-Match.'}
    for code, text in ERRORS.items():
        schema = {'$ref': '#/components/schemas/Error'}
        yield code, {'description': text, 'content': {'application/json': {'schema': schema}}}


@lru_cache.cached_function(1)
def _body() -> bytes:
    return json.dumps(document()).encode()


class OpenApiFilter:
    """Filter that answers GET of the document."""

    def __init__(self, application: wsgi.WsgiApp) -> None:
        self.application = application

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        if environ.get('PATH_INFO') != PATH or environ['REQUEST_METHOD'] not in ('GET', 'HEAD'):
            return self.application(environ, start_response)
        response = webob.Response(body=_body(), content_type='application/json', charset=None)
        return response(environ, start_response)
