"""Encrypted columns are unreadable without the key, on each database, and the key can change."""

import json
import uuid

import pytest
import sqlalchemy

from heat_lite.common import cipher, exception
from heat_lite.common.context import RequestContext
from heat_lite.db import (
    credentials,
    events,
    journal,
    models,
    resources,
    session,
    signals,
    snapshots,
    software,
    stack_creation,
    stacks,
    templates,
    watch_rules,
)
from heat_lite.db.maintenance import reencrypt
from tests import databases

OLD, NEW = 'the old key', 'the new key'
#: Values that are always encrypted, and those that are with encrypt_parameters_and_properties. They
#: contain no characters that JSON escapes.
ALWAYS = 'planted-password planted-trust planted-data planted-token'.split()
WANTED = 'planted-parameter planted-default planted-file planted-property'.split()
WANTED += 'planted-metadata planted-output planted-snapshot planted-rule'.split()
WANTED += 'planted-value planted-part planted-config planted-input planted-result'.split()
WANTED += ['planted-signal']
ENVIRONMENT = {'parameters': {'p': 'planted-parameter'}}
TEMPLATE = {
    'heat_template_version': '2018-08-31',
    'parameters': {'p': {'type': 'string', 'hidden': True, 'default': 'planted-default'}},
}
FILES = {'file:///f': 'planted-file'}
ENGINE = 'engine-1'


def plant(context):
    """Insert a row with secrets in each table. Return the ids that ``look`` needs."""
    creds = credentials.create({'password': 'planted-password', 'trust_id': 'planted-trust'})
    template = templates.store(TEMPLATE, ENVIRONMENT, FILES)
    values = {
        'name': 'web',
        'tenant': context.tenant_id,
        'raw_template_id': template,
        'user_creds_id': creds,
    }
    values['asker'] = credentials.encrypt_requester(
        RequestContext(auth_token='planted-token', overwrite=False)
    )
    stack = stack_creation.create({**values, 'outputs': [{'output_value': 'planted-output'}]})
    row = str(uuid.uuid4())
    event = str(uuid.uuid4())
    turn = journal.ChangeSet(
        stack,
        rows_added=[{'uuid': row, 'name': 'r', 'rsrc_metadata': {'m': 'planted-metadata'}}],
        properties=[(row, {'p': 'planted-property'})],
        events=[{'row': row, 'resource_name': 'r', 'uuid': event}],
        data=[(row, 'd', 'planted-data', True), (row, 'v', 'planted-value', False)],
    )
    (row_id,) = journal.save(turn)
    signals.add(row_id, ENGINE, {'s': 'planted-signal'})
    snapshot = snapshots.create(context, {'stack_id': stack, 'data': {'s': 'planted-snapshot'}})
    databases.add_snapshot_part(context, snapshot, 'r', {'r': 'planted-part'})
    config = software.create_config(context, {'config': {'c': 'planted-config'}})
    inputs = {
        'config_id': config,
        'server_id': 's',
        'input_values': {'i': 'planted-input'},
        'output_values': {'o': 'planted-result'},
    }
    deployment = software.create_deployment(context, inputs)
    watch_rules.put(stack, 'alarm', {'rule': {'r': 'planted-rule'}})
    return {
        'stack': stack,
        'row': row_id,
        'event': event,
        'snapshot': snapshot,
        'config': config,
        'deployment': deployment,
    }


def look(context, planted):
    """Return all values as the engine reads them."""
    stack = stacks.get(context, planted['stack'])
    creds, template, row = (
        credentials.get_by_stack(stack.id),
        templates.get(stack.raw_template_id),
        planted['row'],
    )
    resource, event = resources.get(row), events.get(planted['event'])
    deployment = software.get_deployment(context, planted['deployment'])
    (part,) = databases.snapshot_parts(context, planted['snapshot'])
    (signal,) = signals.waiting(row, ENGINE)
    return [
        [
            creds.password,
            creds.trust_id,
            resource.data['d'],
            credentials.decrypt_requester(stack.asker).auth_token,
        ],
        [
            template.environment['parameters']['p'],
            template.template['parameters']['p']['default'],
            template.files['file:///f'],
        ],
        [
            resource.properties['p'],
            event.properties['p'],
            resource.rsrc_metadata['m'],
            resource.data['v'],
            signal.details['s'],
            stack.outputs[0]['output_value'],
        ],
        [snapshots.get(context, planted['snapshot']).data['s'], part.data['r']],
        [watch_rules.find(stack.id, 'alarm').rule['r']],
        [
            software.get_config(context, planted['config']).config['c'],
            deployment.input_values['i'],
            deployment.output_values['o'],
        ],
    ]


