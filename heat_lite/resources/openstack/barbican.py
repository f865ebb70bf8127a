"""The resource types of Barbican, whose objects are identified by their URLs."""

import base64

from heat_lite.common import exception, status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import (
    but,
    empty,
    filled,
    missing,
    needs,
    only_with,
    refuse,
)
from heat_lite.template.schema import (
    OURS,
    integer,
    list_,
    list_attribute,
    map_,
    map_attribute,
    name_property,
    string,
    text,
)
from heat_lite.template.unknown import Unknown

#: what python-barbicanclient shows for a missing URL
NOTHING = 'N/A'
#: the columns of a secret in the attribute ``show`` -> its keys
SECRET_COLUMNS = {
    'Secret href': 'secret_ref',
    'Name': 'name',
    'Created': 'created',
    'Status': 'status',
    'Content types': 'content_types',
    'Algorithm': 'algorithm',
    'Bit length': 'bit_length',
    'Secret type': 'secret_type',
    'Mode': 'mode',
    'Expiration': 'expiration',
}
#: types of containers with fixed secrets -> names of secrets -> columns
PART_COLUMNS = {
    'generic': {},
    'certificate': {
        'Certificate': 'certificate',
        'Intermediates': 'intermediates',
        'Private Key': 'private_key',
        'PK Passphrase': 'private_key_passphrase',
    },
    'rsa': {
        'Public Key': 'public_key',
        'Private Key': 'private_key',
        'PK Passphrase': 'private_key_passphrase',
    },
}


def secret_columns(found):
    columns = {column: found.get(key) for column, key in SECRET_COLUMNS.items()}
    return {
        **columns,
        'Created': _utc_time(found.get('created')),
        'Expiration': _utc_time(found.get('expiration')),
    }


def container_columns(found):
    refs = {each['name']: each['secret_ref'] for each in found.get('secret_refs') or ()}
    kind, created = found.get('type'), found.get('created')
    columns = {
        'Container href': found.get('container_ref'),
        'Name': found.get('name'),
        'Created': _utc_time(created)
        if kind == 'generic'
        else created and f'{created.partition(".")[0]}.000000',
        'Status': found.get('status'),
        'Type': kind,
    }
    if kind == 'generic':
        columns['Secrets'] = '\n'.join(f'{name}={ref}' for name, ref in refs.items())
    columns.update({column: refs.get(part) for column, part in PART_COLUMNS.get(kind, {}).items()})
    users = '\n'.join(f'{each["name"]}={each["URL"]}' for each in found.get('consumers') or ())
    return {**columns, 'Consumers': users or None}


def order_columns(found):
    return {
        'Order href': found.get('order_ref'),
        'Type': (found.get('type') or '').title(),
        'Container href': found.get('container_ref') or NOTHING,
        'Secret href': found.get('secret_ref') or NOTHING,
        'Created': _utc_time(found.get('created')),
        'Status': found.get('status'),
        'Error code': found.get('error_status_code'),
        'Error message': found.get('error_reason'),
    }


def _utc_time(text):
    """Return a time in UTC: Barbican omits the time zone."""
    return text and f'{text.partition(".")[0]}+00:00'


def secret_property(description):
    return string(description, ref='barbican.secret', sent=False)


class BarbicanResource(CloudResource):
    """An object whose physical id is its URL. The last segment of the URL is its UUID."""

    def object_path(self):
        return f'{self.collection()}/{self.resource_id.rstrip("/").rpartition("/")[2]}'

    #: converts an object for ``show``
    to_columns = staticmethod(secret_columns)

    def fetched_object(self):
        """Return the object as Barbican shows it."""
        return super().show() or {}

    def show(self):
        found = self.fetched_object()
        return self.to_columns(found) if found else None

    def resolve_attribute(self, name):
        return self.fetched_object().get(self.attributes_schema[name].key(name))


def unique(read_refs):
    """Return the rule that the URLs that ``read_refs(read)`` returns differ."""

    def rule(read, resource):
        refs = [each.shown if isinstance(each, Unknown) else each for each in read_refs(read)]
        given = [each for each in refs if each]
        if len(set(given)) < len(given):
            raise exception.StackValidationFailed('Duplicate refs are not allowed.')

    return rule


class Container(BarbicanResource):
    """A container of secrets. ``kind`` is its type in Barbican."""

    since = '6.0.0'
    rest = Rest('barbican', '/containers', None, ready=('ACTIVE',), id='container_ref')
    entity = 'containers'
    kind: str
    to_columns = staticmethod(container_columns)

    attributes_schema = {
        'consumers': list_attribute('Consumers of the container.'),
        'container_ref': 'URL of the container.',
        'secret_refs': map_attribute('URLs of the secrets in the container, by name.'),
        'status': 'Status of the container.',
    }

    def secrets(self):
        """Return ``{name: URL of the secret}``."""
        raise NotImplementedError

    def body(self, values):
        refs = [{'name': name, 'secret_ref': ref} for name, ref in self.secrets().items()]
        return {**values, 'type': self.kind, 'secret_refs': refs}

    def resolve_attribute(self, name):
        value = super().resolve_attribute(name)
        if name == 'secret_refs' and value is not None:
            return {each['name']: each['secret_ref'] for each in value}
        return value


