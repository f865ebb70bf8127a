"""OS::Barbican::Order."""

from heat_lite.common import exception
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.barbican import columns
from heat_lite.resources.openstack.barbican.base import BarbicanResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint
from heat_lite.template.schema import integer, string, text

KEY, ASYMMETRIC, CERTIFICATE = 'key', 'asymmetric', 'certificate'
_OF_KEYS = ('name', 'algorithm', 'bit_length', 'mode', 'expiration', 'payload_content_type')
#: what each type of order may say
ALLOWED = {
    KEY: _OF_KEYS,
    ASYMMETRIC: (*_OF_KEYS, 'pass_phrase'),
    CERTIFICATE: ('name', 'request_type', 'subject_dn', 'source_container_ref', 'ca_id', 'profile', 'request_data'),
}
#: attributes that are secrets of what has been made
PARTS = ('certificate', 'intermediates', 'private_key', 'public_key')


class Order(BarbicanResource):
    """Has the service make a secret, or a container of secrets."""

    resource_type = 'OS::Barbican::Order'
    support_status = support.since('2014.2')
    rest = Rest('barbican', '/orders', None, ready=('ACTIVE',), id='order_ref')
    entity = 'orders'
    told = staticmethod(columns.order)

    properties_schema = {
        'name': string('The name of what is made.'),
        'algorithm': string('The algorithm that it is for.'),
        'bit_length': integer('Its length in bits.'),
        'ca_id': string('Who is to issue the certificate.', support=support.since('5.0.0')),
        'expiration': string('When it ends.', constraints=[CustomConstraint('expiration')]),
        'mode': string('How the algorithm is used that it is for.'),
        'pass_phrase': string('What the private key is encrypted with.', support=support.since('5.0.0')),
        'payload_content_type': string('What it is.'),
        'profile': string('The kind of certificate, as its issuer calls it.', support=support.since('5.0.0')),
        'request_data': string('The whole request for a certificate.', support=support.since('5.0.0')),
        'request_type': string(
            'How a certificate is asked for.',
            constraints=[AllowedValues(['stored-key', 'simple-cmc', 'custom'])],
            support=support.since('5.0.0'),
        ),
        'source_container_ref': string(
            'The container with the keys of a certificate.', ref='barbican.container', support=support.since('5.0.0'), wire='container_ref'
        ),
        'subject_dn': string('Whom a certificate is for.', support=support.since('5.0.0')),
        'type': string(
            'What is to be made.',
            required=True,
            constraints=[AllowedValues([KEY, ASYMMETRIC, CERTIFICATE])],
            support=support.since('5.0.0'),
            sent=False,
        ),
    }
    attributes_schema = {
        'certificate': text('The certificate that was made.', support=support.since('5.0.0')),
        'container_ref': text('The address of the container that was made.', support=support.since('5.0.0')),
        'intermediates': text('The certificates between it and one that is trusted.', support=support.since('5.0.0')),
        'order_ref': text('Its address.'),
        'private_key': text('The private key that was made.', support=support.since('5.0.0')),
        'public_key': text('The public key that was made.', support=support.since('5.0.0')),
        'secret_ref': text('The address of the secret that was made.'),
        'status': text('Its status.'),
    }

    def validate(self):
        super().validate()
        kind, given = self.properties['type'], set(self.properties.given()) - {'type'}
        if kind != CERTIFICATE and not {'algorithm', 'bit_length'} <= given:
            raise exception.StackValidationFailed(f'Properties algorithm and bit_length are required for {kind} type of order.')
        unexpected = sorted(name for name in given - set(ALLOWED[kind]) if self.properties[name] is not None)
        if unexpected:
            allowed = ', '.join(sorted(ALLOWED[kind]))
            text = f'Unexpected properties: {", ".join(unexpected)}. Only these properties are allowed for {kind} type of order: {allowed}.'
            raise exception.StackValidationFailed(text)
        if self.properties['profile'] and not self.properties['ca_id']:
            raise exception.ResourcePropertyDependency(prop1='profile', prop2='ca_id')

    def body(self, values):
        return {'type': self.properties['type'], 'meta': values}

    def _is_ready(self, found):
        if found.get('status') == 'ERROR':
            code, reason = found.get('error_status_code'), found.get('error_reason')
            raise exception.Error(f"{self.type()} '{self.name}' failed: {code} - {reason}")
        return super()._is_ready(found)

    def resolve_attribute(self, name):
        if name not in PARTS:
            return super().resolve_attribute(name)
        container = self.facts().get('container_ref')
        if not container:
            return None
        refs = {each['name']: each['secret_ref'] for each in self.client().show(_path('containers', container))['secret_refs']}
        if name not in refs:
            return None
        path = _path('secrets', refs[name])
        kind = self.client().show(path)['content_types']['default']
        return self.client().request('GET', f'{path}/payload', headers={'Accept': kind}).text


def _path(collection, ref):
    return f'/{collection}/{ref.rstrip("/").rpartition("/")[2]}'
