"""The attributes of Barbican objects, as Heat shows them."""

from heat_lite.resources.openstack import barbican

REF = 'http://k/v1/secrets/1'


def test_secret_columns_match_the_recorded_ones():
    found = {
        'created': '2026-11-21T18:22:20',
        'name': 's',
        'status': 'ACTIVE',
        'secret_type': 'opaque',
        'secret_ref': REF,
        'creator_id': 'x',
    }
    columns_of = barbican.secret_columns({**found, 'content_types': {'default': 'text/plain'}})
    assert (columns_of['Secret href'], columns_of['Created'], columns_of['Content types']) == (
        REF,
        '2026-11-21T18:22:20+00:00',
        {'default': 'text/plain'},
    )
    assert (
        list(columns_of)[-2:] == ['Mode', 'Expiration']
        and columns_of['Expiration'] is None
        and 'creator_id' not in columns_of
    )


def test_container_columns_depend_on_its_type():
    found = {
        'created': '2026-11-21T18:22:21',
        'status': 'ACTIVE',
        'container_ref': 'c',
        'name': None,
        'consumers': [],
    }
    common = {'Container href': 'c', 'Name': None, 'Status': 'ACTIVE', 'Consumers': None}
    generic = barbican.container_columns(
        {**found, 'type': 'generic', 'secret_refs': [{'name': 'a', 'secret_ref': REF}]}
    )
    assert generic == {
        **common,
        'Created': '2026-11-21T18:22:21+00:00',
        'Type': 'generic',
        'Secrets': f'a={REF}',
    }
    rsa = barbican.container_columns(
        {**found, 'type': 'rsa', 'secret_refs': [{'name': 'public_key', 'secret_ref': REF}]}
    )
    parts = {'Public Key': REF, 'Private Key': None, 'PK Passphrase': None}
    assert rsa == {**common, 'Created': '2026-11-21T18:22:21.000000', 'Type': 'rsa', **parts}


def test_order_columns_match_the_recorded_ones():
    columns_of = barbican.order_columns(
        {
            'type': 'key',
            'order_ref': 'o',
            'secret_ref': REF,
            'status': 'ACTIVE',
            'created': '2026-11-21T18:22:20',
        }
    )
    assert (
        columns_of['Type'],
        columns_of['Container href'],
        columns_of['Secret href'],
        columns_of['Error code'],
    ) == (
        'Key',
        'N/A',
        REF,
        None,
    )
