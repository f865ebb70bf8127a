"""The resource types of Glance."""

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.base import json_patch
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import filled, only_with, refuse
from heat_lite.template.schema import (
    OURS,
    boolean,
    integer,
    list_,
    map_,
    name_property,
    string,
    switch,
)

PATCH = {'Content-Type': 'application/openstack-images-v2.1-json-patch'}
UUID = '^([0-9a-fA-F]){8}' + '-([0-9a-fA-F]){4}' * 3 + '-([0-9a-fA-F]){12}$'
#: the keys of an image that are no further properties
KNOWN = set(
    'architecture checksum container_format created_at direct_url disk_format file hidden id '
    'kernel_id locations min_disk min_ram name os_distro os_hidden os_version owner '
    'protected ramdisk_id schema self size status stores tags updated_at virtual_size '
    'visibility'.split()
)
#: the statuses of an image without data
WAITING = ('queued', 'importing')


def hidden_property():
    return boolean(
        'Whether lists leave the image out.', update_allowed=True, since=OURS, wire='os_hidden'
    )


class GlanceImage(CloudResource):
    """An image, which is updated by a JSON patch."""

    def update_object(self, values):
        """A generator: update the image by a JSON patch. A value of null removes the key."""
        patch = json_patch.operations(self.fetch(), values)
        yield from self.send('PATCH', self.object_path(), patch, headers=PATCH)

    def delete_object(self):
        """A generator: unprotect the image, then delete it."""
        if self.stored_property('protected'):
            try:
                yield from self.update_object({'protected': False})
            except errors.NotFound:
                return
        try:
            yield from super().delete_object()
        except errors.BadRequest:  # so Glance refuses a second delete beside the first
            self.clear_cache()
            if self.object_exists():
                raise


