"""Images of a server: snapshots of its stack and ``deletion_policy: Snapshot``."""

import contextlib
import json

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.base.service_retry import retry_delays

#: key in the data of a resource: the image of the last snapshot
IMAGE_ID = 'snapshot_image_id'
FAILED = ('killed', 'deleted', 'pending_delete')


class ServerImages:
    """The images of ``server``, an OS::Nova::Server."""

    def __init__(self, server):
        self._server = server

    def create(self, on_created=None):
        """A generator: create an image of the server and wait until it is active.

        ``on_created`` is called with its id before the wait.
        """
        server = self._server
        created = yield from server.act('createImage', name=server.physical_resource_name())
        if on_created is not None:
            on_created(created['image_id'])
        yield from self.wait_until_active(created['image_id'])

    def wait_until_active(self, image):
        """A generator: wait for an image. Raises NotFound, or Error if it has failed."""
        server = self._server
        for pause in retry_delays():
            shown = yield from server.call_with_retry(
                server.client('glance').show, f'/images/{image}'
            )
            if shown['status'] == 'active':
                return
            if shown['status'] in FAILED:
                raise exception.Error(
                    f'Failed to create snapshot image {image}: its status is {shown["status"]}'
                )
            yield pause

    def create_before_delete(self, state):
        """A generator: create an image of a server unless its create has failed.

        ``state`` is the action and the status of the resource before the delete.
        """
        failed = tuple(state) == (status.CREATE, status.FAILED)
        if self._server.resource_id is not None and not failed:
            with contextlib.suppress(errors.NotFound):
                yield from self.create()

    def delete(self, image):
        """A generator: delete an image and the volume snapshots that it refers to."""
        server = self._server
        snapshots = yield from self._volume_snapshots(image)
        yield from server.delete_if_present(server.client('glance').delete, f'/images/{image}')
        cinder = server.client('cinder') if snapshots else None
        for snapshot in snapshots:
            yield from server.delete_if_present(cinder.delete, f'/snapshots/{snapshot}')
        for snapshot in snapshots:
            yield from self._wait_until_deleted(snapshot)

    def _volume_snapshots(self, image):
        """A generator: return the ids of the volume snapshots that an image refers to.

        The image of a server that boots from a volume is only a list of volume snapshots. Glance
        does not delete these with the image, and Cinder refuses to delete a volume with snapshots.
        """
        server = self._server
        try:
            shown = yield from server.call_with_retry(
                server.client('glance').show, f'/images/{image}'
            )
        except errors.NotFound:
            return []
        disks = json.loads(shown.get('block_device_mapping') or '[]')
        return [disk['snapshot_id'] for disk in disks if disk.get('snapshot_id')]

    def _wait_until_deleted(self, snapshot):
        server = self._server
        with contextlib.suppress(errors.NotFound):
            for pause in retry_delays():
                shown = yield from server.call_with_retry(
                    server.client('cinder').show, f'/snapshots/{snapshot}', 'snapshot'
                )
                if shown['status'] == 'error_deleting':
                    raise exception.ResourceInError(
                        resource_status=shown['status'],
                        status_reason=f'snapshot {snapshot} of a volume',
                    )
                yield pause
