"""OS::Nova::HostAggregate."""

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import list_, map_, string


class HostAggregate(CloudResource):
    """Hosts that have something in common."""

    resource_type = 'OS::Nova::HostAggregate'
    support_status = support.since('6.0.0')
    rest = Rest('nova', '/os-aggregates', 'aggregate')
    entity = 'aggregates'

    properties_schema = {
        'name': string('Its name.', required=True, update_allowed=True),
        'availability_zone': string('The availability zone that the hosts make up.', update_allowed=True),
        'hosts': list_('The hosts, by their names.', string(ref='nova.host'), update_allowed=True, sent=False),
        'metadata': map_('What they have in common, by names.', default={}, update_allowed=True, sent=False),
    }

    def after(self, action, diff):
        new = action == status.CREATE
        if 'hosts' in diff:
            yield from self._gather(set() if new else set(self.held('hosts') or ()), set(diff['hosts'] or ()))
        if 'metadata' in diff:
            gone = {} if new else dict.fromkeys(self.held('metadata') or ())
            yield from self._do('set_metadata', metadata={**gone, **(diff['metadata'] or {})})

    def handle_delete(self):
        """Only one without hosts can be deleted."""
        if self.resource_id is None:
            return
        try:
            hosts = self.look().get('hosts') or ()
        except errors.NotFound:
            return
        yield from self._gather(set(hosts), set())
        yield from super().handle_delete()

    def _gather(self, before, after):
        for host in sorted(before - after):
            yield from self.take_away(self._act, 'remove_host', host=host)
        for host in sorted(after - before):
            yield from self._do('add_host', host=host)

    def _do(self, verb, **args):
        yield from self.ask(self._act, verb, **args)

    def _act(self, verb, **args):
        self.client().ask('POST', f'{self.object_path()}/action', {verb: args})
