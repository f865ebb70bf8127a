"""The types by which a volume moves to another project: the offer, and its acceptance."""

from heat_lite.resources.base import added_object
from heat_lite.resources.base.cloud import CloudResource, Rest, ServiceResource
from heat_lite.resources.base.property_rules import needs_api
from heat_lite.resources.base.service_retry import ServiceRetry
from heat_lite.template.schema import (
    OURS,
    boolean,
    live_text,
    name_property,
    reference,
    string,
)

#: key in the data of the resource, and attribute: the key with which the other project accepts
KEY = 'auth_key'


class VolumeTransferRequest(CloudResource):
    """The offer of a volume to another project. It ends when it is accepted."""

    resource_type = 'OS::Cinder::VolumeTransferRequest'
    since = OURS
    rest = Rest('cinder', '/volume-transfers', 'transfer', keys='transfers')
    has_secret_value = True

    properties_schema = {
        'name': name_property(update_allowed=False),
        'volume': reference('cinder.volume', 'Volume to offer, by name or id.', required=True),
        'no_snapshots': boolean(
            'Whether the snapshots of the volume stay in this project.', default=False
        ),
    }
    property_rules = (needs_api('3.55'),)
    attributes_schema = {
        'auth_key': live_text('Key with which the other project accepts the volume.'),
        'created_at': 'Time of the offer.',
        'volume_id': 'Id of the volume.',
    }

    def create_object(self, values):
        made = yield from super().create_object(values)
        self.data_set(KEY, made[KEY], redact=True)
        return made

    def find_existing(self):
        """Return None. An offer whose response was lost has lost its key: it is withdrawn."""
        found = super().find_existing()
        if found is not None:
            self.client().delete(f'{self.collection()}/{found}')

    def resolve_attribute(self, name):
        return self.data().get(KEY) if name == KEY else super().resolve_attribute(name)


class VolumeTransferAccept(ServiceResource):
    """The acceptance of a volume that another project offers. The volume stays after a delete."""

    resource_type = 'OS::Cinder::VolumeTransferAccept'
    since = OURS
    default_client_name = 'cinder'
    not_compared = 'Cinder keeps nothing of an accepted offer; the volume is there.'

    properties_schema = {
        'auth_key': string('Key of the offer.', required=True),
        'transfer': string('Id of the offer.', required=True),
    }
    property_rules = (needs_api('3.55'),)
    attributes_schema = {'volume_id': 'Id of the volume.'}

    def handle_create(self):
        if self.resource_id is None:
            yield from added_object.note(self, self._volumes)
            made = ServiceRetry(self).until_made(self._accept, self.find_existing, lambda one: one)
            self.resource_id_set((yield from made))
            self.data_delete(added_object.BEFORE)

    def _accept(self):
        path = f'/volume-transfers/{self.properties["transfer"]}/accept'
        body = {'accept': {KEY: self.properties[KEY]}}
        return self.client().request_json('POST', path, body)['transfer']['volume_id']

    def _volumes(self):
        return [each['id'] for each in self.client().list('/volumes', 'volumes')]

    def find_existing(self):
        """Return the volume that the project has got since the create began."""
        return added_object.find(self, self._volumes)

    handle_check = ServiceResource.check_shown

    def show(self):
        return self.client().show(f'/volumes/{self.resource_id}', 'volume')

    def resolve_attribute(self, name):
        return self.resource_id
