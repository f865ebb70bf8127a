"""Names on the wire: topics, keys of responses, and parameters in the ``args`` of a request."""

ENGINE_TOPIC = 'engine'
# calls of engines to engines; with threads of their own, so that they cannot use up those of users
PEER_TOPIC = 'heat-lite-engine-peer'
LISTENER_TOPIC = 'heat-engine-listener'
WORKER_TOPIC = 'engine_worker'
# to the APIs: events were written
EVENTS_TOPIC = 'heat-lite-events'
VERSIONS = {
    ENGINE_TOPIC: '1.37',
    PEER_TOPIC: '1.37',
    WORKER_TOPIC: '1.9',
    LISTENER_TOPIC: '1.2',
    EVENTS_TOPIC: '1.0',
}

# methods that may compute for long: they read, validate or plan templates
LONG_METHODS = frozenset(
    {
        'complete_template',
        'create_stack',
        'lint_template',
        'preview_stack',
        'preview_update_stack',
        'update_stack',
        'validate_template',
    }
)

# messages to the running action of a stack
CANCEL = 'cancel'
CANCEL_WITH_ROLLBACK = 'cancel_with_rollback'
THREAD_MESSAGES = (CANCEL, CANCEL_WITH_ROLLBACK)
# to the engine of the parent stack: the action of the nested stack has ended
THREAD_ENDED = 'ended'

# parameters of a request
PARAM_TIMEOUT = 'timeout_mins'
PARAM_DISABLE_ROLLBACK = 'disable_rollback'
PARAM_ADOPT_STACK_DATA = 'adopt_stack_data'
PARAM_SHOW_DELETED = 'show_deleted'
PARAM_SHOW_NESTED = 'show_nested'
PARAM_EXISTING = 'existing'
PARAM_CLEAR_PARAMETERS = 'clear_parameters'
PARAM_GLOBAL_TENANT = 'global_tenant'
PARAM_LIMIT = 'limit'
PARAM_NESTED_DEPTH = 'nested_depth'
PARAM_TAGS = 'tags'
PARAM_SHOW_HIDDEN = 'show_hidden'
PARAM_TAGS_ANY = 'tags_any'
PARAM_NOT_TAGS = 'not_tags'
PARAM_NOT_TAGS_ANY = 'not_tags_any'
PARAM_TEMPLATE_TYPE = 'template_type'
PARAM_WITH_DETAIL = 'with_detail'
PARAM_RESOLVE_OUTPUTS = 'resolve_outputs'
PARAM_IGNORE_ERRORS = 'ignore_errors'
PARAM_CONVERGE = 'converge'
PARAM_OBSERVE = 'observe'

# parameters that Heat does not have
PROTECTED = 'protected'
ON_REPLACE = 'on_replace'
REPLACE, FAIL = ON_REPLACE_VALUES = ('replace', 'fail')
FORCE = 'force'
# id of the engine that runs the action of the parent stack, for a request about a nested stack
ON_BEHALF_OF = 'on_behalf_of'

STACK_KEYS = (
    'stack_name',
    'stack_identity',
    'creation_time',
    'updated_time',
    'deletion_time',
    'notification_topics',
    'description',
    'template_description',
    'parameters',
    'outputs',
    'stack_action',
    'stack_status',
    'stack_status_reason',
    'capabilities',
    'disable_rollback',
    'timeout_mins',
    'stack_owner',
    'parent',
    'stack_user_project_id',
    'tags',
)
STACK_OUTPUT_KEYS = ('description', 'output_key', 'output_value', 'output_error')
RES_KEYS = (
    'description',
    'creation_time',
    'updated_time',
    'resource_name',
    'physical_resource_id',
    'metadata',
    'resource_action',
    'resource_status',
    'resource_status_reason',
    'resource_type',
    'resource_identity',
    'stack_identity',
    'stack_name',
    'required_by',
    'nested_stack_id',
    'nested_resources',
    'parent_resource',
    'properties',
    'attributes',
)
RES_SCHEMA_KEYS = ('resource_type', 'properties', 'attributes', 'support_status', 'description')
EVENT_KEYS = (
    'event_identity',
    'stack_identity',
    'stack_name',
    'event_time',
    'resource_name',
    'physical_resource_id',
    'resource_action',
    'resource_status',
    'resource_status_reason',
    'resource_type',
    'resource_properties',
    'root_stack_id',
)
NOTIFY_KEYS = (
    'tenant_id',
    'user_id',
    'user_identity',
    'username',
    'stack_identity',
    'stack_name',
    'state',
    'state_reason',
    'create_at',
    'description',
    'updated_at',
    'tags',
)
SNAPSHOT_KEYS = (
    'id',
    'name',
    'stack_id',
    'data',
    'action',
    'status',
    'status_reason',
    'creation_time',
)
RESOURCE_SNAPSHOT_KEYS = ('id', 'snapshot_id', 'resource_name', 'data', 'creation_time')
SOFTWARE_CONFIG_KEYS = (
    'id',
    'name',
    'group',
    'config',
    'inputs',
    'outputs',
    'options',
    'creation_time',
    'project',
)
SOFTWARE_DEPLOYMENT_KEYS = (
    'id',
    'config_id',
    'server_id',
    'input_values',
    'output_values',
    'action',
    'status',
    'status_reason',
    'creation_time',
    'updated_time',
)
SOFTWARE_DEPLOYMENT_OUTPUTS = ('deploy_stdout', 'deploy_stderr', 'deploy_status_code')
SOFTWARE_DEPLOYMENT_STATUSES = ('IN_PROGRESS', 'FAILED', 'COMPLETE')
VALIDATE_PARAM_KEYS = (
    'Type',
    'Default',
    'NoEcho',
    'AllowedValues',
    'AllowedPattern',
    'MaxLength',
    'MinLength',
    'MaxValue',
    'MinValue',
    'Step',
    'Offset',
    'Description',
    'ConstraintDescription',
    'Label',
    'CustomConstraint',
    'Value',
    'Tags',
)
VALIDATE_PARAM_TYPES = ('String', 'Number', 'CommaDelimitedList', 'Json', 'Boolean')
