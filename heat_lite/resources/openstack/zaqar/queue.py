"""OS::Zaqar::Queue."""

from urllib.parse import quote

from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.template.schema import CACHE_NONE, any_attribute, map_, name_property

PATCH = {'Content-Type': 'application/openstack-messaging-v2.0-json-patch'}
#: the prefix of metadata that Zaqar itself sets
OWN = '_'


class Queue(ServiceResource):
    """A message queue."""

    resource_type = 'OS::Zaqar::Queue'
    heat_class = 'ZaqarQueue'
    since = '2014.2'
    default_client_name = 'zaqar'
    physical_resource_name_limit = 64
    # creating a queue that exists changes nothing
    repeatable = True

    properties_schema = {
        'name': name_property(update_allowed=False, max=64),
        'metadata': map_('Metadata of the queue.', update_allowed=True),
    }
    attributes_schema = {
        'href': any_attribute('URL of the queue.'),
        'queue_id': any_attribute(
            'Id of the queue.',
            cache_mode=CACHE_NONE,
            history='hidden 6.0.0, deprecated 2015.1, supported 2014.1',
        ),
    }

    def handle_create(self):
        name = self.properties['name'] or self.physical_resource_name()
        yield from self.call_with_retry(
            self.client().create_queue, name, self.properties['metadata']
        )
        self.resource_id_set(name)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'metadata' not in prop_diff:
            return
        wanted, present = prop_diff['metadata'] or {}, self.client().show(self._path())
        removed = [
            {'op': 'remove', 'path': f'/metadata/{key}'}
            for key in present
            if key not in wanted and not key.startswith(OWN)
        ]
        new = [
            {
                'op': 'replace' if key in present else 'add',
                'path': f'/metadata/{key}',
                'value': value,
            }
            for key, value in wanted.items()
        ]
        if removed or new:
            yield from self.call_with_retry(
                self.client().request, 'PATCH', self._path(), [*removed, *new], headers=PATCH
            )

    def handle_check(self):
        self.require_object()
        self.client().show(self._path())

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.delete_if_present(self.client().delete_queue, self.resource_id)

    def _path(self):
        return f'/queues/{quote(self.resource_id)}'

    def show(self):
        return None if self.resource_id is None else self.client().show(self._path())

    def resolve_attribute(self, name):
        return (
            self.resource_id
            if name == 'queue_id'
            else f'{self.client().url.rstrip("/")}{self._path()}'
        )
