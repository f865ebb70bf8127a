"""What ``show`` tells of the objects of the key manager: in the columns of the service's own client, as templates know them."""

NOTHING = 'N/A'
SECRET = {
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
#: the parts of containers that have fixed ones, and what they are called
PARTS = {
    'generic': {},
    'certificate': {
        'Certificate': 'certificate',
        'Intermediates': 'intermediates',
        'Private Key': 'private_key',
        'PK Passphrase': 'private_key_passphrase',
    },
    'rsa': {'Public Key': 'public_key', 'Private Key': 'private_key', 'PK Passphrase': 'private_key_passphrase'},
}


def secret(found):
    made = {column: found.get(key) for column, key in SECRET.items()}
    return {**made, 'Created': _time(found.get('created')), 'Expiration': _time(found.get('expiration'))}


def container(found):
    refs = {each['name']: each['secret_ref'] for each in found.get('secret_refs') or ()}
    kind, created = found.get('type'), found.get('created')
    made = {
        'Container href': found.get('container_ref'),
        'Name': found.get('name'),
        'Created': _time(created) if kind == 'generic' else created and f'{created.partition(".")[0]}.000000',
        'Status': found.get('status'),
        'Type': kind,
    }
    if kind == 'generic':
        made['Secrets'] = '\n'.join(f'{name}={ref}' for name, ref in refs.items())
    made.update({column: refs.get(part) for column, part in PARTS.get(kind, {}).items()})
    users = '\n'.join(f'{each["name"]}={each["URL"]}' for each in found.get('consumers') or ())
    return {**made, 'Consumers': users or None}


def order(found):
    return {
        'Order href': found.get('order_ref'),
        'Type': (found.get('type') or '').title(),
        'Container href': found.get('container_ref') or NOTHING,
        'Secret href': found.get('secret_ref') or NOTHING,
        'Created': _time(found.get('created')),
        'Status': found.get('status'),
        'Error code': found.get('error_status_code'),
        'Error message': found.get('error_reason'),
    }


def _time(text):
    """The service says no time zone: it means UTC."""
    return text and f'{text.partition(".")[0]}+00:00'
