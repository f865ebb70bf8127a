"""Plugging volumes into servers, and unplugging them: the compute service does it, the volume service tells when it is done."""

import time

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.asking import PATIENCE, pauses

#: it is done in seconds, or not at all
LONGEST_PAUSE = 2.0
FAILED = ('error', 'error_attaching', 'error_detaching')


def attach(resource, server, volume, device=None):
    """A generator: plugs a volume in and waits until it is. Gives the id of the attachment."""
    values = {'volumeId': volume, **({'device': device} if device else {})}
    path = f'/servers/{server}/os-volume_attachments'
    try:
        yield from _when_idle(resource.ask, resource.client('nova').create, path, 'volumeAttachment', values)
    except errors.ServiceError as error:
        raise exception.Error(f'Failed to attach volume {volume} to server {server} - {error}') from error
    for pause in pauses(LONGEST_PAUSE):
        found = yield from _look(resource, volume)
        if found['status'] == 'in-use':
            return volume  # within a server a volume is told from others by its own id
        yield pause


def detach(resource, server, volume):
    """A generator: unplugs a volume and waits until the server has let it go. Where one of the two is gone, there is nothing to do."""
    path = f'/servers/{server}/os-volume_attachments/{volume}'
    yield from _when_idle(resource.take_away, resource.client('nova').delete, path)
    try:
        for pause in pauses(LONGEST_PAUSE):
            found = yield from _look(resource, volume)
            if all(each.get('server_id') != server for each in found.get('attachments') or ()):
                return
            yield pause
    except errors.NotFound:
        return


def _when_idle(asking, *request):
    """A generator: while a server is being rebuilt, resized and so on, its disks cannot be changed; that passes."""
    until = time.monotonic() + PATIENCE
    for pause in pauses(LONGEST_PAUSE):
        try:
            return (yield from asking(*request))
        except errors.Conflict:
            if time.monotonic() > until:
                raise
        yield pause


def _look(resource, volume):
    found = yield from resource.ask(resource.client('cinder').show, f'/volumes/{volume}', 'volume')
    if found['status'] in FAILED:
        raise exception.ResourceInError(resource_status=found['status'], status_reason=f'volume {volume}')
    return found
