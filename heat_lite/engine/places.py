"""Where the work on a stack inside a resource is done: by this engine, or by whichever takes it from the queue.

An engine that has as many nested stacks at work as it may gives further ones away by RPC, with the arguments that Heat's engines use among
themselves, unless there is next to nothing to do for them. Who works on the stack around hears of the end: that engine is found by its
lock, so it does not matter who has taken over what meanwhile.
"""

import logging
import time

import oslo_messaging

from heat_lite.common import exception
from heat_lite.engine import resource, stack_lock
from heat_lite.rpc import api
from heat_lite.rpc import client as rpc_client

LOG = logging.getLogger(__name__)
#: how long another engine may take to begin, in seconds
BEGIN_SECONDS = 15
#: how long it is remembered that there are other engines, and that there are none, in seconds: the first of several that start together
#: does not stay alone for long
KNOWN_SECONDS = {True: 10, False: 1}
#: nobody has taken the work, or nobody has said so
NOT_TAKEN = (
    exception.EngineBusy,
    exception.TooManyStacksAtWork,
    exception.EngineTimeout,
    exception.ServiceUnavailable,
    oslo_messaging.MessageUndeliverable,
)


class Places:
    """Where all engines are in this process (``neighbours.alone``), there is nobody to give anything to."""

    def __init__(self, runtime, neighbours):
        self._runtime = runtime
        self._neighbours = neighbours
        self._client = rpc_client.EngineClient(timeout=BEGIN_SECONDS)
        self._others = False, 0.0
        self._living = set()

    # ------------------------------------------------------------ giving away

    def gives_away(self, stack, inside):
        """Whether what is to be done with ``inside``, a stack in ``stack``, should be another engine's work."""
        limit = self._runtime.limits.nested_stacks_at_work
        # news of its end comes to the engine that has the lock of the stack around it
        if limit < 0 or not self._runtime.running.has(stack.id) or self._runtime.running.make_room(inside, limit):
            return False
        return limit == 0 or self._has_others() and not _is_small(inside)

    def _has_others(self):
        if self._neighbours.alone:
            return False
        known, until = self._others
        if time.monotonic() > until:
            known = bool(self._neighbours.living() - {self._runtime.engine_id})
            self._others = known, time.monotonic() + KNOWN_SECONDS[known]
        return known

    def create(self, stack, template_id):
        """Have a stack, which is drafted, made by some engine. Gives its id; None where it is to be made here."""
        arguments = {
            'stack_name': stack.name,
            'template': None,
            'params': None,
            'files': None,
            'args': {
                'timeout_mins': stack.timeout_mins,
                'disable_rollback': stack.disable_rollback,
                api.ON_BEHALF_OF: self._runtime.engine_id,
            },
            'owner_id': stack.owner_id,
            'nested_depth': stack.nested_depth,
            'user_creds_id': stack.user_creds_id,
            'stack_user_project_id': stack.stack_user_project_id,
            'parent_resource_name': stack.parent_resource_name,
            'template_id': template_id,
        }
        try:
            return self._client.create_stack(stack.context, **arguments)['stack_id']
        except NOT_TAKEN as error:
            LOG.info('The %s inside %s is made here: %s', stack.parent_resource_name, stack.owner_id, error)
            return None

    def begin(self, verb, stack, **arguments):
        """Have some engine begin something with a stack that is there; ``verb`` is a method of the engine. False where it is to be done
        here."""
        try:
            getattr(self._client, verb)(stack.context, stack_identity=stack.identifier().as_dict(), **arguments)
        except NOT_TAKEN as error:
            LOG.info('%s: nobody else takes %s: %s', stack, verb, error)
            return False
        return True

    # ------------------------------------------------------------ news of the end

    def look_around(self):
        """An engine that has died may have done so between the end of a stack and telling of it: then all who wait look for themselves."""
        if self._neighbours.alone or not self._runtime.bells:
            return
        living = self._neighbours.living()
        if self._living - living:
            self._runtime.bells.ring_all()
        self._living = living

    def tell_end(self, stack):
        """The work on a stack has ended here: wake whoever waits for it, wherever that is."""
        runtime = self._runtime
        if stack.owner_id is None or runtime.bells.ring(stack.name) or runtime.running.has(stack.owner_id):
            return
        try:
            holder = stack_lock.elsewhere(runtime, stack.context, stack.owner_id)
            if holder is not None:
                runtime.listener.tell(stack.context, holder, stack.identifier().as_dict(), api.THREAD_ENDED)
        except Exception as error:  # whatever the database and the broker raise: those who wait look for themselves, now and then
            LOG.warning('The end of %s could not be told to the engine of the stack around it: %s', stack, error)


def _is_small(stack):
    """Whether nothing in it calls anybody: then it is done sooner than given away."""
    return all(resource.known(stack.class_of, definition).local for definition in stack.definitions.values())
