"""Snapshots of a stack."""

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, views


class SnapshotController:
    """Its rules are among those of stacks."""

    scope = 'stacks'

    def __init__(self, client):
        self.client = client

    def snapshot(self, request, body=None, **where):
        """Begin a snapshot; what it holds shows later."""
        name = (body or {}).get('name')
        if name is not None and (not isinstance(name, str) or '\0' in name):
            raise exc.HTTPBadRequest('The name of a snapshot is a string without NUL characters.')
        return self.client.stack_snapshot(request.context, stack_identity=params.identity_of(**where), name=name)

    def list_snapshots(self, request, **where):
        rows = self.client.stack_list_snapshots(request.context, stack_identity=params.identity_of(**where))
        return {'snapshots': [views.pick(row, views.SNAPSHOT) for row in rows]}

    def show_snapshot(self, request, snapshot_id, **where):
        row = self.client.show_snapshot(request.context, stack_identity=params.identity_of(**where), snapshot_id=snapshot_id)
        return {'snapshot': views.pick(row, views.SNAPSHOT)}

    def delete_snapshot(self, request, snapshot_id, **where):
        self.client.delete_snapshot(request.context, stack_identity=params.identity_of(**where), snapshot_id=snapshot_id)
        return wsgi.no_content()

    def restore_snapshot(self, request, snapshot_id, body=None, **where):
        """Make the stack what it was."""
        self.client.stack_restore(request.context, stack_identity=params.identity_of(**where), snapshot_id=snapshot_id)
        return exc.HTTPAccepted()
