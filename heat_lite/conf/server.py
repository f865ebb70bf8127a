"""Options that Heat does not have: group [heat_lite]."""

from oslo_config import cfg

HEAT_LITE = [
    cfg.IntOpt(
        'max_parallel_handlers',
        default=8,
        min=1,
        help='Maximum number of concurrent requests to services for the resources of one stack.',
    ),
    cfg.IntOpt(
        'task_threads',
        default=86,
        min=1,
        help='Maximum number of threads of an engine that process resources. Threads are started '
        'on demand. One project uses at most three quarters of them.',
    ),
    cfg.IntOpt(
        'delete_conflict_wait',
        default=300,
        min=0,
        help='Number of seconds that the delete of a resource is retried while its service '
        'responds that the resource is in use (409 Conflict).',
    ),
    cfg.IntOpt(
        'graceful_shutdown_timeout',
        default=20,
        min=0,
        help='Number of seconds that running steps of resources, e.g. calls to the cloud, have to '
        'finish when an engine is stopped. Five seconds later it is killed. A manager of '
        'services must wait for so long: Kubernetes waits for 30 seconds by default.',
    ),
    cfg.IntOpt(
        'request_shutdown_timeout',
        default=5,
        min=0,
        help='Number of seconds that running requests have to finish when a process is stopped; in '
        'an engine at most half of graceful_shutdown_timeout. Clients can have requests that last '
        'long, and delay each stop for so long.',
    ),
    cfg.IntOpt(
        'heartbeat_interval',
        default=5,
        min=1,
        help='Number of seconds between two heartbeats of an engine, unless periodic_interval is '
        'shorter. An engine is considered dead when its last heartbeat is older than two '
        'intervals and it does not respond to a request.',
    ),
    cfg.FloatOpt(
        'trust_after',
        default=5.0,
        min=0,
        help='Number of seconds after which a running action stores a trust (or the password) of '
        'its user, so that the action can continue when the token expires or the engine dies. '
        'Shorter actions store no trust, unless one of the resource types needs a trust.',
    ),
    cfg.FloatOpt(
        'take_over_interval',
        default=5.0,
        min=0.1,
        help='Number of seconds between two searches for stacks whose engine has died.',
    ),
    cfg.IntOpt(
        'max_stacks_at_work',
        default=5000,
        min=0,
        help='Maximum number of stacks, including nested stacks, that an engine processes at a '
        'time. Further requests fail with 503 Service Unavailable. 0 means no limit.',
    ),
    cfg.IntOpt(
        'max_stacks_at_work_per_tenant',
        default=2000,
        min=0,
        help='Maximum number of stacks of one project, including nested stacks, that an engine '
        'processes at a time. Further requests fail with 429 Too Many Requests. 0 means no limit.',
    ),
    cfg.IntOpt(
        'nested_stacks_at_work',
        default=100,
        min=-1,
        help='Number of nested stacks that an engine processes at a time before it delegates '
        'further ones to other engines. Nested stacks whose resources call no service are never '
        'delegated. 0 delegates all nested stacks, -1 none.',
    ),
    cfg.IntOpt(
        'max_handle_signals',
        default=4096,
        min=1,
        help='Maximum number of signals that a wait condition handle stores. A further one fails '
        'with 400 Bad Request.',
    ),
    cfg.IntOpt(
        'max_handle_size',
        default=4194304,
        min=1024,
        help='Maximum size of all signals that a wait condition handle stores, in bytes of JSON. A '
        'signal beyond it fails with 400 Bad Request.',
    ),
    cfg.IntOpt(
        'engine_silence_limit',
        default=60,
        min=0,
        help='Number of seconds after which an engine process that gives no sign of life is killed '
        'and replaced: something hangs all of its threads. 0 disables it.',
    ),
    cfg.IntOpt(
        'engine_memory_limit',
        default=0,
        min=0,
        help='Resident memory of an engine process in MiB. A process above it is stopped and '
        'replaced, one above twice of it is killed at once; its stacks are taken over. 0 means no '
        'limit.',
    ),
    cfg.IntOpt(
        'engine_death_limit',
        default=2,
        min=0,
        help='Number of engines in a row that may end themselves (by a crash, memory or a hang) in '
        'the first call on a resource after they have taken its stack over. Then the resource '
        'fails instead of ending one engine after another. Three deaths by others, or for an '
        'unknown reason, count as one. 0 disables it.',
    ),
    cfg.IntOpt(
        'deleted_retention_days',
        default=90,
        min=0,
        help='Number of days after which deleted stacks are purged from the database. 0 disables '
        'the purge; then use "heat-lite-manage purge_deleted".',
    ),
    cfg.IntOpt(
        'max_tags_per_stack',
        default=1000,
        min=-1,
        help='Maximum number of tags of a stack. -1 means no limit.',
    ),
    cfg.IntOpt(
        'template_characters',
        default=128 * 1024 * 1024,
        min=1,
        help='Number of characters that the functions of a template may make for one request, or '
        'for one step of a resource. Beyond it the request fails with 400 Bad Request, or the '
        'resource fails.',
    ),
    cfg.IntOpt(
        'template_values',
        default=5000000,
        min=1,
        help='Number of items of lists and maps that the functions of a template may make or read '
        'for one request, or for one step of a resource.',
    ),
    cfg.IntOpt(
        'template_steps',
        default=10000000,
        min=1,
        help='Number of steps of work that the functions of a template may take for one request, '
        'or for one step of a resource: 64 characters, one value, or one call in a YAQL '
        'expression.',
    ),
    cfg.FloatOpt(
        'template_seconds',
        default=5.0,
        min=0.1,
        help='Seconds of processor time of all YAQL expressions and regular expressions of one '
        'request, or of one step of a resource. Other requests are processed meanwhile.',
    ),
    cfg.FloatOpt(
        'pattern_seconds',
        default=0.25,
        min=0.01,
        help='Seconds that one match of a regular expression of a user may take: in '
        'allowed_pattern, in a YAQL expression, or as name of resource types.',
    ),
    cfg.IntOpt(
        'outputs_characters',
        default=16 * 1024 * 1024,
        min=1,
        help='Number of characters of all outputs of a stack together. Further outputs have an '
        'error instead of a value.',
    ),
    cfg.FloatOpt(
        'attribute_timeout',
        default=10.0,
        min=0.1,
        help='Number of seconds that a request which shows outputs waits for the attributes that '
        'services answer. An output whose attributes take longer has an error instead of a value.',
    ),
    cfg.IntOpt(
        'max_reply_size',
        default=64 * 1024 * 1024,
        min=1,
        help='Number of characters of the reply of an engine to a request that reads. A larger one '
        'is refused with 400. The broker limits messages too: RabbitMQ 4 to 16 MiB, unless its '
        'option max_message_size is raised.',
    ),
    cfg.FloatOpt(
        'alarm_interval',
        default=5.0,
        min=0.1,
        help='Number of seconds between two searches of an engine for alarms of type '
        'OS::Heat::CWLiteAlarm whose period has ended.',
    ),
    cfg.IntOpt(
        'max_alarms_per_tenant',
        default=5000,
        min=-1,
        help='Maximum number of alarms of type OS::Heat::CWLiteAlarm of a project. -1 means no '
        'limit.',
    ),
    cfg.IntOpt(
        'max_measurements_per_tenant',
        default=100000,
        min=-1,
        help='Number of measurements that are stored for all alarms of a project. Further ones are '
        'refused. Each is stored until it has left the window of its alarm. -1 means no limit.',
    ),
    cfg.IntOpt(
        'max_measurements_per_alarm',
        default=2000,
        min=-1,
        help='Number of measurements that are stored for one alarm. Further ones are refused. -1 '
        'means no limit.',
    ),
    cfg.FloatOpt(
        'worker_restart_delay',
        default=1.0,
        min=0,
        help='Number of seconds before a worker process that exited soon after its start is '
        'restarted. The delay grows with each further restart, up to 30 seconds.',
    ),
]

GROUPS = {'heat_lite': HEAT_LITE}
