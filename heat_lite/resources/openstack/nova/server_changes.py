"""How a server becomes another one in place: labels, name, size, image, password, networks."""

import base64
import time

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceObject
from heat_lite.resources.openstack.nova import server_schema as schema

ACTIVE, SUSPENDED, VERIFY_RESIZE, ERROR = 'ACTIVE', 'SUSPENDED', 'VERIFY_RESIZE', 'ERROR'
UNKNOWN = 'Unknown'
#: what a server may be when nothing is going on with it
RUNNING = (ACTIVE, 'SHUTOFF')


class Changed(ServiceObject):
    """What is mixed into the type of servers."""

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'metadata' in prop_diff:
            yield from self._put('metadata', self.labels(prop_diff['metadata'] or {}))
        if 'tags' in prop_diff:
            yield from self._put('tags', prop_diff['tags'] or [])
        if prop_diff.get('name'):
            yield from self.change({'name': prop_diff['name']})
        if 'flavor' in prop_diff:
            yield from self._resize(prop_diff['flavor'])
        if 'image' in prop_diff or self._rebuilds(prop_diff):
            yield from self._rebuild()
        if prop_diff.get('admin_pass'):
            yield from self.act('changePassword', adminPass=prop_diff['admin_pass'])
            yield from self.until((ACTIVE,), ('PASSWORD',), 'Changing the password failed')
        yield from self.plug_otherwise(prop_diff)
        if self.software_config() and {'software_config_transport', 'deployment_swift_data'} & prop_diff.keys():
            self.lay_out_for_agent()
        self._shown = None

    def _put(self, what, value):
        yield from self.ask(self.client().ask, 'PUT', f'{self.object_path()}/{what}', {what: value})

    def _rebuilds(self, diff):
        return 'user_data' in diff and self.properties['user_data_update_policy'] == schema.REBUILD

    def _resize(self, flavor):
        """A resize is tried out by the compute service until it is confirmed. One that has been begun before is gone on with."""
        found, failure = (yield from self.ask(self.look)), f'Resizing to "{flavor}" failed'
        if found['status'] != VERIFY_RESIZE:
            if self.flavor_of(found) == flavor:
                return
            yield from self.act('resize', flavorRef=flavor)
            yield from self.until((VERIFY_RESIZE,), ('RESIZE',), failure)
        yield from self.act('confirmResize', nothing=True)
        yield from self.until(RUNNING, (VERIFY_RESIZE, 'RESIZE'), failure)

    def flavor_of(self, found):
        """The compute service tells only the name of the flavor, as it was when the server was made."""
        name = found['flavor'].get('original_name')
        try:
            return self.stack.clients().find('nova.flavor', name)
        except errors.NoSuchObject:
            return None

    def _rebuild(self):
        values = {'imageRef': self.properties['image']}
        if self.properties['image_update_policy'] == schema.PRESERVE:
            values['preserve_ephemeral'] = True
        if self.properties['admin_pass']:
            values['adminPass'] = self.properties['admin_pass']
        if self.properties['user_data_update_policy'] == schema.REBUILD:
            text = self.user_data(self.metadata_get())
            values['user_data'] = encoded(text)
        yield from self.act('rebuild', **values)
        yield from self.until(RUNNING, ('REBUILD',), 'Rebuilding server failed')

    def act(self, verb, nothing=False, **args):
        """A generator: the server does something; the answer to that. ``nothing``: the verb takes no words at all."""
        return (yield from self.ask(self.client().ask, 'POST', f'{self.object_path()}/action', {verb: None if nothing else args or None}))

    def until(self, wanted, passing, result):
        """A generator: waits until the server is in one of the ``wanted`` states and nothing is going on with it; what is neither these
        nor ``passing`` is a failure, of which ``result`` tells: from a request on the service tells that something is going on."""
        begun = time.monotonic()
        for pause in self.pauses():
            found = yield from self.watched(begun)
            state, busy = found['status'], found.get('OS-EXT-STS:task_state')
            if state in wanted and not busy:
                return
            if state == ERROR or state not in passing and not busy and state not in wanted:
                reason = fault(found) if state == ERROR else UNKNOWN
                raise exception.ResourceUnknownStatus(result=result, resource_status=state, status_reason=reason)
            yield pause


def encoded(text):
    """Texts for a server travel so; None where there is none."""
    return base64.b64encode(text.encode()).decode() if text else None


def fault(found):
    """What the compute service says of a failure."""
    said = found.get('fault') or {}
    return f'Message: {said.get("message", UNKNOWN)}, Code: {said.get("code", UNKNOWN)}'
