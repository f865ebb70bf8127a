"""The types of volumes, their encryption and their quality of service."""

import json

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.base import object_types
from heat_lite.resources.base.cloud import CloudResource, Rest, ServiceResource
from heat_lite.resources.base.named_object import Setting
from heat_lite.resources.base.property_rules import filled, needs_api, refuse
from heat_lite.template.schema import (
    OURS,
    description_property,
    integer,
    list_,
    map_,
    name_property,
    string,
    switch,
)


class CinderVolumeType(CloudResource):
    """A volume type."""

    resource_type = 'OS::Cinder::VolumeType'
    since = '2015.1'
    rest = Rest('cinder', '/types', 'volume_type', extension='os-types-manage', keys='volume_types')
    entity = 'volume_types'
    observed_keys = {'metadata': 'extra_specs'}

    properties_schema = {
        'name': string('Name of the volume type.', required=True, update_allowed=True),
        'description': description_property(since='5.0.0'),
        'is_public': switch(
            'Whether all projects can use the volume type.',
            since='5.0.0',
            wire='os-volume-type-access:is_public',
        ),
        'metadata': map_('Extra specs of the volume type.', update_allowed=True, sent=False),
        'projects': list_(
            'Projects that can use a private volume type, by name or id.',
            string(ref='keystone.project'),
            default=[],
            update_allowed=True,
            since='5.0.0',
            sent=False,
        ),
    }
    property_rules = (
        refuse(
            'Can not specify property "projects" if the volume type is public.',
            projects=filled,
            is_public=filled,
        ),
    )

    parts = ('projects',)

    def fetch_part(self, name):
        return object_types.fetch_access(self, 'os-volume-type-access', 'volume_type_access')

    def changes(self, changed, diff):
        """Use the key of update requests for visibility, and '' for no description."""
        if changed.get('description', '') is None:
            changed['description'] = ''
        public = changed.pop('os-volume-type-access:is_public', None)
        return changed if public is None else {**changed, 'is_public': public}

    def follow_up(self, action, diff):
        yield from object_types.update_specs(self, action, diff, 'metadata')
        yield from object_types.update_access(self, action, diff, 'projects', 'project')


class VolumeTypeAccess(object_types.TypeAccess):
    """The access of a project to a private volume type."""

    resource_type = 'OS::Cinder::VolumeTypeAccess'
    since = OURS
    default_client_name = 'cinder'
    extension = 'os-volume-type-access'
    path = '/types/{type}/os-volume-type-access'
    list_key = 'volume_type_access'

    properties_schema = object_types.access_properties('cinder.vtype', 'volume type')


class DefaultVolumeType(Setting):
    """The volume type of a project's volumes without one of their own."""

    resource_type = 'OS::Cinder::DefaultVolumeType'
    since = OURS
    rest = Rest('cinder', '/default-types/{project}', 'default_type', id='project')

    properties_schema = {
        'project': string(
            'Project, by name or id.', required=True, ref='keystone.project', sent=False
        ),
        'type': string(
            'Volume type, by name or id.',
            required=True,
            update_allowed=True,
            ref='cinder.vtype',
            wire='volume_type',
        ),
    }
    property_rules = (needs_api('3.62'),)

    def normalize(self, found):
        return {'volume_type': found['volume_type_id']}


class CinderEncryptedVolumeType(CloudResource):
    """The encryption of a volume type."""

    resource_type = 'OS::Cinder::EncryptedVolumeType'
    since = '5.0.0'
    rest = Rest(
        'cinder',
        '/types/{volume_type}/encryption',
        'encryption',
        extension='encryption',
        id='volume_type_id',
    )
    entity = 'volume_encryption_types'

    properties_schema = {
        'provider': string('Class of the encryption provider.', required=True, update_allowed=True),
        'volume_type': string(
            'Volume type, by name or id.', required=True, ref='cinder.vtype', sent=False
        ),
        'cipher': string(
            'Encryption algorithm and mode, for example "aes-xts-plain64".',
            update_allowed=True,
            allowed=['aes-xts-plain64', 'aes-cbc-essiv'],
        ),
        'control_location': string(
            'Where volumes are encrypted: front-end (Nova) or back-end (Cinder).',
            default='front-end',
            update_allowed=True,
            allowed=['front-end', 'back-end'],
        ),
        'key_size': integer('Size of the encryption key in bits.', update_allowed=True),
    }

    def objects(self):
        """Return None: each type of volume shows its own."""
        return None

    def find_existing(self):
        """Return the volume type if its encryption is the one that the create makes."""
        return None if self.drift(self.fetch()) else self.stored_property('volume_type')

    def object_path(self):
        """Return the path of the encryption: a volume type has at most one."""
        return f'{self.collection()}/provider'

    def fetch(self):
        found = self.client().show(self.collection())
        if not found.get('encryption_id'):
            raise errors.NotFound(f'Volumes of type {self.resource_id} are not encrypted.')
        return found


