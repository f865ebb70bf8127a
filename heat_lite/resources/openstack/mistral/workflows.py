"""What the types of the workflow service share: how a workflow is named, and what its executions tell."""

import json
import re

from heat_lite.clients import errors

_UUID = re.compile(r'[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}')
SUCCESS = ('SUCCESS',)
FAILED = ('ERROR', 'CANCELLED')


def named(workflow):
    """The workflow by its name or by its id, whichever it is."""
    return {'workflow_id' if _UUID.fullmatch(workflow) else 'workflow_name': workflow}


def execution(workflow, input, params, description):
    """The body that starts a workflow. Its parts are texts of JSON."""
    return {
        **named(workflow),
        'input': json.dumps(input or {}),
        'params': json.dumps(params or {}),
        'description': description,
    }


def told(execution, key):
    """A part of an execution that is a text of JSON."""
    value = execution.get(key)
    return json.loads(value) if isinstance(value, str) and value else value


def forget(client, execution_id):
    """Takes an execution away; one that still runs, too."""
    try:
        client.ask('DELETE', f'/executions/{execution_id}', params={'force': 'true'})
    except errors.NotFound:
        return
