"""Changes of a server in place: metadata, tags, name, flavor, image, password and networks."""

import time

from heat_lite.clients import errors
from heat_lite.resources.base.service_retry import UNAVAILABLE_SECONDS, retry_delays
from heat_lite.resources.openstack.cinder.volume_attachment import LONGEST_DELAY
from heat_lite.resources.openstack.nova.server import schema
from heat_lite.resources.openstack.nova.server.attributes import metadata_texts
from heat_lite.resources.openstack.nova.server.power import ACTIVE, RESIZE, SETTLED, VERIFY_RESIZE
from heat_lite.resources.openstack.nova.server.request import SHOWN, ServerRequest, encode

#: the property with security groups, and the group of a server without one
GROUPS, DEFAULT = 'security_groups', 'default'
#: how Nova's refusal begins if the status of an attached volume is not "in-use"
BUSY_VOLUME = 'Invalid volume'
#: Nova's refusal of a second confirmation, while the server still is in VERIFY_RESIZE
NOT_RESIZED = 'Instance has not been resized'


class ServerUpdates:
    """The changes of ``server``. AWS::EC2::Instance uses ``put`` and ``resize`` only."""

    def __init__(self, server):
        self._server = server

    def apply(self, diff):
        """A generator: apply the changed properties, except ``networks`` and the transport."""
        if 'metadata' in diff:
            yield from self.put('metadata', metadata_texts(diff['metadata'] or {}))
        if 'tags' in diff:
            yield from self.put('tags', diff['tags'] or [])
        names = {'name': 'name', **SHOWN}
        shown = {key: diff[name] for name, key in names.items() if diff.get(name) is not None}
        if diff.get('description', '') is None:
            shown['description'] = None
        if shown:
            yield from self._server.update_object(shown)
        if GROUPS in diff:
            yield from self._change_groups(diff[GROUPS])
        if 'flavor' in diff:
            yield from self.resize(diff['flavor'])
        if 'image' in diff or 'user_data' in diff and self._rebuilds_for_user_data():
            yield from self._rebuild()
        if diff.get('admin_pass'):
            yield from self._server.act('changePassword', adminPass=diff['admin_pass'])
            yield from self._server.wait_for(
                (ACTIVE,), ('PASSWORD',), 'Changing the password failed'
            )

    def _change_groups(self, groups):
        """A generator: add and remove security groups of the ports of the server."""
        server = self._server
        wanted, had = groups or [DEFAULT], server.stored_property(GROUPS) or [DEFAULT]
        for each in wanted:
            if each not in had:
                yield from server.act('addSecurityGroup', name=each)
        path, request = f'{server.object_path()}/action', server.client().request_json
        for each in had:
            if each not in wanted:
                body = {'removeSecurityGroup': {'name': each}}
                yield from server.delete_if_present(request, 'POST', path, body)

    def put(self, key, value):
        """A generator: replace the metadata or the tags of the server."""
        server = self._server
        path = f'{server.object_path()}/{key}'
        yield from server.send('PUT', path, {key: value})

    def resize(self, flavor):
        """A generator: resize the server and confirm the resize.

        An earlier attempt may have left the server on its way to VERIFY_RESIZE, there, or on its
        way from there: then only confirm what is not confirmed yet.
        """
        server, failure = self._server, f'Resizing to "{flavor}" failed'
        shown = yield from server.call_with_retry(server.fetch)
        if shown['status'] == RESIZE:
            # Nova shows the new flavor before the resize has ended
            yield from server.wait_for((VERIFY_RESIZE, *SETTLED), (RESIZE,), failure)
            shown = yield from server.call_with_retry(server.fetch)
        if shown['status'] != VERIFY_RESIZE:
            if flavor_id(server, shown) == flavor:
                return
            yield from server.act('resize', flavorRef=flavor)
            yield from server.wait_for((VERIFY_RESIZE,), (RESIZE,), failure)
        try:
            yield from server.act('confirmResize')
        except errors.BadRequest as error:
            if NOT_RESIZED not in error.service_message:
                raise
        yield from server.wait_for(SETTLED, (VERIFY_RESIZE, RESIZE), failure)

    def _rebuild(self):
        values = self._server.properties
        arguments = {'imageRef': values['image']}
        if values['image_update_policy'] == schema.PRESERVE:
            arguments['preserve_ephemeral'] = True
        if values['admin_pass']:
            arguments['adminPass'] = values['admin_pass']
        if self._rebuilds_for_user_data():
            text = ServerRequest(self._server).user_data(self._server.metadata_get())
            arguments['user_data'] = encode(text)
        yield from self._request_rebuild(arguments)
        yield from self._server.wait_for(SETTLED, ('REBUILD',), 'Rebuilding server failed')

    def _request_rebuild(self, arguments):
        """A generator: request the rebuild while no volume of the server is being attached or
        detached, as the restore of a volume does at the same time: Nova refuses it, or the rebuild
        fails.
        """
        deadline = time.monotonic() + UNAVAILABLE_SECONDS
        for pause in retry_delays(LONGEST_DELAY):
            is_late = time.monotonic() > deadline
            if is_late or (yield from self._are_volumes_in_use()):
                try:
                    yield from self._server.act('rebuild', **arguments)
                    return
                except errors.BadRequest as error:
                    if is_late or BUSY_VOLUME not in error.service_message:
                        raise
            yield pause

    def _are_volumes_in_use(self):
        """A generator: return whether each volume that Nova shows at the server is in use."""
        server = self._server
        path = f'{server.object_path()}/os-volume_attachments'
        attached = yield from server.call_with_retry(
            server.client().list, path, 'volumeAttachments'
        )
        for each in attached:
            try:
                volume = yield from server.call_with_retry(
                    server.client('cinder').show, f'/volumes/{each["volumeId"]}', 'volume'
                )
            except errors.NotFound:
                continue
            if volume['status'] != 'in-use':
                return volume['status'].startswith('error')
        return True

    def _rebuilds_for_user_data(self):
        return self._server.properties['user_data_update_policy'] == schema.REBUILD


def flavor_id(server, shown):
    """Return the id of the flavor of a server; None if the flavor has been deleted.

    Nova shows only the name that the flavor had when the server was created (microversion 2.47).
    """
    try:
        return server.stack.clients().find('nova.flavor', shown['flavor'].get('original_name'))
    except errors.NoSuchObject:
        return None
