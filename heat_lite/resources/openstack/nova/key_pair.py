"""OS::Nova::KeyPair."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Length
from heat_lite.template.schema import CACHE_NONE, boolean, string, text

#: where the private key is kept
PRIVATE = 'private_key'
#: later the compute service makes no keys any more
MAKES_KEYS = '2.10'


class KeyPair(CloudResource):
    """A key by which one logs in to servers."""

    resource_type = 'OS::Nova::KeyPair'
    support_status = support.since('2014.1')
    rest = Rest('nova', '/os-keypairs', 'keypair', id='name')
    entity = 'keypairs'

    properties_schema = {
        'name': string('Its name.', required=True, constraints=[Length(min=1, max=255)]),
        'public_key': string('The public key. Without one, a pair is made.'),
        'save_private_key': boolean(
            'Whether the private key of a pair that is made is kept, for those who may read the stack.', default=False, sent=False
        ),
        'type': string('The kind of the key.', constraints=[AllowedValues(['ssh', 'x509'])], support=support.since('8.0.0')),
        'user': string(
            'The user whose key it is, by name or id; only an administrator may say so.',
            ref='keystone.user',
            support=support.since('9.0.0'),
            wire='user_id',
        ),
    }
    attributes_schema = {
        'private_key': text('The private key, where it was made and kept.', cache_mode=CACHE_NONE),
        'public_key': text('The public key.'),
    }

    def make(self, values):
        if values.get('public_key'):
            made = yield from super().make(values)
        else:
            body = {self.rest.key: values}
            made = (yield from self.ask(self.client().ask, 'POST', self.collection(), body, microversion=MAKES_KEYS))[self.rest.key]
        if self.properties['save_private_key'] and made.get('private_key'):
            self.data_set(PRIVATE, made[PRIVATE], redact=True)
        return made

    def object_path(self):
        user = self.held('user')
        return f'{super().object_path()}?user_id={user}' if user else super().object_path()

    def resolve_attribute(self, name):
        if name == PRIVATE:
            return self.data().get(PRIVATE, '')
        return super().resolve_attribute(name)
