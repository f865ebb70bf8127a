"""Operations on stacks: their actions, previews, data and snapshots, and redirects by name."""

from heat_lite.common.value_types import Values
from heat_lite.operations.operation import (
    FLAG,
    MEMBER,
    NAMED,
    NO_ONE,
    ONE_OR_LIST,
    OPTIONAL_FLAG,
    OPTIONAL_INTEGER,
    READER,
    READER_OR_STACK_USER,
    STACK,
    STACKS,
    STRING,
    TAGS,
    TENANT,
    TEXT,
    TEXTS,
    Operation,
)
from heat_lite.operations.remote_method import ABSENT, call

PLANS = f'{TENANT}/plans'
SNAPSHOTS = f'{STACK}/snapshots'
SNAPSHOT = f'{SNAPSHOTS}/{{snapshot_id}}'

FILTERS = dict.fromkeys(
    (
        'id',
        'status',
        'name',
        'action',
        'tenant',
        'username',
        'owner_id',
        'stack_name',
        'stack_action',
        'stack_status',
        'stack_status_reason',
        'disable_rollback',
        'timeout_mins',
        'stack_owner',
        'parent',
        'stack_user_project_id',
    ),
    ONE_OR_LIST,
)
PAGE = {'limit': OPTIONAL_INTEGER, 'marker': TEXT, 'sort_keys': TEXTS, 'sort_dir': TEXT}
SCOPE = {
    **dict.fromkeys(('show_deleted', 'show_nested', 'show_hidden'), OPTIONAL_FLAG),
    **dict.fromkeys(('tags', 'tags_any', 'not_tags', 'not_tags_any'), TAGS),
}
LIST = {**FILTERS, **PAGE, **SCOPE, **dict.fromkeys(('global_tenant', 'with_count'), FLAG)}
PLANNING = {'store': FLAG, 'live': FLAG}
PREVIEW = {'show_nested': FLAG, **PLANNING}
LIST_PLANS = call('list_plans', '1.40', stack_identity=None)
APPROVE_PLAN = call('approve_plan', '1.40', 'plan_id', stack_identity=None)


def _names(description: str) -> Values:
    return {'type': 'array', 'items': STRING, 'description': description}


CONTENT_BODY: Values = {
    'type': 'object',
    'properties': {
        'stack_name': STRING,
        'template': {'type': ['object', 'string']},
        'template_url': STRING,
        'environment': {'type': ['object', 'string']},
        'environment_files': {'type': 'array', 'items': STRING},
        'files': {'type': 'object', 'additionalProperties': True},
        'files_container': STRING,
        'parameters': {'type': 'object'},
    },
}
BODY: Values = {
    **CONTENT_BODY,
    'properties': {
        **CONTENT_BODY['properties'],
        'tags': STRING,
        'timeout_mins': {'type': 'integer', 'minimum': 0},
        'disable_rollback': {'type': ['boolean', 'string']},
        'message': {'type': 'string', 'maxLength': 255},
    },
}
UPDATE_BODY: Values = {
    **BODY,
    'properties': {
        **BODY['properties'],
        'revision': {'type': 'integer'},
        'plan': STRING,
        'target': _names('Resources to change, with what they require; the others stay.'),
        'exclude': _names('Resources that stay as they are.'),
        'replace': _names('Resources to recreate.'),
    },
}
NEW_BODY: Values = {
    **BODY,
    'properties': {**BODY['properties'], 'plan': STRING},
    'anyOf': [{'required': ['stack_name']}, {'required': ['plan']}],
}
REFACTOR_BODY: Values = {
    'type': 'object',
    'properties': {
        'stacks': {'type': 'object', 'additionalProperties': CONTENT_BODY},
        'moves': {
            'type': 'array',
            'items': {'type': 'object', 'properties': {'from': STRING, 'to': STRING}},
        },
        'dry_run': {'type': 'boolean'},
    },
    'required': ['moves'],
}
ACTION_BODY = {'type': 'object', 'minProperties': 1, 'maxProperties': 1}

OUTPUT_KEYS = ('output_key', 'description', 'output_value', 'output_error')
SNAPSHOT_KEYS = ('id', 'name', 'action', 'status', 'status_reason', 'data', 'creation_time')

#: the rules of the actions; Heat has no retry, protect and unprotect
ACTION_RULES = {
    **dict.fromkeys(
        (
            'actions:action',
            'actions:snapshot',
            'actions:suspend',
            'actions:resume',
            'actions:cancel_update',
            'actions:cancel_without_rollback',
            'actions:retry',
            'actions:protect',
            'actions:unprotect',
        ),
        MEMBER,
    ),
    'actions:check': READER,
}

