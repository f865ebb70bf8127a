"""OS::Cinder::Group: volumes that are copied at one moment; its type and its snapshots."""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.base.property_rules import needs_api
from heat_lite.resources.openstack.cinder.volume_snapshot import copy_rest
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    list_,
    map_,
    name_property,
    reference,
    string,
)


class GroupType(DeletedFirst):
    """A type of groups of volumes."""

    resource_type = 'OS::Cinder::GroupType'
    since = OURS
    rest = Rest('cinder', '/group_types', 'group_type')

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'group_specs': map_(
            'Specs of the type, for example consistent_group_snapshot_enabled: "<is> True".'
        ),
        'is_public': boolean(
            'Whether all projects can use the type.', default=True, update_allowed=True
        ),
    }
    property_rules = (needs_api('3.11'),)


class Group(CloudResource):
    """A group of volumes. Its delete keeps the volumes."""

    resource_type = 'OS::Cinder::Group'
    since = OURS
    rest = copy_rest('group')

    properties_schema = {
        'name': name_property(),
        'group_type': string(
            'Type of the group, by name or id.', required=True, ref='cinder.group_type'
        ),
        'volume_types': list_(
            'Types of the volumes that the group can have, by name or id.',
            string(ref='cinder.vtype'),
            required=True,
            min=1,
        ),
        'availability_zone': string('Availability zone of the group.'),
        'description': description_property(),
        'volumes': list_(
            'Volumes of the group, by name or id.',
            string(ref='cinder.volume'),
            default=[],
            update_allowed=True,
            sent=False,
        ),
    }
    property_rules = (needs_api('3.13'),)
    attributes_schema = {'status': 'Status of the group.'}
    parts = ('volumes',)

    def fetch_part(self, name):
        path = f'{self.object_path()}?list_volume=true'
        return self.client().show(path, self.rest.key)['volumes']

    def follow_up(self, action, diff):
        if 'volumes' in diff:
            before = () if action == status.CREATE else self.stored_property('volumes')
            yield from self._change_volumes(before, diff['volumes'])

    def _change_volumes(self, before, after):
        """Generator: give and take volumes, when the group and the volumes are ready."""
        before, after = set(before or ()), set(after or ())
        changes = {'add_volumes': after - before, 'remove_volumes': before - after}
        values = {name: ','.join(sorted(ids)) for name, ids in changes.items() if ids}
        if values:
            yield from self.wait_until_ready(None)
            yield from self.update_object(values)
            yield from self.wait_until_ready(None)

    def delete_object(self):
        """Generator: take the volumes out: Cinder deletes a group with or without all of them."""
        with contextlib.suppress(errors.NotFound):  # the request to delete it notices that, too
            yield from self._change_volumes(self.fetch_part('volumes'), ())
        body = {'delete': {'delete-volumes': False}}
        path = f'{self.object_path()}/action'
        if (yield from self.delete_if_present(self.client().request_json, 'POST', path, body)):
            yield from self.wait_until_deleted()


class GroupSnapshot(CloudResource):
    """A snapshot of all volumes of a group."""

    resource_type = 'OS::Cinder::GroupSnapshot'
    since = OURS
    rest = copy_rest('group_snapshot')

    properties_schema = {
        'name': name_property(update_allowed=False),
        'group': reference('cinder.group', 'Group of the volumes, by name or id.', required=True),
        'description': description_property(update_allowed=False),
    }
    property_rules = (needs_api('3.14'),)
    attributes_schema = {'status': 'Status of the snapshot.'}
