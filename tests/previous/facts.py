"""Print what a release says and hears, as JSON: its messages, its endpoints and its tables.

Run with the code of that release: python facts.py CONTEXT, the JSON of a context in a message.
"""

import inspect
import json
import sys
from typing import get_args

from heat_lite.common.context import RequestContext
from heat_lite.db import models
from heat_lite.engine import service
from heat_lite.engine.endpoints import listener as listener_endpoint, worker as worker_endpoint
from heat_lite.rpc import api, client, contract, listener, worker

CLIENTS = {
    'engine': client.EngineClient,
    'listener': listener.ListenerClient,
    'worker': worker.WorkerClient,
}
ENDPOINTS = {
    'engine': service.ENDPOINTS,
    'listener': (listener_endpoint.Listener,),
    'worker': (worker_endpoint.Worker,),
}


def messages(owner):
    """Return what a client sends: ``{method: {version, always, sometimes}}``."""
    methods = [each for each in vars(owner).values() if isinstance(each, contract.Method)]
    if owner is client.EngineClient:
        # the release before writes out delete_stack, too
        explicit = ('_DELETE_STACK', '_CHECK_DEPLOYMENT')
        methods += [getattr(client, name) for name in explicit if hasattr(client, name)]
    return {
        method.name: {
            'version': method.version,
            'always': [*method.required, *_by_presence(method, True)],
            'sometimes': _by_presence(method, False),
        }
        for method in methods
    }


def _by_presence(method, is_sent):
    return [name for name, value in method.defaults.items() if _is_absent(value) != is_sent]


def _is_absent(value):
    # ABSENT or Since(version); their module differs from release to release
    return type(value).__name__ in ('object', 'Since')


def methods(endpoints):
    """Return what endpoints accept: ``{method: {required, optional}}``."""
    return {
        name: _arguments(function)
        for endpoint in endpoints
        for name, function in inspect.getmembers(endpoint, inspect.isfunction)
        if not name.startswith('_')
    }


def _arguments(function):
    found = list(inspect.signature(function).parameters.values())[2:]  # without self and context
    # **scope: Unpack[StackScope] accepts the keys of StackScope
    unpacked = [each for each in found if each.kind is each.VAR_KEYWORD]
    named = [each for each in found if each not in unpacked]
    keys = [key for each in unpacked for key in get_args(each.annotation)[0].__annotations__]
    return {
        'required': [each.name for each in named if each.default is each.empty],
        'optional': [*(each.name for each in named if each.default is not each.empty), *keys],
    }


def tables():
    """Return ``{table: {column: whether a row may lack it}}``."""
    return {
        table.name: {column.name: _may_lack(column) for column in table.columns}
        for table in models.metadata.tables.values()
    }


def _may_lack(column):
    return bool(column.nullable or column.server_default is not None or column.primary_key)


def facts(context):
    return {
        'messages': {part: messages(owner) for part, owner in CLIENTS.items()},
        'endpoints': {part: methods(found) for part, found in ENDPOINTS.items()},
        'versions': {
            part: api.VERSIONS.get(owner.topic) or '1.0' for part, owner in CLIENTS.items()
        },
        'tables': tables(),
        'context': RequestContext.from_dict(context).to_dict(),
    }


if __name__ == '__main__':
    json.dump(facts(json.loads(sys.argv[1])), sys.stdout)
