"""Snapshots of a stack."""

from typing import Any

import webob
from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, views
from heat_lite.rpc.client import EngineClient

LONGEST_NAME = 255


class SnapshotController:
    """Actions on snapshots; their policy rules are among those of stacks."""

    scope = 'stacks'

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

    def list_snapshots(self, request: wsgi.Request, **path: str) -> dict[str, Any]:
        rows = self.client.stack_list_snapshots(
            request.context, stack_identity=params.identity_of(**path)
        )
        return {'snapshots': [views.pick(row, views.SNAPSHOT) for row in rows]}

    def show_snapshot(self, request: wsgi.Request, snapshot_id: str, **path: str) -> dict[str, Any]:
        row = self.client.show_snapshot(
            request.context, stack_identity=params.identity_of(**path), snapshot_id=snapshot_id
        )
        return {'snapshot': views.pick(row, views.SNAPSHOT)}

    def delete_snapshot(
        self, request: wsgi.Request, snapshot_id: str, **path: str
    ) -> webob.Response:
        self.client.delete_snapshot(
            request.context, stack_identity=params.identity_of(**path), snapshot_id=snapshot_id
        )
        return wsgi.no_content()

    def restore_snapshot(
        self, request: wsgi.Request, snapshot_id: str, body: Any = None, **path: str
    ) -> webob.Response:
        """Start to restore the stack to a snapshot."""
        self.client.stack_restore(
            request.context, stack_identity=params.identity_of(**path), snapshot_id=snapshot_id
        )
        return exc.HTTPAccepted()


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and len(name) <= LONGEST_NAME and '\0' not in name