LOOKUP_METHODS = ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')
REDIRECT = 'Redirect to the path with name and id of a stack'
#: subpaths that are redirected from the name of a stack, by the methods that are
SUBPATHS = {
    'GET': ('resources', 'events', 'template', 'actions', 'environment', 'files'),
    'POST': ('resources', 'events', 'template', 'actions'),
}


def _redirect(method: str, path: str, subpath: str = '') -> Operation:
    return Operation(
        method,
        f'{path}/{subpath}' if subpath else path,
        f'stack_lookup.lookup_{subpath}' if subpath else 'stack_lookup.lookup',
        f'{REDIRECT}: its {subpath}.' if subpath else f'{REDIRECT}.',
        READER_OR_STACK_USER,
        rule='stacks:lookup',
        status=302,
    )


OPERATIONS = (
    Operation(
        'GET',
        STACKS,
        'stacks.index',
        'List the stacks of the project.',
        rule=None,
        rules={'stacks:index': READER, 'stacks:global_index': NO_ONE},
        query=LIST,
    ),
    Operation(
        'POST',
        STACKS,
        'stacks.create',
        'Create a stack; return its id while it is being created.',
        MEMBER,
        body=NEW_BODY,
        status=201,
    ),
    Operation(
        'POST',
        f'{STACKS}/preview',
        'stacks.preview',
        'Return the resources that a create would make; make nothing.',
        READER,
        query={'store': FLAG},
        body=NEW_BODY,
    ),
    Operation(
        'POST',
        f'{STACKS}/refactor',
        'stacks.refactor',
        'Move resources to other names and stacks; no object changes, or nothing does.',
        MEMBER,
        body=REFACTOR_BODY,
    ),
    Operation(
        'GET',
        f'{STACKS}/detail',
        'stacks.detail',
        'List the stacks of the project with all their fields.',
        READER,
        query=LIST,
    ),
    Operation(
        'GET',
        STACK,
        'stacks.show',
        'Return a stack with its outputs.',
        READER,
        query={'resolve_outputs': FLAG},
    ),
    Operation(
        'GET',
        f'{STACK}/template',
        'stacks.template',
        'Return the template of a stack.',
        READER,
        calls=call('get_template', '1.0', 'stack_identity'),
    ),
    Operation(
        'GET',
        f'{STACK}/template_text',
        'stacks.template_text',
        'Return the template of a stack as its author wrote it; null if it came as data.',
        rule='stacks:template',
        calls=call('get_template_text', '1.37', 'stack_identity'),
        key='template_text',
    ),
    Operation(
        'GET',
        f'{STACK}/environment',
        'stacks.environment',
        'Return the environment of a stack.',
        READER,
        calls=call('get_environment', '1.28', 'stack_identity'),
    ),
    Operation(
        'GET',
        f'{STACK}/files',
        'stacks.files',
        'Return the files of a stack.',
        READER,
        calls=call('get_files', '1.32', 'stack_identity'),
    ),
    Operation(
        'GET',
        f'{STACK}/revisions',
        'stacks.list_revisions',
        'List the definitions that a stack has had, the newest first.',
        READER,
        calls=call('list_revisions', '1.39', 'stack_identity'),
        key='revisions',
    ),
    Operation(
        'GET',
        f'{STACK}/revisions/{{revision}}',
        'stacks.show_revision',
        'Return a definition that a stack has had: template, environment and files.',
        READER,
        calls=call('show_revision', '1.39', 'stack_identity', 'revision'),
        key='revision',
    ),
    Operation(
        'PUT',
        STACK,
        'stacks.update',
        'Update a stack to a template, parameters and an environment.',
        MEMBER,
        body=UPDATE_BODY,
        status=202,
    ),
    Operation(
        'PATCH',
        STACK,
        'stacks.update_patch',
        'Update a stack; what is not given stays as it is.',
        rule=None,
        rules={
            'stacks:update_patch': MEMBER,
            'stacks:update_no_change': 'rule:stacks:update_patch',
        },
        body=UPDATE_BODY,
        status=202,
    ),
    Operation(
        'PUT',
        f'{STACK}/preview',
        'stacks.preview_update',
        'Return what an update would change; change nothing.',
        MEMBER,
        query=PREVIEW,
        body=UPDATE_BODY,
    ),
    Operation(
        'PATCH',
        f'{STACK}/preview',
        'stacks.preview_update_patch',
        'As the preview of an update; what is not given stays as it is.',
        MEMBER,
        query=PREVIEW,
        body=UPDATE_BODY,
    ),
    Operation(
        'GET',
        f'{STACK}/plans',
        'stacks.list_plans',
        'List the plans of a stack that have not expired, the newest first.',
        READER,
        calls=LIST_PLANS,
        key='plans',
    ),
    Operation(
        'POST',
        f'{STACK}/plans/{{plan_id}}/approve',
        'stacks.approve_plan',
        'Approve the plan that another user has stored with the preview of an update.',
        MEMBER,
        calls=APPROVE_PLAN,
        key='plan',
    ),
    Operation(
        'GET',
        PLANS,
        'stacks.list_create_plans',
        'List the plans of creates that have not expired, the newest first.',
        rule='stacks:list_plans',
        calls=LIST_PLANS,
        key='plans',
    ),
    Operation(
        'POST',
        f'{PLANS}/{{plan_id}}/approve',
        'stacks.approve_create_plan',
        'Approve the plan that another user has stored with the preview of a create.',
        rule='stacks:approve_plan',
        calls=APPROVE_PLAN,
        key='plan',
    ),
    # Heat's API has no force=true, which leaves resources that cannot be deleted.
    Operation(
        'DELETE',
        STACK,
        'stacks.delete',
        'Delete a stack and all that it has made.',
        MEMBER,
        rules={'stacks:force_delete': MEMBER},
        query={'force': FLAG},
        status=204,
    ),
    Operation(
        'DELETE',
        f'{STACK}/abandon',
        'stacks.abandon',
        'Forget a stack and leave its objects; return what an adopt takes.',
        MEMBER,
        calls=call('abandon_stack', '1.0', 'stack_identity', abandon=ABSENT),
    ),
    Operation(
        'GET',
        f'{STACK}/export',
        'stacks.export',
        'Return what an adopt takes; change nothing.',
        MEMBER,
        calls=call('export_stack', '1.22', 'stack_identity'),
    ),
    Operation(
        'GET',
        f'{STACK}/outputs',
        'stacks.list_outputs',
        'List the outputs of a stack without their values.',
        READER,
        calls=call('list_outputs', '1.19', 'stack_identity'),
        key='outputs',
        columns=OUTPUT_KEYS,
    ),
    Operation(
        'GET',
        f'{STACK}/outputs/{{output_key}}',
        'stacks.show_output',
        'Return an output with its value.',
        READER,
        calls=call('show_output', '1.19', 'stack_identity', 'output_key'),
        key='output',
        columns=OUTPUT_KEYS,
    ),
    Operation(
        'POST',
        SNAPSHOTS,
        'snapshots.snapshot',
        'Make a snapshot of a stack.',
        MEMBER,
        rule='stacks:snapshot',
    ),
    Operation(
        'GET',
        SNAPSHOTS,
        'snapshots.list_snapshots',
        'List the snapshots of a stack.',
        READER,
        rule='stacks:list_snapshots',
        calls=call('stack_list_snapshots', '1.0', 'stack_identity'),
        key='snapshots',
        columns=SNAPSHOT_KEYS,
    ),
    Operation(
        'GET',
        SNAPSHOT,
        'snapshots.show_snapshot',
        'Return a snapshot.',
        READER,
        rule='stacks:show_snapshot',
        calls=call('show_snapshot', '1.0', 'stack_identity', 'snapshot_id'),
        key='snapshot',
        columns=SNAPSHOT_KEYS,
    ),
    Operation(
        'DELETE',
        SNAPSHOT,
        'snapshots.delete_snapshot',
        'Delete a snapshot.',
        MEMBER,
        rule='stacks:delete_snapshot',
        calls=call('delete_snapshot', '1.0', 'stack_identity', 'snapshot_id'),
        status=204,
    ),
    Operation(
        'POST',
        f'{SNAPSHOT}/restore',
        'snapshots.restore_snapshot',
        'Bring a stack back to a snapshot.',
        MEMBER,
        rule='stacks:restore_snapshot',
        calls=call('stack_restore', '1.0', 'stack_identity', 'snapshot_id'),
        status=202,
    ),
    Operation(
        'POST',
        f'{STACK}/actions',
        'actions.action',
        'Suspend, resume, check, retry, protect a stack, or cancel its update: the name of the '
        'action is the key of the body.',
        rule=None,
        rules=ACTION_RULES,
        body=ACTION_BODY,
    ),
    *(
        _redirect(method, path)
        for path in (f'{STACKS}/{{stack_name:arn:*}}', NAMED)
        for method in LOOKUP_METHODS
    ),
    *(_redirect(method, NAMED, subpath) for method in SUBPATHS for subpath in SUBPATHS[method]),
)
