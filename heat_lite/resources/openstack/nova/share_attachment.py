"""OS::Nova::ShareAttachment."""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import needs_api
from heat_lite.resources.base.service_retry import retry_delays
from heat_lite.resources.openstack.nova.server.power import ACTIVE, ERROR, fault
from heat_lite.template.schema import OURS, parent, reference, string, switch

#: key in the data of the resource: it has stopped the server, and has to start it again
STOPPED = 'stopped'


class ShareAttachment(CloudResource):
    """The attachment of a share of Manila to a server, which mounts it by its tag."""

    resource_type = 'OS::Nova::ShareAttachment'
    since = OURS
    rest = Rest(
        'nova',
        '/servers/{server}/shares',
        'share',
        ready=('active', 'inactive'),
        failed=('error',),
        id='share_id',
        deletes_async=True,
        delete_failed=('active', 'inactive', 'error'),  # from the request on it is detaching
        microversion='2.97',
    )
    unique_by = ('share',)

    properties_schema = {
        'server': parent('nova.server', 'Server, by name or id.'),
        'share': reference('manila.share', 'Share, by name or id.', required=True),
        'restart': switch(
            'Whether a running server is stopped while the share is attached or detached, and then '
            'started again. Nova refuses both while the server runs.',
            default=False,
            sent=False,
        ),
        'tag': string(
            'Name by which the server mounts the share. The default is its id.',
            update_allowed=True,
            max=64,
        ),
    }
    property_rules = (needs_api('2.97'),)
    attributes_schema = {
        'status': 'Status of the attachment.',
        'tag': 'Name by which the server mounts it.',
    }

    def handle_create(self):
        yield from self._while_stopped(super().handle_create())

    def handle_delete(self):
        if self.resource_id is None:
            yield from self._start()
        else:
            yield from self._while_stopped(super().handle_delete())

    def update_object(self, values):
        """Generator: detach the share and attach it by its new tag: Nova changes no attachment."""
        yield from self._while_stopped(self._attach_again(), self.properties['restart'])

    def _attach_again(self):
        yield from self.delete_object()
        made = yield from self.create_object(self.request_values())
        yield from self.wait_until_ready(made)

    def _while_stopped(self, work, restart=None):
        """Generator: do the work while the server is stopped, if the resource may stop it."""
        may_stop = self.stored_property('restart') if restart is None else restart
        if may_stop:
            with contextlib.suppress(errors.NotFound):  # without a server there is nothing to stop
                yield from self._stop()
        try:
            yield from work
        except Exception:
            yield from self._start()
            raise
        yield from self._start()

    def _server(self):
        return f'/servers/{self.stored_property("server")}'

    def _stop(self):
        if STOPPED in self.data():
            return
        shown = yield from self.call_with_retry(self.client().show, self._server(), 'server')
        if shown['status'] == ACTIVE:
            self.data_set(STOPPED, 'true')
            yield None  # stores it first: another engine may have to start the server
            yield from self._switch('os-stop', 'SHUTOFF')

    def _start(self):
        if STOPPED in self.data():
            with contextlib.suppress(errors.NotFound):
                yield from self._switch('os-start', ACTIVE)
            self.data_delete(STOPPED)

    def _switch(self, action, wanted):
        """Generator: request an action of the server and wait for its end."""
        yield from self.send('POST', f'{self._server()}/action', {action: None})
        for pause in retry_delays():
            shown = yield from self.call_with_retry(self.client().show, self._server(), 'server')
            if shown['status'] == wanted:
                return
            if shown['status'] == ERROR:
                raise exception.ResourceInError(resource_status=ERROR, status_reason=fault(shown))
            yield pause

    def objects(self):
        """Return None: it would take a request for each server."""
        return None
