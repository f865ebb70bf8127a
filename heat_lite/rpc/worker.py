"""The convergence workers, seen from where work is handed on."""

from heat_lite.rpc import api
from heat_lite.rpc.remote import RETRY, Remote, cast


class WorkerClient(Remote):
    """Some worker of those that are there."""

    topic = api.WORKER_TOPIC
    # work that is not handed on leaves a stack hanging: wait for the broker as long as it takes
    retry: int | None = None
    mandatory = patient = True

    check_resource = cast(
        'check_resource',
        '1.9',
        'resource_id',
        'current_traversal',
        'data',
        'is_update',
        'adopt_stack_data',
        converge=False,
        skip_propagate=False,
        accumulated_failures=None,
        node_type='resource',
        abandon=False,
    )
    check_resource_delete_snapshot = cast(
        'check_resource_delete_snapshot',
        '1.7',
        'snapshot_id',
        'resource_name',
        'start_time',
        is_stack_delete=False,
        current_traversal=None,
    )
    cancel_check_resource = cast('cancel_check_resource', '1.3', 'stack_id')


class OneWorker(WorkerClient):
    """The worker of the engine ``server``; where that is gone, so is its work."""

    retry = RETRY
    mandatory = patient = False


_any = WorkerClient()


def check_resource(context, **args):
    """Have some engine take the next step of a node."""
    _any.check_resource(context, **args)


def check_resource_delete_snapshot(context, **args):
    """Have some engine remove the snapshot of one resource."""
    _any.check_resource_delete_snapshot(context, **args)


def cancel_check_resource(context, engine_id, stack_id):
    """Have one engine stop what it does for a stack."""
    OneWorker(engine_id).cancel_check_resource(context, stack_id=stack_id)
