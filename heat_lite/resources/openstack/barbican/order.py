"""OS::Barbican::Order."""

from heat_lite.common import exception
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import but, empty, filled, missing, needs, refuse
from heat_lite.resources.openstack.barbican import columns
from heat_lite.resources.openstack.barbican.base import BarbicanResource
from heat_lite.template.schema import integer, string, text

KEY, ASYMMETRIC, CERTIFICATE = 'key', 'asymmetric', 'certificate'
_OF_KEYS = ('name', 'algorithm', 'bit_length', 'mode', 'expiration', 'payload_content_type')
#: order types -> the properties that they allow
ALLOWED = {
    KEY: _OF_KEYS,
    ASYMMETRIC: (*_OF_KEYS, 'pass_phrase'),
    CERTIFICATE: (
        'name',
        'request_type',
        'subject_dn',
        'source_container_ref',
        'ca_id',
        'profile',
        'request_data',
    ),
}
#: attributes whose values are read from the created secrets
PARTS = ('certificate', 'intermediates', 'private_key', 'public_key')


def _refuse_unexpected(read, resource):
    kind = read('type')
    allowed = {'type', *ALLOWED[kind]}
    unexpected = [
        name
        for name in sorted(resource.properties_schema)
        if name not in allowed and read(name) is not None
    ]
    if unexpected:
        raise exception.StackValidationFailed(
            f'Unexpected properties: {", ".join(unexpected)}. Only these properties are allowed '
            f'for {kind} type of order: {", ".join(sorted(ALLOWED[kind]))}.'
        )


class Order(BarbicanResource):
    """An order: Barbican generates a secret or a container of secrets."""

    resource_type = 'OS::Barbican::Order'
    since = '2014.2'
    rest = Rest('barbican', '/orders', None, ready=('ACTIVE',), id='order_ref')
    entity = 'orders'
    to_columns = staticmethod(columns.order)

    properties_schema = {
        'name': string('Name of the generated secret.'),
        'algorithm': string('Algorithm for which the key is generated.'),
        'bit_length': integer('Length of the generated key in bits.'),
        'ca_id': string('Id of the certificate authority.', since='5.0.0'),
        'expiration': string(
            'Time at which the generated secret expires, in ISO 8601 format.', custom='expiration'
        ),
        'mode': string('Mode of the algorithm for which the key is generated.'),
        'pass_phrase': string('Passphrase of the generated private key.', since='5.0.0'),
        'payload_content_type': string('Content type of the generated secret.'),
        'profile': string('Certificate profile of the certificate authority.', since='5.0.0'),
        'request_data': string(
            'Full certificate request, in the format of the certificate authority.', since='5.0.0'
        ),
        'request_type': string(
            'Type of the certificate request.',
            allowed=['stored-key', 'simple-cmc', 'custom'],
            since='5.0.0',
        ),
        'source_container_ref': string(
            'URL of the container with the keys of the certificate.',
            ref='barbican.container',
            since='5.0.0',
            wire='container_ref',
        ),
        'subject_dn': string('Subject of the certificate.', since='5.0.0'),
        'type': string(
            'Type of the order.',
            required=True,
            allowed=[KEY, ASYMMETRIC, CERTIFICATE],
            since='5.0.0',
            sent=False,
        ),
    }
    property_rules = (
        refuse(
            'Properties algorithm and bit_length are required for {type} type of order.',
            type=but(CERTIFICATE),
            algorithm=lambda value, read: missing(value) or missing(read('bit_length')),
        ),
        needs('profile', 'ca_id', filled, empty, type=(CERTIFICATE,)),
        _refuse_unexpected,
    )
    attributes_schema = {
        'certificate': text('Generated certificate.', since='5.0.0'),
        'container_ref': text('URL of the generated container.', since='5.0.0'),
        'intermediates': text(
            'Intermediate certificates of the generated certificate.', since='5.0.0'
        ),
        'order_ref': text('URL of the order.'),
        'private_key': text('Generated private key.', since='5.0.0'),
        'public_key': text('Generated public key.', since='5.0.0'),
        'secret_ref': text('URL of the generated secret.'),
        'status': text('Status of the order.'),
    }

    def body(self, values):
        return {'type': self.properties['type'], 'meta': values}

    def is_ready(self, found):
        if found.get('status') == 'ERROR':
            code, reason = found.get('error_status_code'), found.get('error_reason')
            raise exception.Error(f"{self.type()} '{self.name}' failed: {code} - {reason}")
        return super().is_ready(found)

    def resolve_attribute(self, name):
        if name not in PARTS:
            return super().resolve_attribute(name)
        container = self.fetched_object().get('container_ref')
        if not container:
            return None
        refs = {
            each['name']: each['secret_ref']
            for each in self.client().show(_path('containers', container))['secret_refs']
        }
        if name not in refs:
            return None
        path = _path('secrets', refs[name])
        kind = self.client().show(path)['content_types']['default']
        return self.client().request('GET', f'{path}/payload', headers={'Accept': kind}).text


def _path(collection, ref):
    return f'/{collection}/{ref.rstrip("/").rpartition("/")[2]}'