class TypedContainer(Container):
    """A container with one property ``<name>_ref`` for each secret."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        names = [name for name in cls.properties_schema if name.endswith('_ref')]
        cls.property_rules = (unique(lambda read: map(read, names)),)

    def secrets(self):
        return {
            name.removesuffix('_ref'): value
            for name, value in self.properties.given().items()
            if name.endswith('_ref') and value
        }


BYTES = 'application/octet-stream'


def _is_no_base64(value, read):
    try:
        base64.b64decode(''.join(value.split()), validate=True)
    except ValueError:
        return True
    return False


class Secret(BarbicanResource):
    """A secret."""

    resource_type = 'OS::Barbican::Secret'
    since = '2014.2'
    rest = Rest('barbican', '/secrets', None, id='secret_ref')
    entity = 'secrets'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'algorithm': string('Algorithm for which the secret is used.'),
        'bit_length': integer('Length of the secret in bits.', min=0),
        'expiration': string(
            'Time at which the secret expires, in ISO 8601 format.', custom='expiration'
        ),
        'metadata': map_(
            'Metadata of the secret, whose values are texts.',
            update_allowed=True,
            since=OURS,
            sent=False,
        ),
        'mode': string('Mode of the algorithm for which the secret is used.'),
        'payload': string('Value of the secret.'),
        'payload_content_encoding': string('Encoding of the payload.', allowed=['base64']),
        'payload_content_type': string(
            'Content type of the payload.',
            allowed=['text/plain', BYTES],
            ours=['text/plain;charset=utf-8'],
        ),
        'secret_type': string(
            'Type of the secret.',
            default='opaque',
            allowed=['symmetric', 'public', 'private', 'certificate', 'passphrase', 'opaque'],
            since='5.0.0',
        ),
    }
    property_rules = (
        needs('payload_content_type', 'payload', filled, empty),
        refuse(
            f"Property unspecified. For '{BYTES}' value of 'payload_content_type' property, "
            "'payload_content_encoding' property must be specified.",
            payload_content_type=(BYTES,),
            payload_content_encoding=empty,
        ),
        refuse(
            "Invalid payload for specified '{payload_content_encoding}' value of "
            "'payload_content_encoding' property.",
            payload_content_type=(BYTES,),
            payload_content_encoding=filled,
            payload=_is_no_base64,
        ),
        only_with('payload_content_encoding', 'payload_content_type', BYTES, test=filled),
    )
    attributes_schema = {
        'decrypted_payload': 'Decrypted value of the secret.',
        'status': 'Status of the secret.',
    }

    parts = ('metadata',)

    def fetch_part(self, name):
        return self.client().show(f'{self.object_path()}/metadata', 'metadata')

    def follow_up(self, action, diff):
        if 'metadata' in diff:
            labels = {key: str(value) for key, value in (diff['metadata'] or {}).items()}
            yield from self.send('PUT', f'{self.object_path()}/metadata', {'metadata': labels})

    def resolve_attribute(self, name):
        if name == 'decrypted_payload':
            kind = self.stored_property('payload_content_type') or BYTES
            return (
                self.client()
                .request('GET', f'{self.object_path()}/payload', headers={'Accept': kind})
                .text
            )
        return super().resolve_attribute(name)


def _named_refs(secrets):
    return {(each['name'], each['ref']) for each in secrets or ()}


class GenericContainer(Container):
    """A container of any secrets."""

    resource_type = 'OS::Barbican::GenericContainer'
    kind = 'generic'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'secrets': list_(
            'Secrets of the container.',
            {
                'name': string('Name of the secret in the container.', required=True),
                'ref': string('URL of the secret.', required=True, ref='barbican.secret'),
            },
            update_allowed=True,
            sent=False,
        ),
    }
    parts = ('secrets',)

    def fetch_part(self, name):
        refs = self.fetch()['secret_refs']
        return [{'name': each.get('name'), 'ref': each['secret_ref']} for each in refs]

    def follow_up(self, action, diff):
        """Generator: take out and put in secrets, by requests of their own."""
        if action == status.CREATE:
            return
        path = f'{self.object_path()}/secrets'
        before, after = _named_refs(self.stored_property('secrets')), _named_refs(diff['secrets'])
        for method, some in (('DELETE', before - after), ('POST', after - before)):
            for name, ref in sorted(some):
                yield from self.send(method, path, {'name': name, 'secret_ref': ref})

    property_rules = (unique(lambda read: [each['ref'] for each in read('secrets') or ()]),)

    def secrets(self):
        return {each['name']: each['ref'] for each in self.properties['secrets'] or ()}


class CertificateContainer(TypedContainer):
    """A container of a certificate and its keys."""

    resource_type = 'OS::Barbican::CertificateContainer'
    kind = 'certificate'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'certificate_ref': secret_property('URL of the secret with the certificate.'),
        'intermediates_ref': secret_property(
            'URL of the secret with the intermediate certificates.'
        ),
        'private_key_passphrase_ref': secret_property(
            'URL of the secret with the passphrase of the private key of the certificate.'
        ),
        'private_key_ref': secret_property(
            'URL of the secret with the private key of the certificate.'
        ),
    }


class RSAContainer(TypedContainer):
    """A container of a pair of RSA keys."""

    resource_type = 'OS::Barbican::RSAContainer'
    kind = 'rsa'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'private_key_passphrase_ref': secret_property(
            'URL of the secret with the passphrase of the RSA private key.'
        ),
        'private_key_ref': secret_property('URL of the secret with the RSA private key.'),
        'public_key_ref': secret_property('URL of the secret with the RSA public key.'),
    }


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
    observed_keys = {
        **{name: f'meta.{name}' for names in ALLOWED.values() for name in names},
        'source_container_ref': 'meta.container_ref',
        'type': 'type',
    }
    to_columns = staticmethod(order_columns)

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
        'order_ref': 'URL of the order.',
        'private_key': text('Generated private key.', since='5.0.0'),
        'public_key': text('Generated public key.', since='5.0.0'),
        'secret_ref': 'URL of the generated secret.',
        'status': 'Status of the order.',
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
