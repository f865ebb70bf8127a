"""Messages between the APIs that have listeners for events, and the engines that write events."""

from collections.abc import Collection

from heat_lite.common import context
from heat_lite.operations.remote_method import cast
from heat_lite.rpc import api
from heat_lite.rpc.contract import RpcClient


class EngineFanout(RpcClient):
    """Client of all engines."""

    topic = api.LISTENER_TOPIC
    fanout = True

    #: have engines tell the APIs of new events for some seconds
    announce_events = cast('announce_events', '1.1', 'seconds')


class ApiFanout(RpcClient):
    """Client of all API processes that have had listeners."""

    topic = api.EVENTS_TOPIC
    fanout = True

    #: new events were stored for stacks of these projects
    events_written = cast('events_written', '1.0', 'projects')


def lease(seconds: float) -> None:
    """Have all engines announce new events for some seconds."""
    EngineFanout().announce_events(context.admin_context(), seconds=seconds)


def announce(projects: Collection[str]) -> None:
    """Tell the APIs of new events of some projects."""
    ApiFanout().events_written(context.admin_context(), projects=sorted(projects))
