"""OS::Nova::KeyPair."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.base.property_rules import (
    empty,
    filled,
    needs_version,
    refuse,
)
from heat_lite.template.schema import boolean, live_text, reference, string

#: key in the data of the resource: the private key
PRIVATE = 'private_key'


class KeyPair(DeletedFirst):
    """An SSH key pair for access to servers."""

    named_before_create = False
    resource_type = 'OS::Nova::KeyPair'
    since = '2014.1'
    rest = Rest('nova', '/os-keypairs', 'keypair', id='name')
    entity = 'keypairs'

    properties_schema = {
        'name': string('Name of the key pair.', required=True, min=1, max=255),
        'public_key': string(
            'Public key to import. Required since microversion 2.92 of Nova: before, it '
            'generates a key pair without one.'
        ),
        'save_private_key': boolean(
            'Whether the generated private key is stored. Stack owners can read it as an '
            'attribute.',
            default=False,
            sent=False,
        ),
        'type': string('Type of the key pair.', allowed=['ssh', 'x509'], since='8.0.0'),
        'user': reference(
            'keystone.user',
            'Owner of the key pair, by name or id. Requires administrator rights.',
            since='9.0.0',
        ),
    }
    property_rules = (
        needs_version('2.2', 'type', type=filled),
        needs_version('2.10', 'user', user=filled),
        refuse(
            'The public_key property is required by the nova API version currently used.',
            lambda pair: pair.client().supports('2.92'),
            public_key=empty,
        ),
    )
    attributes_schema = {
        'private_key': live_text('Generated private key, if it was stored.'),
        'public_key': 'Public key of the key pair.',
    }

    def create_object(self, values):
        created = yield from super().create_object(values)
        if self.properties['save_private_key'] and created.get('private_key'):
            self.data_set(PRIVATE, created[PRIVATE], redact=True)
        return created

    def objects(self):
        """Return the key pairs of the requester, as those of the project."""
        project = {'project_id': self.stack.context.tenant_id}
        listed = self.client().list(self.rest.path, self.rest.list_key)
        return {each['keypair']['name']: {**each['keypair'], **project} for each in listed}

    def object_path(self):
        user = self.stored_property('user')
        return f'{super().object_path()}?user_id={user}' if user else super().object_path()

    def resolve_attribute(self, name):
        if name == PRIVATE:
            return self.data().get(PRIVATE, '')
        return super().resolve_attribute(name)