class QoSSpecs(CloudResource):
    """QoS specs: limits and guarantees for volumes of some types."""

    resource_type = 'OS::Cinder::QoSSpecs'
    since = '7.0.0'
    rest = Rest('cinder', '/qos-specs', 'qos_specs', extension='qos-specs')
    observed_keys = {'specs': 'specs'}

    properties_schema = {
        'name': name_property(update_allowed=False),
        'specs': map_(
            'Key-value pairs of the QoS specs.', required=True, update_allowed=True, sent=False
        ),
    }

    def body(self, values):
        return {**values, **self.properties['specs']}

    def changes(self, changed, diff):
        return {**changed, **(diff.get('specs') or {})}

    def normalize(self, found):
        """Return what Cinder shows with the consumer among the specs, as in requests."""
        return {**found, 'specs': {**found['specs'], 'consumer': found.get('consumer')}}

    def follow_up(self, action, diff):
        if action == status.UPDATE and 'specs' in diff:
            removed = sorted(set(self.stored_property('specs')) - set(diff['specs']))
            if removed:
                yield from self.send('PUT', f'{self.object_path()}/delete_keys', {'keys': removed})


#: key in the data of the resource: the volume types that its replacement needs
RELEASED = 'lent_types'


class QoSAssociation(ServiceResource):
    """The association of QoS specs with volume types."""

    resource_type = 'OS::Cinder::QoSAssociation'
    released_key = RELEASED
    since = '8.0.0'
    extension = 'qos-specs'
    default_client_name = 'cinder'
    # associating a volume type with the same specs again changes nothing
    repeatable = True

    properties_schema = {
        'qos_specs': string('QoS specs, by name or id.', required=True, ref='cinder.qos_specs'),
        'volume_types': list_(
            'Volume types, by name or id.',
            string(ref='cinder.vtype'),
            required=True,
            update_allowed=True,
        ),
    }

    def _shown(self, specs):
        path = f'/qos-specs/{specs}/associations'
        return [each['id'] for each in self.client().list(path, 'qos_associations')]

    def _present(self):
        """Return the volume types of the template that Cinder shows at the specs."""
        shown = self._shown(self.stored_property('qos_specs'))
        return [each for each in self.stored_property('volume_types') if each in shown]

    def live_properties(self):
        """Return the volume types of the specs that are the id."""
        return {'qos_specs': self.resource_id, 'volume_types': self._shown(self.resource_id)}

    def find_existing(self):
        """Return the id if an interrupted create has associated a volume type, or None."""
        return self.record.uuid if self._present() else None

    def get_live_state(self, resource_properties):
        return {**self.stored_properties(), 'volume_types': self._present()}

    def handle_create(self):
        yield from self._request_types('associate', self.properties['volume_types'])
        self.resource_id_set(self.record.uuid)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        before, after = self._associated(), set(self.properties['volume_types'])
        yield from self._request_types('disassociate', before - after)
        yield from self._request_types('associate', after - before)
        self.data_delete(RELEASED)

    def delete_object(self):
        yield from self._request_types('disassociate', self._associated())

    def prepare_for_replace(self, definition):
        """A generator: disassociate the volume types that the replacing association needs.

        A volume type has at most one set of QoS specs.
        """
        released = self._associated() & set(self.properties_of(definition)['volume_types'])
        if self.resource_id is not None and released:
            self.data_set(RELEASED, json.dumps(sorted(released)))
            yield from self._request_types('disassociate', released)

    def _associated(self):
        return set(self.stored_property('volume_types')) - set(
            json.loads(self.data().get(RELEASED, '[]'))
        )

    def _request_types(self, action, types):
        for volume_type in sorted(types):
            path = f'/qos-specs/{self.stored_property("qos_specs")}/{action}'
            yield from self.delete_if_present(
                self.client().request_json, 'GET', path, params={'vol_type_id': volume_type}
            )
