"""How a server keeps a copy of itself: as an image, for snapshots of its stack and for ``deletion_policy: Snapshot``."""

import contextlib
import json

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.cloud import ServiceResource, pauses

IMAGE_ID = 'snapshot_image_id'
FAILED = ('killed', 'deleted', 'pending_delete')


class Imaged(ServiceResource):
    """What is mixed into the type of servers."""

    def handle_snapshot(self):
        image = yield from self._copied()
        self.data_set(IMAGE_ID, image)

    def handle_snapshot_delete(self, state):
        """What was never made well is not worth keeping, and what is gone cannot be."""
        if self.resource_id is not None and tuple(state) != (status.CREATE, status.FAILED):
            try:
                yield from self._copied()
            except errors.NotFound:
                pass
        yield from self.handle_delete()

    def handle_delete_snapshot(self, data):
        image = (data.get('resource_data') or {}).get(IMAGE_ID)
        if not image:
            return
        snapshots = yield from self._snapshots_of(image)
        yield from self.take_away(self.client('glance').delete, f'/images/{image}')
        for each in snapshots:
            yield from self.take_away(self.client('cinder').delete, f'/snapshots/{each}')
        for each in snapshots:
            yield from self._until_gone(each)

    def _snapshots_of(self, image):
        """A generator: the image of a server on volumes is but a list of snapshots of these, which nobody else takes away; and as long as
        they are there, the volumes cannot be deleted."""
        try:
            found = yield from self.ask(self.client('glance').show, f'/images/{image}')
        except errors.NotFound:
            return []
        disks = json.loads(found.get('block_device_mapping') or '[]')
        return [each['snapshot_id'] for each in disks if each.get('snapshot_id')]

    def _until_gone(self, snapshot):
        with contextlib.suppress(errors.NotFound):
            for pause in pauses():
                found = yield from self.ask(self.client('cinder').show, f'/snapshots/{snapshot}', 'snapshot')
                if found['status'] == 'error_deleting':
                    raise exception.ResourceInError(resource_status=found['status'], status_reason=f'snapshot {snapshot} of a volume')
                yield pause

    def handle_restore(self, definition, data):
        return definition.freeze(properties={**(definition.properties or {}), 'image': data['resource_data'][IMAGE_ID]})

    def _copied(self):
        """A generator: makes the image and waits until it can be used. Gives its id."""
        body = {'createImage': {'name': self.physical_resource_name()}}
        made = yield from self.ask(self.client().ask, 'POST', f'{self.object_path()}/action', body)
        for pause in pauses():
            found = yield from self.ask(self.client('glance').show, f'/images/{made["image_id"]}')
            if found['status'] == 'active':
                return made['image_id']
            if found['status'] in FAILED:
                raise exception.Error(f'Failed to create snapshot image: it is {found["status"]}')
            yield pause
