"""OS::Nova::HostAggregate."""

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import list_, map_, string

ZONE = 'availability_zone'


class HostAggregate(CloudResource):
    """A host aggregate: a group of hosts with common metadata."""

    resource_type = 'OS::Nova::HostAggregate'
    since = '6.0.0'
    rest = Rest('nova', '/os-aggregates', 'aggregate')
    entity = 'aggregates'
    observed_keys = {'hosts': 'hosts', 'metadata': 'metadata'}

    properties_schema = {
        'name': string('Name of the host aggregate.', required=True, update_allowed=True),
        ZONE: string('Availability zone of the hosts.', update_allowed=True),
        'hosts': list_(
            'Names of the hosts.', string(ref='nova.host'), update_allowed=True, sent=False
        ),
        'metadata': map_(
            'Metadata of the hosts, for the scheduler.', default={}, update_allowed=True, sent=False
        ),
    }

    def normalize(self, found):
        """Return the aggregate without its zone in the metadata, where Nova keeps it, too."""
        given = (self.stored_properties() or {}).get('metadata') or {}
        metadata = found.get('metadata') or {}
        shown = {key: metadata[key] for key in metadata if key != ZONE or key in given}
        return {**found, 'metadata': shown}

    def follow_up(self, action, diff):
        new = action == status.CREATE
        if 'hosts' in diff:
            yield from self._update_hosts(
                set() if new else set(self.stored_property('hosts') or ()), set(diff['hosts'] or ())
            )
        if 'metadata' in diff:
            removed = {} if new else dict.fromkeys(self.stored_property('metadata') or ())
            removed.pop(ZONE, None)  # its own property sets the zone
            yield from self._request_action(
                'set_metadata', metadata={**removed, **(diff['metadata'] or {})}
            )

    def delete_object(self):
        """Remove the hosts first: Nova refuses to delete an aggregate with hosts."""
        try:
            hosts = self.fetch().get('hosts') or ()
        except errors.NotFound:
            return
        yield from self._update_hosts(set(hosts), set())
        yield from super().delete_object()

    def _update_hosts(self, before, after):
        for host in sorted(before - after):
            yield from self.delete_if_present(self._act, 'remove_host', host=host)
        for host in sorted(after - before):
            yield from self._request_action('add_host', host=host)

    def _request_action(self, action, **args):
        yield from self.call_with_retry(self._act, action, **args)

    def _act(self, action, **args):
        self.client().request_json('POST', f'{self.object_path()}/action', {action: args})
