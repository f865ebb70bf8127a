"""The status of a server: actions and their end, suspend, resume, failure and deletion."""

import time

from heat_lite.clients import errors
from heat_lite.common import exception

ACTIVE, SUSPENDED, VERIFY_RESIZE, ERROR = 'ACTIVE', 'SUSPENDED', 'VERIFY_RESIZE', 'ERROR'
#: the reason of a failure that Nova does not explain
UNKNOWN = 'Unknown'
#: statuses in which a server waits for the next request
SETTLED = (ACTIVE, 'SHUTOFF')
#: statuses from which a server can become ACTIVE, by itself or by an action of its owner
TRANSIENT = frozenset(
    'BUILD HARD_REBOOT PASSWORD REBOOT RESCUE RESIZE REVERT_RESIZE SHUTOFF SUSPENDED '
    'VERIFY_RESIZE MIGRATING'.split()
)
DELETED = ('DELETED', 'SOFT_DELETED')
TASK_STATE = 'OS-EXT-STS:task_state'


class ServerPower:
    """Server actions and statuses of ``server``, an OS::Nova::Server or an AWS::EC2::Instance."""

    def __init__(self, server):
        self._server = server

    def act(self, action, **arguments):
        """A generator: request a server action and return the response."""
        server = self._server
        path, body = f'{server.object_path()}/action', {action: arguments or None}
        return (yield from server.send('POST', path, body))

    def wait_for(self, wanted, passing, failure):
        """A generator: wait until the server has one of the ``wanted`` statuses and no task state.

        From the request on Nova shows a task state, so a server without one is not working on the
        action. Raises ResourceUnknownStatus with the text ``failure`` for ERROR, and for a status
        that is neither ``wanted`` nor ``passing`` while there is no task state.
        """
        begun = time.monotonic()
        for pause in self._server.poll_delays():
            shown = yield from self._server.poll_object(begun)
            status, busy = shown['status'], shown.get(TASK_STATE)
            if status in wanted and not busy:
                return
            if status == ERROR or status not in passing and not busy and status not in wanted:
                reason = fault(shown) if status == ERROR else UNKNOWN
                raise exception.ResourceUnknownStatus(
                    result=failure, resource_status=status, status_reason=reason
                )
            yield pause

    def suspend(self):
        yield from self._switch('suspend', SUSPENDED)

    def resume(self):
        yield from self._switch('resume', ACTIVE)

    def _switch(self, action, wanted):
        server = self._server
        if server.resource_id is None:
            raise exception.Error(f'Cannot {action} {server.name}, resource_id not set')
        try:
            shown = yield from server.call_with_retry(server.fetch)
        except errors.NotFound:
            raise exception.NotFound(f'Failed to find server {server.resource_id}') from None
        if shown['status'] != wanted:
            yield from self.act(action)
            failure = f'{action.title()} of server {shown["name"]} failed'
            yield from self.wait_for((wanted,), (), failure)

    def is_ready(self, shown):
        """Return whether the server is ACTIVE. Raises for ERROR and for an unknown status."""
        status = shown.get('status')
        if status == ACTIVE:
            return True
        if status == ERROR:
            raise exception.ResourceInError(resource_status=status, status_reason=fault(shown))
        if status in TRANSIENT:
            return False
        raise exception.ResourceUnknownStatus(
            result='Server is not active', resource_status=status, status_reason=UNKNOWN
        )

    def is_deleted(self, shown):
        """Return whether Nova shows the server as deleted. Raises ResourceInError for ERROR."""
        if shown['status'] == ERROR and not shown.get(TASK_STATE):
            raise exception.ResourceInError(
                resource_status=ERROR,
                status_reason=f'Server {shown["name"]} delete failed: {fault(shown)}',
            )
        return shown['status'] in DELETED

    def has_failed(self):
        """Return whether there is no server, or one that cannot become ACTIVE any more."""
        if self._server.resource_id is None:
            return True
        try:
            return self._server.fetch()['status'] in (ERROR, *DELETED)
        except errors.NotFound:
            return True


def fault(shown):
    """Return the text of the fault that Nova reports for a server."""
    reported = shown.get('fault') or {}
    return f'Message: {reported.get("message", UNKNOWN)}, Code: {reported.get("code", UNKNOWN)}'
