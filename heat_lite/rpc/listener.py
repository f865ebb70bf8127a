"""One particular engine, seen from another: does it live, and messages to what it is doing."""

import contextlib

import oslo_messaging

from heat_lite.common import exception
from heat_lite.rpc import api, messaging
from heat_lite.rpc.remote import Remote, call

STOP_TIMEOUT = 30


class ListenerClient(Remote):
    """The listener of the engine ``server``."""

    topic = api.LISTENER_TOPIC
    # an engine that never was, or whose queue is gone, need not be waited for
    mandatory = True

    listening = call('listening')
    send = call('send', '1.0', 'stack_identity', 'message')
    stop_stack = call('stop_stack', '1.0', 'stack_identity')


def alive(context, engine_id):
    """Whether the engine answers within ``engine_life_check_timeout`` seconds."""
    try:
        return bool(_soon(engine_id).listening(context))
    except (exception.EngineTimeout, oslo_messaging.MessageUndeliverable):
        return False


def send(context, engine_id, stack_identity, message):
    """Give a message (``api.THREAD_MESSAGES``) to the work on a stack. EngineTimeout where the engine is not there."""
    return _reach(_soon(engine_id).send, context, engine_id, stack_identity=stack_identity, message=message)


def tell(context, engine_id, stack_identity, message):
    """The same without waiting for an answer; an engine that is not there hears nothing."""
    one = ListenerClient(engine_id)
    with contextlib.suppress(oslo_messaging.MessageUndeliverable):
        one.deliver(ListenerClient.send, context, {'stack_identity': stack_identity, 'message': message}, answers=False)


def stop_stack(context, engine_id, stack_identity):
    """Have the engine stop working on a stack, and wait for it. EngineTimeout where the engine is not there."""
    return _reach(ListenerClient(engine_id, STOP_TIMEOUT).stop_stack, context, engine_id, stack_identity=stack_identity)


def _soon(engine_id):
    return ListenerClient(engine_id, messaging.transport.conf.engine_life_check_timeout)


def _reach(method, context, engine_id, **args):
    try:
        return method(context, **args)
    except oslo_messaging.MessageUndeliverable:
        raise exception.EngineTimeout(engine=engine_id, method=method.args[0].name, seconds=0) from None
