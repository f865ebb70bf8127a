"""Client of the listener of one engine: liveness, and messages to its running actions."""

import contextlib

import oslo_messaging

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.operations.remote_method import Method, call
from heat_lite.rpc import api, messaging
from heat_lite.rpc.contract import RpcClient

STOP_TIMEOUT = 30


class ListenerClient(RpcClient):
    """Client of the listener of the engine ``server``."""

    topic = api.LISTENER_TOPIC
    # fail at once for an engine that never existed or whose queue is deleted
    mandatory = True

    listening = call('listening')
    send = call('send', '1.0', 'stack_identity', 'message')
    stop_stack = call('stop_stack', '1.0', 'stack_identity')
    describe_work = call('describe_work')
    helps = call('helps', '1.2')


def is_alive(context: RequestContext, engine_id: str) -> bool:
    """Return whether the engine answers within ``engine_life_check_timeout`` seconds."""
    return _affirms(ListenerClient.listening, context, engine_id)


def helps(context: RequestContext, engine_id: str) -> bool:
    """Return whether the engine runs steps for others: that of an earlier release does not."""
    return _affirms(ListenerClient.helps, context, engine_id)


def _affirms(method: Method, context: RequestContext, engine_id: str) -> bool:
    try:
        return bool(_liveness_client(engine_id).invoke(method, context))
    except (
        exception.EngineTimeout,
        exception.EngineTooOld,
        oslo_messaging.MessageUndeliverable,
    ):
        return False


def send(context: RequestContext, engine_id: str, stack_identity: Values, message: str) -> Value:
    """Send a message, e.g. ``api.CANCEL``, to the running action of a stack.

    Raises EngineTimeout when the engine is not running.
    """
    return _call(
        _liveness_client(engine_id),
        ListenerClient.send,
        context,
        engine_id,
        stack_identity=stack_identity,
        message=message,
    )


def cast_message(
    context: RequestContext, engine_id: str, stack_identity: Values, message: str
) -> None:
    """Send a message without waiting for a reply; it is lost if the engine is not running."""
    client = ListenerClient(engine_id)
    with contextlib.suppress(oslo_messaging.MessageUndeliverable):
        client.deliver(
            ListenerClient.send,
            context,
            {'stack_identity': stack_identity, 'message': message},
            expects_reply=False,
        )


def stop_stack(context: RequestContext, engine_id: str, stack_identity: Values) -> Value:
    """Have an engine stop its action on a stack, and wait for that.

    Raises EngineTimeout when the engine is not running.
    """
    return _call(
        ListenerClient(engine_id, STOP_TIMEOUT),
        ListenerClient.stop_stack,
        context,
        engine_id,
        stack_identity=stack_identity,
    )


def _liveness_client(engine_id: str) -> ListenerClient:
    return ListenerClient(engine_id, messaging.opened().conf.engine_life_check_timeout)


def _call(
    client: ListenerClient, method: Method, context: RequestContext, engine_id: str, **args: object
) -> Value:
    try:
        return client.invoke(method, context, **args)
    except oslo_messaging.MessageUndeliverable:
        raise exception.EngineTimeout(
            engine=f'the engine {engine_id}', method=method.name, seconds=0
        ) from None
