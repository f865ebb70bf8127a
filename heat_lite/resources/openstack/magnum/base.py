"""The base of the Magnum types: updates are JSON patches."""

from heat_lite.resources.base import json_patch
from heat_lite.resources.base.cloud import CloudResource


class MagnumResource(CloudResource):
    """An object that is updated by a JSON patch."""

    def update_object(self, values):
        yield from self.send(
            'PATCH', self.object_path(), json_patch.operations(self.fetch(), values)
        )
