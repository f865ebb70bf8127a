"""OS::Cinder::VolumeAttachment, and the attachment of volumes to servers through Nova."""

import itertools
import time

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.common.value_types import without_none
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.service_retry import RETRY_SECONDS, retry_delays
from heat_lite.template import function
from heat_lite.template.schema import OURS, boolean, reference, string

#: longest delay between two polls in seconds: attaching takes seconds only
LONGEST_DELAY = 2.0
ENDS_WITH_SERVER = 'delete_on_termination'
FAILED = ('error', 'error_attaching', 'error_detaching')


def attach(resource, server, volume, device=None, **options):
    """A generator: attach a volume, wait for it and return the id of the attachment."""
    values = {'volumeId': volume, **({'device': device} if device else {}), **options}
    path = f'/servers/{server}/os-volume_attachments'
    try:
        yield from _when_idle(
            resource.call_with_retry,
            resource.client('nova').create,
            path,
            'volumeAttachment',
            values,
        )
    except errors.ServiceError as error:
        error.made_nothing = error.is_refusal
        raise exception.Error(
            f'Failed to attach volume {volume} to server {server} - {error}'
        ) from error
    yield from wait_until_attached(resource, volume)
    return volume  # Nova addresses the attachments of a server by volume id


def wait_until_attached(resource, volume):
    """A generator: wait until a volume that is being attached is in use."""
    for pause in retry_delays(LONGEST_DELAY):
        shown = yield from _show_volume(resource, volume)
        if shown['status'] == 'in-use':
            return
        yield pause


def find(resource, server, volume):
    """Return the id of the attachment of a volume to a server, which may still be in progress;
    None without one.
    """
    path = f'/servers/{server}/os-volume_attachments'
    try:
        listed = resource.client('nova').list(path, 'volumeAttachments')
    except errors.NotFound:
        return None
    return volume if any(each['volumeId'] == volume for each in listed) else None


def detach(resource, server, volume):
    """A generator: detach a volume and wait for it.

    Nothing is done if the server or the volume does not exist.
    """
    path = f'/servers/{server}/os-volume_attachments/{volume}'
    yield from _when_idle(resource.delete_if_present, resource.client('nova').delete, path)
    try:
        for pause in retry_delays(LONGEST_DELAY):
            shown = yield from _show_volume(resource, volume)
            if all(each.get('server_id') != server for each in shown.get('attachments') or ()):
                return
            yield pause
    except errors.NotFound:
        return


def _when_idle(call, *request):
    """A generator: retry while Nova refuses because the server is being rebuilt or resized."""
    deadline = time.monotonic() + RETRY_SECONDS
    for pause in retry_delays(LONGEST_DELAY):
        try:
            return (yield from call(*request))
        except errors.Conflict:
            if time.monotonic() > deadline:
                raise
        yield pause


def _show_volume(resource, volume):
    shown = yield from resource.call_with_retry(
        resource.client('cinder').show, f'/volumes/{volume}', 'volume'
    )
    if shown['status'] in FAILED:
        raise exception.ResourceInError(
            resource_status=shown['status'], status_reason=f'volume {volume}'
        )
    return shown


class Attachment(ServiceResource):
    """The attachment of a volume to a server. ``names`` are the properties with server, volume and
    device.
    """

    names: tuple[str, str, str]
    default_client_name = 'cinder'

    def find_existing(self):
        """Return the id of the attachment that an interrupted create has made, or None."""
        return find(self, *self.stored_ends())

    def stored_ends(self):
        """Return the server and the volume by the stored properties."""
        return [self.stored_property(name) for name in self.names[:2]]

    def handle_create(self):
        if self.resource_id is None:
            yield from self.attach()
        else:
            yield from wait_until_attached(self, self.properties[self.names[1]])

    def attach(self):
        """A generator: attach the volume."""
        given = (self.properties[name] for name in self.names)
        self.resource_id_set((yield from attach(self, *given, **self.options())))

    def options(self):
        """Return further values of the request."""
        return {}

    def handle_check(self):
        if self.definition.external_id is not None:
            return  # its template need not tell what it connects
        yield from self.call_with_retry(self.get_live_state, None)

    def get_live_state(self, resource_properties):
        server, volume = self.stored_ends()
        found = self.client().show(f'/volumes/{volume}', 'volume')
        if all(each['server_id'] != server for each in found['attachments']):
            raise errors.NotFound(f'Volume {volume} is not attached to server {server} any more')
        return self.stored_properties()

    def delete_object(self):
        yield from detach(self, *self.stored_ends())


class CinderVolumeAttachment(Attachment):
    """The attachment of a volume to a server."""

    resource_type = 'OS::Cinder::VolumeAttachment'
    names = ('instance_uuid', 'volume_id', 'mountpoint')

    properties_schema = {
        'instance_uuid': string(
            'Server to which the volume is attached, by id.', required=True, update_allowed=True
        ),
        'volume_id': reference(
            'cinder.volume', 'Volume to attach.', required=True, update_allowed=True
        ),
        'mountpoint': string(
            'Device name on the server. Many hypervisors ignore it.', update_allowed=True
        ),
        ENDS_WITH_SERVER: boolean(
            'Whether the volume is deleted with the server.', update_allowed=True, since=OURS
        ),
        'tag': string(
            'Tag of the volume, shown in the metadata of the server.',
            update_allowed=True,
            max=60,
            since=OURS,
        ),
    }

    def options(self):
        given = {name: self.properties[name] for name in (ENDS_WITH_SERVER, 'tag')}
        return without_none(given)

    def objects(self):
        """Return the attachments, without those of disks from which servers boot."""
        return {
            volume['id']: {**volume, **dict(zip(self.names, ends, strict=True))}
            for volume in self.client().list('/volumes/detail', 'volumes')
            for each in volume['attachments']
            if (ends := (each['server_id'], volume['id'], each.get('device')))
            and not (volume.get('bootable') == 'true' and str(ends[2]).endswith('da'))
        }

    def described(self, found):
        return {name: found[name] for name in self.names if found[name]}

    def restore_order(self):
        """Return the server and the volume: while the volume is detached, restored and attached
        again, the server cannot be rebuilt.
        """
        given = self.definition.properties or {}
        return itertools.product(
            *(function.dependencies(given.get(name)) for name in self.names[:2])
        )

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Detach the volume, and attach it to the new server or as the new device."""
        if prop_diff.keys() == {ENDS_WITH_SERVER}:
            server, volume = self.stored_ends()
            value = {'volumeId': volume, ENDS_WITH_SERVER: bool(prop_diff[ENDS_WITH_SERVER])}
            path, key = f'/servers/{server}/os-volume_attachments/{volume}', 'volumeAttachment'
            yield from self.call_with_retry(self.client('nova').update, path, key, value)
            return
        yield from detach(self, *self.stored_ends())
        yield from self.attach()
