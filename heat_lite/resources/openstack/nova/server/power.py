"""The status of a server: actions and their end, suspend, resume, failure and deletion."""

import time

from heat_lite.clients import errors, finders
from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource

ACTIVE, SUSPENDED, ERROR = 'ACTIVE', 'SUSPENDED', 'ERROR'
RESIZE, VERIFY_RESIZE = 'RESIZE', 'VERIFY_RESIZE'
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


class NovaServer(CloudResource):
    """A resource that represents a server of Nova: its name, actions and statuses."""

    physical_resource_name_limit = 53

    def physical_resource_name(self):
        """Return the name of the server, within the operator's limit; None before its row
        exists.
        """
        if self.record is None:
            return None
        limit = self.stack.runtime.server_defaults.name_length
        return self.record.physical_name(
            self.stack.name, min(limit, self.physical_resource_name_limit)
        )

    def list_by_name(self, name):
        return super().list_by_name(finders.name_pattern(name))

    def act(self, action, **arguments):
        """A generator: request a server action and return the response."""
        path, body = f'{self.object_path()}/action', {action: arguments or None}
        return (yield from self.send('POST', path, body))

    def wait_for(self, wanted, passing, failure):
        """A generator: wait until the server has one of the ``wanted`` statuses and no task state.

        From the request on Nova shows a task state, so a server without one is not working on the
        action. Raises ResourceUnknownStatus with the text ``failure`` for ERROR, and for a status
        that is neither ``wanted`` nor ``passing`` while there is no task state.
        """
        begun = time.monotonic()
        for pause in self.poll_delays():
            shown = yield from self.poll_object(begun)
            status, busy = shown['status'], shown.get(TASK_STATE)
            if status in wanted and not busy:
                return
            if status == ERROR or status not in passing and not busy and status not in wanted:
                reason = fault(shown) if status == ERROR else UNKNOWN
                raise exception.ResourceUnknownStatus(
                    result=failure, resource_status=status, status_reason=reason
                )
            yield pause

    def handle_suspend(self):
        yield from self._switch('suspend', SUSPENDED)

    def handle_resume(self):
        yield from self._switch('resume', ACTIVE)

    def _switch(self, action, wanted):
        if self.resource_id is None:
            raise exception.Error(f'Cannot {action} {self.name}, resource_id not set')
        try:
            shown = yield from self.call_with_retry(self.fetch)
        except errors.NotFound:
            raise exception.NotFound(f'Failed to find server {self.resource_id}') from None
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

    def needs_replace_failed(self):
        """Return whether there is no server, or one that cannot become ACTIVE any more."""
        if self.resource_id is None:
            return True
        try:
            return self.fetch()['status'] in (ERROR, *DELETED)
        except errors.NotFound:
            return True


def fault(shown):
    """Return the text of the fault that Nova reports for a server."""
    reported = shown.get('fault') or {}
    return f'Message: {reported.get("message", UNKNOWN)}, Code: {reported.get("code", UNKNOWN)}'
