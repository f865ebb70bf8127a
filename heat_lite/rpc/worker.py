"""Client of the convergence workers."""

from typing import Any

from heat_lite.common.context import RequestContext
from heat_lite.rpc import api
from heat_lite.rpc.contract import RETRY, RpcClient, cast


class WorkerClient(RpcClient):
    """Client of any running worker."""

    topic = api.WORKER_TOPIC
    # A lost message would leave the stack IN_PROGRESS, so wait for the broker without a limit.
    retry: int | None = None
    mandatory = retry_undeliverable = True

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


class SingleWorkerClient(WorkerClient):
    """Client of the worker of the engine ``server``; without that engine the message is lost."""

    retry = RETRY
    mandatory = retry_undeliverable = False


_any_worker = WorkerClient()


def check_resources(
    context: RequestContext, engine_id: str, stack_id: str, traversal_id: str, keys: list
) -> None:
    """Have one engine work on the nodes of a traversal that it was given."""
    SingleWorkerClient(engine_id).check_resource(
        context,
        resource_id=[row for row, _ in keys],
        current_traversal=traversal_id,
        data={'stack_id': stack_id},
        is_update=[way for _, way in keys],
        adopt_stack_data=None,
    )


def check_resource(context: RequestContext, **args: Any) -> None:
    """Have any worker process the next node of a traversal."""
    _any_worker.check_resource(context, **args)


def check_resource_delete_snapshot(context: RequestContext, **args: Any) -> None:
    """Have any worker delete the snapshot of one resource."""
    _any_worker.check_resource_delete_snapshot(context, **args)


def cancel_check_resource(context: RequestContext, engine_id: str, stack_id: str) -> None:
    """Have one engine cancel its work on a stack."""
    SingleWorkerClient(engine_id).cancel_check_resource(context, stack_id=stack_id)
