"""What the types of the container infrastructure service share: changes are patches."""

from heat_lite.resources import json_patch
from heat_lite.resources.cloud import CloudResource


class MagnumResource(CloudResource):
    """An object that is changed by a patch."""

    def change(self, values):
        yield from self.ask(self.client().ask, 'PATCH', self.object_path(), json_patch.steps(self.look(), values))
