"""Names on the wire: topics, and parameters in the ``args`` of a request."""

ENGINE_TOPIC = 'engine'
# calls of engines to engines; with threads of their own, so that they cannot use up those of users
PEER_TOPIC = 'heat-lite-engine-peer'
LISTENER_TOPIC = 'heat-engine-listener'
WORKER_TOPIC = 'engine_worker'
# to the APIs: events were written
EVENTS_TOPIC = 'heat-lite-events'
VERSIONS = {
    ENGINE_TOPIC: '1.40',
    PEER_TOPIC: '1.40',
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
        'refactor_stacks',
        'update_stack',
        'validate_template',
    }
)

# message to the running action of a stack
CANCEL = 'cancel'
# to the engine of the parent stack: the action of the nested stack has ended
THREAD_ENDED = 'ended'

# parameters of a request
PARAM_TIMEOUT = 'timeout_mins'
PARAM_DISABLE_ROLLBACK = 'disable_rollback'
PARAM_ADOPT_STACK_DATA = 'adopt_stack_data'
PARAM_SHOW_NESTED = 'show_nested'
PARAM_EXISTING = 'existing'
PARAM_CLEAR_PARAMETERS = 'clear_parameters'
PARAM_GLOBAL_TENANT = 'global_tenant'
PARAM_TAGS = 'tags'
PARAM_RESOLVE_OUTPUTS = 'resolve_outputs'
PARAM_IGNORE_ERRORS = 'ignore_errors'
PARAM_CONVERGE = 'converge'
PARAM_OBSERVE = 'observe'

# parameters that Heat does not have
PROTECTED = 'protected'
ON_REPLACE = 'on_replace'
# the resources that an update changes, with what they require, and those that it leaves
TARGET = 'target'
EXCLUDE = 'exclude'
# the resources that it leaves and that differ
NOT_APPLIED = 'not_applied'
# the number of a stored definition, and why the definition of a stack changes
REVISION = 'revision'
MESSAGE = 'message'
# the id of a stored plan; whether a preview stores one, and reads the objects in the cloud
PLAN, STORE, LIVE = 'plan', 'store', 'live'
# the digests of the header If-Match: those that the definition of a stack may have
IF_MATCH = 'if_match'
# the template as its author wrote it, where it came as a text
TEMPLATE_TEXT = 'template_text'
# REPLACE is also the key of the resources that an update recreates
REPLACE, FAIL = ON_REPLACE_VALUES = ('replace', 'fail')
# these keys travel by themselves: an older engine would pass over them, and change all
PART, PART_KEYS = 'part', (TARGET, EXCLUDE, REPLACE)
FORCE = 'force'
# id of the engine that runs the action of the parent stack, for a request about a nested stack
ON_BEHALF_OF = 'on_behalf_of'