EXPECTED = [
    ALWAYS,
    ['planted-parameter', 'planted-default', 'planted-file'],
    ['planted-property', 'planted-property', 'planted-metadata', 'planted-value']
    + ['planted-signal', 'planted-output'],
    ['planted-snapshot', 'planted-part'],
    ['planted-rule'],
    ['planted-config', 'planted-input', 'planted-result'],
]


def readable(words):
    text = databases.dump()
    return [word for word in words if word in text]


def change(encrypt, key, previous=None, batch_size=1):
    target = reencrypt.Target(encrypt, [key] if previous is None else [key, previous])
    return {table: n for table, n in reencrypt.reencrypt_tables(target, batch_size) if n}


def test_secrets_are_readable_with_the_key_only(backend_url, context):
    _, url = backend_url
    with databases.configured(url, key=OLD, encrypt=True):
        databases.delete_all_rows()
        planted = plant(context)
        assert look(context, planted) == EXPECTED
        assert readable(ALWAYS + WANTED) == []
        assert (
            templates.find(TEMPLATE, ENVIRONMENT, FILES)
            == stacks.get(context, planted['stack']).raw_template_id
        )
    with (
        databases.configured(url, key=NEW, encrypt=True),
        pytest.raises(exception.InvalidEncryptionKey),
    ):
        look(context, planted)


def test_reencryption_changes_the_key_and_decrypts_again(backend_url, context):
    _, url = backend_url
    with databases.configured(url, key=OLD):
        databases.delete_all_rows()
        planted = plant(context)
        assert readable(ALWAYS) == [] and readable(WANTED) == WANTED
        assert look(context, planted) == EXPECTED
        changed = change(True, OLD)
        assert (
            set(changed)
            == {
                table.name
                for table in (
                    *reencrypt.PREFIX_COLUMNS,
                    reencrypt.PROPERTIES_TABLE,
                    models.resource_data,
                )
            }
            and changed['resource_data'] == 1
        )
        assert change(True, OLD) == {}
        assert readable(ALWAYS + WANTED) == [] and look(context, planted) == EXPECTED
    with databases.configured(url, key=NEW, encrypt=True):
        with pytest.raises(ValueError, match='encrypted with none of the given keys'):
            change(True, NEW, 'a third key')
        assert set(change(True, NEW, OLD)) == {
            table.name
            for table in (
                *reencrypt.PREFIX_COLUMNS,
                reencrypt.PROPERTIES_TABLE,
                *reencrypt.METHOD_COLUMNS,
            )
        }
        assert readable(ALWAYS + WANTED) == [] and look(context, planted) == EXPECTED
        # Rows inserted during the re-encryption have the new key.
        more = plant_another(context)
        assert (
            change(True, NEW, OLD, 50) == {}
            and credentials.get(more).password == 'planted-password'
        )
        assert change(False, NEW) != {} and readable(ALWAYS) == [] and readable(WANTED) == WANTED
    with databases.configured(url, key=NEW):
        assert look(context, planted) == EXPECTED and change(False, NEW) == {}


def test_properties_are_encrypted_one_by_one(backend_url, context):
    _, url = backend_url
    table = sqlalchemy.table(
        'resource_properties_data', *map(sqlalchemy.column, ('data', 'encrypted'))
    )
    with databases.configured(url, key=OLD, encrypt=True):
        databases.delete_all_rows()
        planted = plant(context)

        @session.reader
        def stored():
            return session.execute(sqlalchemy.select(table.c.data, table.c.encrypted)).one()

        text, encrypted = stored()
        method, ciphertext = json.loads(text)['p']
        assert encrypted and json.loads(cipher.decrypt(method, ciphertext, OLD)) == (
            'planted-property'
        )
        assert look(context, planted) == EXPECTED


def plant_another(context):
    return credentials.create({'password': 'planted-password'})


def test_content_hash_depends_on_the_key(backend_url, context):
    """A reader of the database cannot guess parameters by comparing fingerprints."""
    _, url = backend_url
    hashes = []
    for key, encrypt in ((OLD, True), (NEW, True), (NEW, False)):
        with databases.configured(url, key=key, encrypt=encrypt):
            databases.delete_all_rows()
            templates.store(TEMPLATE, ENVIRONMENT)
            hashes.append(
                [
                    line
                    for line in databases.dump().splitlines()
                    if line.startswith('raw_template ')
                ][0].rpartition(',')[2]
            )
    assert len(set(hashes)) == 3
