"""Options that are ours and not Heat's: group [heat_lite]."""

from oslo_config import cfg

HEAT_LITE = [
    cfg.StrOpt(
        'concurrency',
        choices=['threading', 'eventlet'],
        default='threading',
        help='Native threads or green threads in the engine. The doors of HTTP always use green threads.',
    ),
    cfg.IntOpt('max_parallel_handlers', default=8, min=1, help='Calls to the cloud that run side by side for the resources of a stack.'),
    cfg.IntOpt(
        'task_threads', default=64, min=1, help='Threads of an engine that step the work on resources; they are started when needed.'
    ),
    cfg.IntOpt(
        'delete_conflict_wait',
        default=300,
        min=0,
        help='Seconds that the deletion of an object goes on trying while its service says that it is in use (a conflict, 409).',
    ),
    cfg.IntOpt(
        'graceful_shutdown_timeout',
        default=60,
        min=0,
        help='Seconds that requests and calls under way are given when a process is stopped.',
    ),
    cfg.IntOpt(
        'heartbeat_interval',
        default=5,
        min=1,
        help='Seconds between two beats by which an engine reports that it lives, where periodic_interval is not shorter. One that has not '
        'reported for twice as long, and does not answer, is taken for dead.',
    ),
    cfg.FloatOpt(
        'trust_after',
        default=5.0,
        min=0,
        help='Seconds after which an action on a stack with objects of the cloud that is still at work keeps a trust (or password) of its '
        'user, so that it can go on when the token ends or the engine dies. Shorter actions do without.',
    ),
    cfg.FloatOpt('take_over_interval', default=5.0, min=0.1, help='Seconds between two looks for stacks whose engine is gone.'),
    cfg.IntOpt(
        'max_stacks_at_work',
        default=5000,
        min=0,
        help='Stacks that an engine works on at a time, nested ones among them; new ones are refused then (503) until there is room. '
        '0: no limit.',
    ),
    cfg.IntOpt(
        'max_stacks_at_work_per_tenant',
        default=2000,
        min=0,
        help='The same for the stacks of one project (429). 0: no limit.',
    ),
    cfg.IntOpt(
        'nested_stacks_at_work',
        default=100,
        min=-1,
        help='Stacks inside resources that an engine works on at a time before it gives further ones to whichever engine is free; but not '
        'those of which no resource calls a service. 0: all are given away. -1: none.',
    ),
    cfg.IntOpt(
        'deleted_retention_days',
        default=90,
        min=0,
        help='Days after which deleted stacks and what belongs to them are removed from the database for good. 0: never; then '
        'heat-lite-manage purge_deleted does it.',
    ),
    cfg.FloatOpt('worker_restart_delay', default=1.0, min=0, help='Seconds before a worker that died young is replaced; grows up to 30.'),
]

GROUPS = {'heat_lite': HEAT_LITE}
