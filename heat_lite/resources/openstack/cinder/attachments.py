"""Plugging volumes into servers, and unplugging them: the compute service does it, the volume service tells when it is done."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import pauses

FAILED = ('error', 'error_attaching', 'error_detaching')


def attach(resource, server, volume, device=None):
    """A generator: plugs a volume in and waits until it is. Gives the id of the attachment."""
    values = {'volumeId': volume, **({'device': device} if device else {})}
    yield from resource.ask(resource.client('nova').create, f'/servers/{server}/os-volume_attachments', 'volumeAttachment', values)
    for pause in pauses():
        found = yield from _look(resource, volume)
        if found['status'] == 'in-use':
            return volume  # within a server a volume is told from others by its own id
        yield pause


def detach(resource, server, volume):
    """A generator: unplugs a volume and waits until the server has let it go. Where one of the two is gone, there is nothing to do."""
    path = f'/servers/{server}/os-volume_attachments/{volume}'
    yield from resource.take_away(resource.client('nova').delete, path)
    try:
        for pause in pauses():
            found = yield from _look(resource, volume)
            if all(each.get('server_id') != server for each in found.get('attachments') or ()):
                return
            yield pause
    except errors.NotFound:
        return


def _look(resource, volume):
    found = yield from resource.ask(resource.client('cinder').show, f'/volumes/{volume}', 'volume')
    if found['status'] in FAILED:
        raise exception.ResourceInError(resource_status=found['status'], status_reason=f'volume {volume}')
    return found
