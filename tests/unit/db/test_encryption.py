"""What is sealed cannot be read from the database, on each of the three; with the key it is as before; and the key may change."""

import uuid

import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import credentials, events, journal, models, reseal, resources, snapshots, software, stacks, templates
from tests import databases

OLD, NEW = 'the old key', 'the new key'
#: what is always secret, and what is where the operator wants it; a character that JSON escapes would hide it
ALWAYS = 'planted-password planted-trust planted-data planted-token'.split()
WANTED = 'planted-parameter planted-default planted-file planted-property planted-metadata planted-output planted-snapshot'.split()
WANTED += 'planted-value planted-part planted-config planted-input planted-result'.split()
ENVIRONMENT = {'parameters': {'p': 'planted-parameter'}}
TEMPLATE = {'heat_template_version': '2018-08-31', 'parameters': {'p': {'type': 'string', 'hidden': True, 'default': 'planted-default'}}}
FILES = {'file:///f': 'planted-file'}


def plant(context):
    """A row of each kind with secrets in it. What ``look`` needs to find them again."""
    creds = credentials.create(context, {'password': 'planted-password', 'trust_id': 'planted-trust'})
    template = templates.store(context, TEMPLATE, ENVIRONMENT, FILES)
    values = {'name': 'web', 'tenant': context.tenant_id, 'raw_template_id': template, 'user_creds_id': creds}
    values['asker'] = credentials.sealed_asker(RequestContext(auth_token='planted-token', overwrite=False))
    stack = stacks.create(context, {**values, 'outputs': [{'output_value': 'planted-output'}]})
    row = str(uuid.uuid4())
    event = str(uuid.uuid4())
    turn = journal.Turn(
        stack,
        rows_added=[{'uuid': row, 'name': 'r', 'rsrc_metadata': {'m': 'planted-metadata'}}],
        properties=[(row, {'p': 'planted-property'})],
        events=[{'row': row, 'resource_name': 'r', 'uuid': event}],
        data=[(row, 'd', 'planted-data', True), (row, 'v', 'planted-value', False)],
    )
    (row_id,) = journal.save(context, turn)
    snapshot = snapshots.create(context, {'stack_id': stack, 'data': {'s': 'planted-snapshot'}})
    snapshots.add_resource(context, snapshot, 'r', {'r': 'planted-part'})
    config = software.create_config(context, {'config': {'c': 'planted-config'}})
    inputs = {'config_id': config, 'server_id': 's', 'input_values': {'i': 'planted-input'}, 'output_values': {'o': 'planted-result'}}
    deployment = software.create_deployment(context, inputs)
    return {'stack': stack, 'row': row_id, 'event': event, 'snapshot': snapshot, 'config': config, 'deployment': deployment}


def look(context, planted):
    """All of it as the engine reads it."""
    stack = stacks.get(context, planted['stack'])
    creds, template, row = credentials.of_stack(context, stack.id), templates.get(context, stack.raw_template_id), planted['row']
    resource, event = resources.get(context, row), events.get(context, planted['event'])
    deployment = software.get_deployment(context, planted['deployment'])
    (part,) = snapshots.resources(context, planted['snapshot'])
    return [
        [creds.password, creds.trust_id, resource.data['d'], credentials.asker(stack.asker).auth_token],
        [template.environment['parameters']['p'], template.template['parameters']['p']['default'], template.files['file:///f']],
        [
            resource.properties['p'],
            event.properties['p'],
            resource.rsrc_metadata['m'],
            resource.data['v'],
            stack.outputs[0]['output_value'],
        ],
        [snapshots.get(context, planted['snapshot']).data['s'], part.data['r']],
        [software.get_config(context, planted['config']).config['c'], deployment.input_values['i'], deployment.output_values['o']],
    ]


EXPECTED = [
    ALWAYS,
    ['planted-parameter', 'planted-default', 'planted-file'],
    ['planted-property', 'planted-property', 'planted-metadata', 'planted-value', 'planted-output'],
    ['planted-snapshot', 'planted-part'],
    ['planted-config', 'planted-input', 'planted-result'],
]


def readable(words):
    text = databases.dump()
    return [word for word in words if word in text]


def change(encrypt, key, previous=None, batch_size=1):
    return {table: count for table, count in reseal.tables(encrypt, key, previous, batch_size) if count}


def test_only_with_the_key(backend_url, context):
    _, url = backend_url
    with databases.configured(url, key=OLD, encrypt=True):
        databases.wipe()
        planted = plant(context)
        assert look(context, planted) == EXPECTED
        assert readable(ALWAYS + WANTED) == []
        assert templates.find(context, TEMPLATE, ENVIRONMENT, FILES) == stacks.get(context, planted['stack']).raw_template_id
    with databases.configured(url, key=NEW, encrypt=True), pytest.raises(exception.InvalidEncryptionKey):
        look(context, planted)


def test_sealed_later_with_another_key_and_opened_again(backend_url, context):
    _, url = backend_url
    with databases.configured(url, key=OLD):
        databases.wipe()
        planted = plant(context)
        assert readable(ALWAYS) == [] and readable(WANTED) == WANTED
        assert look(context, planted) == EXPECTED
        changed = change(True, OLD)
        assert set(changed) == {table.name for table in (*reseal.WRAPPED, models.resource_data)} and changed['resource_data'] == 1
        assert change(True, OLD) == {}
        assert readable(ALWAYS + WANTED) == [] and look(context, planted) == EXPECTED
    with databases.configured(url, key=NEW, encrypt=True):
        with pytest.raises(ValueError, match='sealed with another key'):
            change(True, NEW, 'a third key')
        assert set(change(True, NEW, OLD)) == {table.name for table in (*reseal.WRAPPED, *reseal.SEALED)}
        assert readable(ALWAYS + WANTED) == [] and look(context, planted) == EXPECTED
        # what came while it was being done has the new key already
        more = plant_another(context)
        assert change(True, NEW, OLD, 50) == {} and credentials.get(context, more).password == 'planted-password'
        assert change(False, NEW) != {} and readable(ALWAYS) == [] and readable(WANTED) == WANTED
    with databases.configured(url, key=NEW):
        assert look(context, planted) == EXPECTED and change(False, NEW) == {}


def plant_another(context):
    return credentials.create(context, {'password': 'planted-password'})


def test_the_same_content_is_found_by_the_key_alone(backend_url, context):
    """Whoever has a copy of the database cannot try out values of parameters until the fingerprint fits."""
    _, url = backend_url
    hashes = []
    for key, encrypt in ((OLD, True), (NEW, True), (NEW, False)):
        with databases.configured(url, key=key, encrypt=encrypt):
            databases.wipe()
            templates.store(context, TEMPLATE, ENVIRONMENT)
            hashes.append([line for line in databases.dump().splitlines() if line.startswith('raw_template ')][0].rpartition(',')[2])
    assert len(set(hashes)) == 3
