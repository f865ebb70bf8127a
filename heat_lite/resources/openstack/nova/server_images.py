"""How a server keeps a copy of itself: as an image, for snapshots of its stack and for ``deletion_policy: Snapshot``."""

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
        if image:
            yield from self.take_away(self.client('glance').delete, f'/images/{image}')

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
