"""HeatLite::Container::Volume."""

import functools
import secrets

from heat_lite.clients import errors
from heat_lite.common import container_labels, exception
from heat_lite.resources.containers import archives, container_body
from heat_lite.resources.containers.engine_object import (
    ENDPOINT_PROPERTY,
    LABELS_PROPERTY,
    EngineObject,
    ThreadedCall,
)
from heat_lite.template.schema import OURS, map_, map_attribute, name_property, string, text

#: the key of data with the volume that a snapshot has copied the files to
SNAPSHOT = 'snapshot_volume'
#: the label of the copy in a snapshot: the volume that it is of
SNAPSHOT_OF = 'heat_lite.snapshot_of'
FILLED = 'filled'


class Volume(EngineObject):
    """A volume, which outlives the containers that use it.

    A snapshot of the stack copies its files into another volume of the same engine; a restore
    creates a new volume with these files.
    """

    resource_type = 'HeatLite::Container::Volume'
    since = OURS
    entity = 'volumes'
    noun = 'volume'
    shown_at = {'driver': 'Driver', 'driver_options': 'Options'}
    snapshot_keys = (SNAPSHOT,)

    properties_schema = {
        'name': name_property(update_allowed=False),
        'docker_endpoint': ENDPOINT_PROPERTY,
        'driver': string('Driver of the volume.', default='local'),
        'driver_options': map_('Options of the driver.', default={}),
        'copy_of': string(
            'Volume whose files are copied into the new volume.', update_allowed=True
        ),
        'files': map_('Files of the new volume: paths in the volume and their texts.', default={}),
        'labels': LABELS_PROPERTY,
    }
    attributes_schema = {
        'name': 'Name of the volume.',
        'driver': 'Driver of the volume.',
        'created_at': text('Time of the creation of the volume.', wire='CreatedAt'),
        'labels': map_attribute('Labels of the volume.'),
    }

    def host_uses(self):
        if {'device', 'o', 'type'} & set(self.properties['driver_options'] or ()):
            yield 'host_paths', 'driver_options name a file system of the host'

    def handle_create(self):
        if self.resource_id is None:
            self.require_rights()
            made = yield from self.create_once(
                'create_volume',
                self.object_name(),
                driver=self.properties['driver'],
                driver_opts=container_body.map_of_texts(self.properties['driver_options']) or None,
                labels=self.labels(),
            )
            self.resource_id_set(made)
        if FILLED not in self.data():
            yield from self._fill()
            self.data_set(FILLED, '1')

    def id_of(self, made):
        """Return the name of the volume. Raises Conflict for a volume that existed before."""
        if not self.is_own(made.get('Labels')):
            raise errors.Conflict(f'there is a volume "{made["Name"]}" already')
        return made['Name']

    def _fill(self):
        source = self.properties['copy_of']
        if source:
            yield from self._copy(source, self.resource_id)
            shown = yield from self.request('inspect_volume', source)
            if SNAPSHOT_OF in (shown.get('Labels') or {}):
                return  # a restore: the copy has the files as they were changed since
        texts = container_body.map_of_texts(self.properties['files'])
        files = {path: {'content': each} for path, each in texts.items()}
        if files:
            yield from self._with_helper(archives.fill_volume, self.resource_id, files)

    def _copy(self, source, target):
        yield from self._with_helper(archives.copy_volume, source, target)

    def _with_helper(self, work, *args):
        """Generator: let ``work`` use a helper container, in a thread of its own."""
        name = container_labels.copy_name(self.physical_resource_name())
        labels = container_labels.label_copy(self.labels())
        call = functools.partial(work, self.container_engine().call, *args, name, labels)
        yield from ThreadedCall(call).wait()

    def find_existing(self):
        listed = self.container_engine().call('volumes', filters=self.own_filter())
        return self.own_id(listed.get('Volumes') or (), 'Name')

    def resolve_attribute(self, name):
        found = self.show()
        return found and found.get(self.attributes_schema[name].wire or name.capitalize())

    # ------------------------------------------------------------ snapshots

    def handle_snapshot(self):
        self.require_object()
        target = self.data().get(SNAPSHOT)
        if target is None:
            # random, because engines return a volume that exists instead of an error
            suffix = f'{self.stack.utcnow():%Y%m%d%H%M%S}-{secrets.token_hex(3)}'
            target = f'{self.physical_resource_name()}-{suffix}'
            labels = container_labels.label_copy(self.labels()) | {SNAPSHOT_OF: self.resource_id}
            yield from self.request('create_volume', target, labels=labels)
            self.data_set(SNAPSHOT, target)
        yield from self._copy(self.resource_id, target)

    def handle_delete_snapshot(self, data):
        volume = (data.get('resource_data') or {}).get(SNAPSHOT)
        if volume:
            yield from self.request_if_present('remove_volume', volume)

    def handle_restore(self, definition, data):
        volume = (data.get('resource_data') or {}).get(SNAPSHOT)
        if volume is None:
            raise exception.Invalid(reason=f'the snapshot has no copy of the volume {self.name}')
        given = {**(definition.properties or {}), 'copy_of': volume}
        return definition.freeze(properties=given)

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        """Return whether there are other files to start with. To name none leaves them as they are.

        After a restore, the template of an update no longer names the copy of the snapshot.
        """
        return 'copy_of' in changed and bool(after_properties['copy_of'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        return
        yield  # makes this handler a generator