class GlanceWebImage(GlanceImage):
    """An image that Glance downloads from a URL."""

    resource_type = 'OS::Glance::WebImage'
    since = '12.0.0'
    rest = Rest(
        'glance',
        '/images',
        None,
        ready=('active',),
        failed=('killed', 'deleted'),
        deletes_async=False,
    )
    entity = 'images'
    observed_keys = {'active': 'active', 'extra_properties': 'extra_properties'}

    properties_schema = {
        'name': name_property(),
        'container_format': string(
            'Container format of the image.',
            required=True,
            allowed=['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker'],
            ours=['compressed'],
        ),
        'disk_format': string(
            'Disk format of the image.',
            required=True,
            allowed=[
                'ami',
                'ari',
                'aki',
                'vhd',
                'vhdx',
                'vmdk',
                'raw',
                'qcow2',
                'vdi',
                'iso',
                'ploop',
            ],
        ),
        'location': string('URL from which Glance downloads the image.', required=True, sent=False),
        'active': switch(
            'Whether the image is active. A deactivated image cannot be used.',
            since='16.0.0',
            sent=False,
        ),
        'architecture': string('CPU architecture of the image.', update_allowed=True),
        'extra_properties': map_(
            'Further properties of the image.',
            default={},
            update_allowed=True,
            since='17.0.0',
            sent=False,
        ),
        'hidden': hidden_property(),
        'id': string('Id of the image. If omitted, Glance generates one.'),
        'kernel_id': string('Id of the kernel image.', update_allowed=True, pattern=UUID),
        'members': list_(
            'Ids of the projects that share the image.',
            string(),
            update_allowed=True,
            since='16.0.0',
            sent=False,
        ),
        'min_disk': integer(
            'Smallest disk for the image in GiB.', default=0, update_allowed=True, min=0
        ),
        'min_ram': integer(
            'Smallest memory for the image in MiB.', default=0, update_allowed=True, min=0
        ),
        'os_distro': string('Name of the operating system distribution.', update_allowed=True),
        'os_version': string('Version of the operating system distribution.', update_allowed=True),
        'owner': string('Id of the project that owns the image.', update_allowed=True),
        'protected': switch('Whether the image is protected from deletion.', default=False),
        'ramdisk_id': string('Id of the ramdisk image.', update_allowed=True, pattern=UUID),
        'tags': list_('Tags of the image.', update_allowed=True),
        'visibility': string(
            'Visibility of the image: public, private, community or shared.',
            default='private',
            update_allowed=True,
            allowed=['public', 'private', 'community', 'shared'],
        ),
    }
    property_rules = (
        refuse(
            'Invalid mix of disk and container formats. When setting a disk or container format to '
            "one of 'aki', 'ari', or 'ami', the container and disk formats must match.",
            container_format=('ami', 'ari', 'aki'),
            disk_format=lambda value, read: value != read('container_format'),
        ),
        only_with('members', 'visibility', 'shared', test=filled),
    )

    parts = ('members',)

    def fetch_part(self, name):
        members = self.client().list(f'{self.object_path()}/members', 'members')
        return [each['member_id'] for each in members]

    def normalize(self, found):
        """Return the image with the keys that Glance does not know as ``extra_properties``."""
        known = KNOWN - (self.stored_property('extra_properties') or {}).keys()
        extra = {
            key: found[key]
            for key in sorted(found.keys() - known)
            if not key.startswith(('os_hash', 'os_glance')) and isinstance(found[key], str)
        }
        return {**found, 'extra_properties': extra, 'active': found['status'] != 'deactivated'}

    def body(self, values):
        return {**values, **(self.properties['extra_properties'] or {})}

    def follow_up(self, action, diff):
        new = action == status.CREATE
        if new:
            method = {'name': 'web-download', 'uri': self.properties['location']}
            yield from self.send('POST', f'{self.object_path()}/import', {'method': method})
            yield from self.wait_until_ready(None)
        if 'members' in diff:
            before = set() if new else set(self.stored_property('members') or ())
            for each in sorted(set(diff['members'] or ()) - before):
                yield from self.send('POST', f'{self.object_path()}/members', {'member': each})
        if 'active' in diff and (not new or not diff['active']):
            verb = 'reactivate' if diff['active'] else 'deactivate'
            yield from self.send('POST', f'{self.object_path()}/actions/{verb}')

    def wait_until_ready(self, found):
        """A generator: wait for the data, unless the image shall be deactivated."""
        if self.properties['active']:
            yield from super().wait_until_ready(found)

    def is_ready(self, found):
        """Raise an error if the import has failed.

        Glance leaves such an image queued for another attempt.
        """
        if (
            found.get('os_glance_failed_import')
            and not found.get('os_glance_importing_to_stores')
            and found['status'] in WAITING
        ):
            raise exception.ResourceInError(
                resource_status=found['status'], status_reason=self._failure_reason()
            )
        return super().is_ready(found)

    def _failure_reason(self):
        tasks = self.client().request_json('GET', f'{self.object_path()}/tasks')['tasks']
        message = next((each.get('message') for each in tasks if each['status'] == 'failure'), None)
        return (
            f'{self.properties["location"]} could not be imported: '
            f'{message or "Glance gives no reason"}'
        )

    def changes(self, changed, diff):
        if 'extra_properties' in diff:
            before, after = (
                self.stored_property('extra_properties') or {},
                diff['extra_properties'] or {},
            )
            changed.update({**dict.fromkeys(before), **after})
        return changed

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Generator: remove members first: an image that is not shared any more keeps them."""
        if 'members' in prop_diff:
            before = set(self.stored_property('members') or ())
            for each in sorted(before - set(prop_diff['members'] or ())):
                yield from self.delete_path(f'{self.object_path()}/members/{each}')
        yield from super().handle_update(definition, tmpl_diff, prop_diff)

    def handle_check(self):
        """A generator: check that the image is active, or deactivated if ``active`` is false."""
        self.require_object()
        found = yield from self.call_with_retry(self.fetch)
        wanted = 'active' if self.stored_property('active') else 'deactivated'
        if found['status'] != wanted:
            raise exception.Error(
                f'Image {self.resource_id} has the status {found["status"]}, expected {wanted}'
            )
