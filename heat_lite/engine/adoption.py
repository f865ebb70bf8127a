"""Adoption: a stack made of objects that exist already, by the document that an export or an abandoned stack gave (see ``export``)."""

import json

from heat_lite.common import exception, status
from heat_lite.db import seals
from heat_lite.rpc import api
from heat_lite.template import format

LONGEST_ID = 255  # of the column
KEPT = 'adopted'


def read(runtime, args):
    """The document in the arguments of a request; None where nothing is to be adopted. Raises NotSupported, Invalid."""
    text = args.get(api.PARAM_ADOPT_STACK_DATA)
    if not text:
        return None
    if not runtime.limits.enable_stack_adopt:
        raise exception.NotSupported(feature='Stack Adopt')
    try:
        document = format.parse(text)
    except ValueError as error:
        raise exception.Invalid(reason=f'adopt_stack_data: {error}') from None
    return {
        'environment': _map(document, 'environment'),
        'files': _map(document, 'files'),
        'resources': {name: _resource(name, data) for name, data in _map(document, 'resources').items()},
    }


def begin(stack, resources):
    """The stack, which is not stored yet, is to be adopted; ``resources`` are those of a document. They are kept with it until the end."""
    stack.action, stack.status_reason, stack.adopted = status.ADOPT, 'Stack ADOPT started', resources
    stack.plan = {KEPT: seals.seal(json.dumps(resources))}


def kept(stack):
    """The resources of the document with which the adoption of a stack has begun."""
    sealed = (stack.plan or {}).get(KEPT)
    return json.loads(seals.unseal(*sealed)) if sealed else {}


def environment(document, given):
    """What the request says wins over the document, of which only the parameters count, as in Heat."""
    given = given or {}
    parameters = {**_map(document['environment'], 'parameters'), **(given.get('parameters') or {})}
    return {**given, 'parameters': parameters}


def files(document, given):
    """The files of the request, over those of the document."""
    return {**document['files'], **(given or {})}


def _map(document, key):
    value = document.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise exception.Invalid(reason=f'"{key}" in adopt_stack_data must be a map')
    return value


def _resource(name, data):
    if not isinstance(data, dict):
        raise exception.Invalid(reason=f'The resource "{name}" in adopt_stack_data must be a map')
    for key in ('metadata', 'resource_data'):
        _map(data, key)
    physical_id = data.get('resource_id')
    if physical_id is not None and not (isinstance(physical_id, str) and len(physical_id) <= LONGEST_ID):
        raise exception.Invalid(reason=f'The resource_id of "{name}" in adopt_stack_data must be text of at most {LONGEST_ID} characters')
    return data
