"""How a server comes up, sleeps, wakes and goes, whatever its type calls it."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceObject
from heat_lite.resources.openstack.nova.server_changes import ACTIVE, ERROR, SUSPENDED, UNKNOWN, fault

#: states that pass, or that somebody has brought about who will end them
PASSING = frozenset('BUILD HARD_REBOOT PASSWORD REBOOT RESCUE RESIZE REVERT_RESIZE SHUTOFF SUSPENDED VERIFY_RESIZE MIGRATING'.split())
GONE = ('DELETED', 'SOFT_DELETED')


class Alive(ServiceObject):
    """What is mixed into types of servers."""

    def physical_resource_name(self):
        limit = min(self.stack.runtime.guests.name_length, self.physical_resource_name_limit)
        return None if self.record is None else self.record.physical_name(self.stack.name, limit)

    def own_hints(self):
        """What the scheduler may want to know of the stack, where the operator wants that."""
        if not self.stack.runtime.guests.hints:
            return {}
        above, way = self.stack, []
        while above is not None:
            way.insert(0, f'{above.parent_resource_name or ""},{above.name}')
            above = above.tree.parent
        return {
            'heat_root_stack_id': self.stack.root_id(),
            'heat_stack_id': self.stack.id,
            'heat_stack_name': self.stack.name,
            'heat_path_in_stack': way,
            'heat_resource_name': self.name,
            'heat_resource_uuid': self.record.uuid,
        }

    def needs_replace_failed(self):
        if self.resource_id is None:
            return True
        try:
            return self.look()['status'] in (ERROR, *GONE)
        except errors.NotFound:
            return True

    def _is_ready(self, found):
        state = found.get('status')
        if state == ACTIVE:
            return True
        if state == ERROR:
            raise exception.ResourceInError(resource_status=state, status_reason=fault(found))
        if state in PASSING:
            return False
        raise exception.ResourceUnknownStatus(result='Server is not active', resource_status=state, status_reason=UNKNOWN)

    def _is_gone(self, found):
        if found['status'] == ERROR and not found.get('OS-EXT-STS:task_state'):
            raise exception.ResourceInError(resource_status=ERROR, status_reason=f'Server {found["name"]} delete failed: {fault(found)}')
        return found['status'] in GONE

    def handle_suspend(self):
        yield from self._sleep_or_wake('suspend', SUSPENDED)

    def handle_resume(self):
        yield from self._sleep_or_wake('resume', ACTIVE)

    def _sleep_or_wake(self, verb, wanted):
        if self.resource_id is None:
            raise exception.Error(f'Cannot {verb} {self.name}, resource_id not set')
        try:
            found = yield from self.ask(self.look)
        except errors.NotFound:
            raise exception.NotFound(f'Failed to find server {self.resource_id}') from None
        if found['status'] != wanted:
            yield from self.act(verb, nothing=True)
            yield from self.until((wanted,), (), f'{verb.title()} of server {found["name"]} failed')
