"""The document that describes a stack and its objects: export, abandon and adoption.

An export writes the document (in the keys of Heat); an adoption reads it and makes a stack of the
objects that exist already. Snapshots store the same document.
"""

import json
from collections.abc import Callable

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values
from heat_lite.db import column_types, encryption
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack.action_run import ADOPTED
from heat_lite.engine.stack.stack import Stack
from heat_lite.rpc import api
from heat_lite.template import reader
from heat_lite.template.environment import ENCRYPTED, RESOURCE_REGISTRY, Environment
from heat_lite.template.resource_registry import is_template
from heat_lite.template.template import Template

LONGEST_ID = LONGEST_KEY = 255  # lengths of the columns


def read(runtime: Runtime, args: Values) -> Values | None:
    """Return the document in the arguments of a request; None if nothing is adopted.

    Raises NotSupported, Invalid.
    """
    text = args.get(api.PARAM_ADOPT_STACK_DATA)
    if not text:
        return None
    if not runtime.limits.enable_stack_adopt:
        raise exception.NotSupported(feature='Stack Adopt')
    try:
        document = reader.parse(text)
    except ValueError as error:
        raise exception.Invalid(reason=f'adopt_stack_data: {error}') from None
    return {
        'environment': _map(document, 'environment'),
        'files': _map(document, 'files'),
        'resources': {
            name: _resource(name, data) for name, data in _map(document, 'resources').items()
        },
    }


def merge(
    runtime: Runtime, args: Values, params: Values | None, given_files: Values | None
) -> tuple[Values | None, Values | None, Values | None]:
    """Return (document or None, environment, files): those of a request over the document's.

    Raises NotSupported, Invalid.
    """
    document = read(runtime, args)
    if document is None:
        return None, params, given_files
    return document, environment(document, params), files(document, given_files)


def begin(stack: Stack, resources: Values) -> None:
    """Mark a stack that is not stored yet as adopting ``resources``, which are stored with it
    until the action ends.
    """
    stack.action, stack.status_reason = status.ADOPT, 'Stack ADOPT started'
    stack.plan = {ADOPTED: encryption.encrypt(json.dumps(resources))}


def stored_resources(stack: Stack) -> Values:
    """Return the resources of the document with which the adoption of a stack has begun."""
    sealed = (stack.plan or {}).get(ADOPTED)
    return json.loads(encryption.decrypt(*sealed) or '{}') if sealed else {}


def environment(document: Values, given: Values | None) -> Values:
    """Merge the environment of a request over that of the document.

    Only the parameters of the document's environment count, as in Heat.
    """
    given = given or {}
    parameters = {**_map(document['environment'], 'parameters'), **(given.get('parameters') or {})}
    return {**given, 'parameters': parameters}


def files(document: Values, given: Values | None) -> Values:
    """Merge the files of a request over those of the document."""
    return {**document['files'], **(given or {})}


def _map(document: Values, key: str) -> Values:
    value = document.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise exception.Invalid(reason=f'"{key}" in adopt_stack_data must be a map')
    return value


def _resource(name: str, data: Value) -> Values:
    if not isinstance(data, dict):
        raise exception.Invalid(reason=f'The resource "{name}" in adopt_stack_data must be a map')
    for key in ('metadata', 'resource_data'):
        _map(data, key)
    physical_id = data.get('resource_id')
    if physical_id is not None and not column_types.fits(physical_id, LONGEST_ID):
        raise exception.Invalid(
            reason=f'The resource_id of "{name}" in adopt_stack_data must be text '
            f'of at most {LONGEST_ID} characters without NUL'
        )
    if not all(column_types.fits(key, LONGEST_KEY) for key in _map(data, 'resource_data')):
        raise exception.Invalid(
            reason=f'The keys of resource_data of "{name}" in adopt_stack_data may have at most '
            f'{LONGEST_KEY} characters without NUL'
        )
    return data


def export_stack(
    stack: Stack,
    describe: Callable[[Resource], Value] | None = lambda resource: resource.prepare_abandon(),
) -> Values:
    """Return the document. It contains hidden parameters and the data of resources in clear text.

    ``describe(resource)`` gives the entry of a resource; None leaves all resources out.
    """
    return {
        'name': stack.name,
        'id': stack.id,
        'action': stack.action,
        'environment': _exported_environment(stack.template),
        'files': dict(stack.template.files),
        'status': stack.status,
        'template': stack.template.data,
        **({api.TEMPLATE_TEXT: stack.template.text} if stack.template.text else {}),
        'resources': {resource.name: describe(resource) for resource in stack.current_resources()}
        if describe
        else {},
        'project_id': stack.tenant,
        'stack_user_project_id': stack.stack_user_project_id,
        'tags': list(stack.tags),
    }


def _exported_environment(template: Template) -> Values:
    """Return the environment, without the entries of templates of the operator: another service
    has its own.
    """
    environment = template.environment
    shown = environment.as_dict()
    shown.pop(ENCRYPTED)
    shown[RESOURCE_REGISTRY] = {
        name: target
        for name, target in shown[RESOURCE_REGISTRY].items()
        if not is_template(target) or target in template.files or environment.registry.maps(name)
    }
    return shown


def exported_template(document: Values) -> Template:
    """Return the template of a document, with its environment and files."""
    return Template(
        document['template'], document.get('files') or {}, Environment(document.get('environment'))
    )
