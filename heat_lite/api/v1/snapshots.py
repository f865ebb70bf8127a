"""Snapshots of a stack."""

import dataclasses

from webob import exc

from heat_lite.api import wsgi
from heat_lite.common.value_types import Value, Values
from heat_lite.rpc.client import EngineClient

LONGEST_NAME = 255


@dataclasses.dataclass
class SnapshotController:
    client: EngineClient

    def snapshot(self, request: wsgi.Request, identity: Values, body: Value = None) -> Values:
        """Start a snapshot; its data is complete when its status is COMPLETE."""
        name = (body or {}).get('name')
        if name is not None and not _is_name(name):
            raise exc.HTTPBadRequest(
                f'The name of a snapshot is a string of at most {LONGEST_NAME} characters, '
                'without NUL.'
            )
        return self.client.stack_snapshot(request.context, stack_identity=identity, name=name)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= LONGEST_NAME and '\0' not in name
