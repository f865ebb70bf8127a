"""Attach volumes to servers and detach them, through Nova.

Cinder shows when an attachment is complete.
"""

import time

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.service_retry import RETRY_SECONDS, retry_delays

#: longest delay between two polls in seconds: attaching takes seconds only
LONGEST_DELAY = 2.0
FAILED = ('error', 'error_attaching', 'error_detaching')


def attach(resource, server, volume, device=None):
    """A generator: attach a volume, wait for it and return the id of the attachment."""
    values = {'volumeId': volume, **({'device': device} if device else {})}
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
