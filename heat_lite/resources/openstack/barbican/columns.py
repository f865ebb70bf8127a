"""The attribute ``show`` of Barbican types: the columns of python-barbicanclient."""

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
#: types of containers with fixed secrets -> names of secrets -> columns
PARTS = {
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


def secret(found):
    columns = {column: found.get(key) for column, key in SECRET.items()}
    return {
        **columns,
        'Created': _time(found.get('created')),
        'Expiration': _time(found.get('expiration')),
    }


def container(found):
    refs = {each['name']: each['secret_ref'] for each in found.get('secret_refs') or ()}
    kind, created = found.get('type'), found.get('created')
    columns = {
        'Container href': found.get('container_ref'),
        'Name': found.get('name'),
        'Created': _time(created)
        if kind == 'generic'
        else created and f'{created.partition(".")[0]}.000000',
        'Status': found.get('status'),
        'Type': kind,
    }
    if kind == 'generic':
        columns['Secrets'] = '\n'.join(f'{name}={ref}' for name, ref in refs.items())
    columns.update({column: refs.get(part) for column, part in PARTS.get(kind, {}).items()})
    users = '\n'.join(f'{each["name"]}={each["URL"]}' for each in found.get('consumers') or ())
    return {**columns, 'Consumers': users or None}


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
    """Return a time in UTC: Barbican omits the time zone."""
    return text and f'{text.partition(".")[0]}+00:00'
