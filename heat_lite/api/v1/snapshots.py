"""Snapshots of a stack."""

from typing import Any

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params
from heat_lite.rpc.client import EngineClient

LONGEST_NAME = 255


class SnapshotController:
    def __init__(self, client: EngineClient) -> None:
        self.client = client

    def snapshot(self, request: wsgi.Request, body: Any = None, **path: str) -> Any:
        """Start a snapshot; its data is complete when its status is COMPLETE."""
        name = (body or {}).get('name')
        if name is not None and not _is_name(name):
            raise exc.HTTPBadRequest(
                f'The name of a snapshot is a string of at most {LONGEST_NAME} characters, '
                'without NUL.'
            )
        return self.client.stack_snapshot(
            request.context, stack_identity=params.identity_of(**path), name=name
        )


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and len(name) <= LONGEST_NAME and '\0' not in name
