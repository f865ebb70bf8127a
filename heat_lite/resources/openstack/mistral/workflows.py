"""Helpers of the Mistral types: names of workflows, and requests and results of executions."""

import json
import re

from heat_lite.clients import errors
from heat_lite.common.value_texts import from_json

_UUID = re.compile(r'[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}')
SUCCESS = ('SUCCESS',)
FAILED = ('ERROR', 'CANCELLED')


def reference(workflow):
    """Return the key of a request that names a workflow, by id or by name, with its value."""
    return {'workflow_id' if _UUID.fullmatch(workflow) else 'workflow_name': workflow}


def execution_body(workflow, input, params, description):
    """Return the body that starts an execution. Mistral takes its parts as JSON text."""
    return {
        **reference(workflow),
        'input': json.dumps(input or {}),
        'params': json.dumps(params or {}),
        'description': description,
    }


def decode(execution, key):
    """Return a part of an execution, decoded from JSON."""
    value = execution.get(key)
    return from_json(value) if isinstance(value, str) and value else value


def delete_execution(client, execution_id):
    """Delete an execution, even a running one. Does nothing if it does not exist."""
    try:
        client.request_json('DELETE', f'/executions/{execution_id}', params={'force': 'true'})
    except errors.NotFound:
        return
