"""OS::Glance::WebImage."""

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources import json_patch
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedPattern, AllowedValues, Range
from heat_lite.template.schema import boolean, integer, list_, map_, string

PATCH = {'Content-Type': 'application/openstack-images-v2.1-json-patch'}
#: the states in which an image has no data yet
WAITING = ('queued', 'importing')


class WebImage(CloudResource):
    """An image that the image service fetches itself."""

    resource_type = 'OS::Glance::WebImage'
    support_status = support.since('12.0.0')
    rest = Rest('glance', '/images', None, ready=('active',), failed=('killed', 'deleted'), vanishes=False)
    entity = 'images'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'container_format': string(
            'What the data is wrapped in.',
            required=True,
            constraints=[AllowedValues(['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker'])],
        ),
        'disk_format': string(
            'What the data is.',
            required=True,
            constraints=[AllowedValues(['ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw', 'qcow2', 'vdi', 'iso', 'ploop'])],
        ),
        'location': string('The address that it is fetched from.', required=True, sent=False),
        'active': boolean('Whether it can be used.', default=True, update_allowed=True, support=support.since('16.0.0'), sent=False),
        'architecture': string('The processors that it is for.', update_allowed=True),
        'extra_properties': map_('Further keys.', default={}, update_allowed=True, support=support.since('17.0.0'), sent=False),
        'id': string('Its id; without one, one is made up.'),
        'kernel_id': string(
            'The image of its kernel.',
            update_allowed=True,
            constraints=[AllowedPattern('^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$')],
        ),
        'members': list_(
            'Projects that may use it, too, by their ids.', string(), update_allowed=True, support=support.since('16.0.0'), sent=False
        ),
        'min_disk': integer('The smallest disk that it fits on, in GiB.', default=0, constraints=[Range(min=0)]),
        'min_ram': integer('The least memory that it needs, in MiB.', default=0, constraints=[Range(min=0)]),
        'os_distro': string('The distribution of its system.', update_allowed=True),
        'os_version': string('The version of its system.', update_allowed=True),
        'owner': string('The project that owns it.', update_allowed=True),
        'protected': boolean('Whether it is kept from being deleted.', default=False, update_allowed=True),
        'ramdisk_id': string(
            'The image of its initial disk.',
            update_allowed=True,
            constraints=[AllowedPattern('^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$')],
        ),
        'tags': list_('Labels.', update_allowed=True),
        'visibility': string(
            'Who sees it.',
            default='private',
            update_allowed=True,
            constraints=[AllowedValues(['public', 'private', 'community', 'shared'])],
        ),
    }

    def body(self, values):
        return {**values, **(self.properties['extra_properties'] or {})}

    def after(self, action, diff):
        new = action == status.CREATE
        if new:
            how = {'name': 'web-download', 'uri': self.properties['location']}
            yield from self.ask(self.client().ask, 'POST', f'{self.object_path()}/import', {'method': how})
            yield from self.until_ready(None)
        if 'members' in diff:
            yield from self._share(set() if new else set(self.held('members') or ()), set(diff['members'] or ()))
        if 'active' in diff and (not new or not diff['active']):
            verb = 'reactivate' if diff['active'] else 'deactivate'
            yield from self.ask(self.client().ask, 'POST', f'{self.object_path()}/actions/{verb}')

    def until_ready(self, found):
        """What was switched off on purpose is ready, too."""
        if self.properties['active']:
            yield from super().until_ready(found)

    def _is_ready(self, found):
        """An image whose data could not be fetched waits for ever, for somebody who tries again."""
        if found.get('os_glance_failed_import') and not found.get('os_glance_importing_to_stores') and found['status'] in WAITING:
            raise exception.ResourceInError(resource_status=found['status'], status_reason=self._why())
        return super()._is_ready(found)

    def _why(self):
        tasks = self.client().ask('GET', f'{self.object_path()}/tasks')['tasks']
        words = next((each.get('message') for each in tasks if each['status'] == 'failure'), None)
        return f'{self.properties["location"]} could not be imported: {words or "nobody says why"}'

    def changes(self, changed, diff):
        if 'extra_properties' in diff:
            before, after = self.held('extra_properties') or {}, diff['extra_properties'] or {}
            changed.update({**dict.fromkeys(before), **after})
        return changed

    def change(self, values):
        """By a patch: what is null goes."""
        patch = json_patch.steps(self.look(), values)
        yield from self.ask(self.client().ask, 'PATCH', self.object_path(), patch, headers=PATCH)

    def _share(self, before, after):
        path = f'{self.object_path()}/members'
        for each in sorted(before - after):
            yield from self.take_away(self.client().delete, f'{path}/{each}')
        for each in sorted(after - before):
            yield from self.ask(self.client().ask, 'POST', path, {'member': each})

    def handle_delete(self):
        """One that is protected cannot be deleted."""
        if self.resource_id is not None and self.held('protected'):
            try:
                yield from self.change({'protected': False})
            except errors.NotFound:
                return
        yield from super().handle_delete()

    def handle_check(self):
        """What was switched off on purpose is as it should be."""
        found = yield from self.ask(self.look)
        wanted = 'active' if self.held('active') else 'deactivated'
        if found['status'] != wanted:
            raise exception.Error(f'Image {self.resource_id} is {found["status"]}, not {wanted}')
