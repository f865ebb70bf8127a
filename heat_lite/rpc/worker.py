"""Client of the convergence workers."""

from heat_lite.common.context import RequestContext
from heat_lite.operations.remote_method import cast
from heat_lite.rpc import api
from heat_lite.rpc.contract import RpcClient


class WorkerClient(RpcClient):
    """Client of the worker of the engine ``server``; without that engine the message is lost."""

    topic = api.WORKER_TOPIC

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
    cancel_check_resource = cast('cancel_check_resource', '1.3', 'stack_id')


def check_resources(
    context: RequestContext, engine_id: str, stack_id: str, traversal_id: str | None, keys: list
) -> None:
    """Have one engine work on the nodes of a traversal that it was given."""
    WorkerClient(engine_id).check_resource(
        context,
        resource_id=[row for row, _ in keys],
        current_traversal=traversal_id,
        data={'stack_id': stack_id},
        is_update=[way for _, way in keys],
        adopt_stack_data=None,
    )
