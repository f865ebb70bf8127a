"""An engine works on the stacks of a database that Heat has written."""

import datetime
import json
import subprocess
import sys
import uuid
from pathlib import Path

import kombu
import pytest
import sqlalchemy
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.clients import keystone
from heat_lite.common import cipher
from heat_lite.common.context import admin_context
from heat_lite.conf import identity as identity_options
from heat_lite.db import (
    connections,
    credentials,
    events,
    journal,
    migration,
    models,
    resources,
    services,
    session,
    snapshots,
    stacks,
    templates,
)
from heat_lite.db.heat_database import give_back, heat_rows
from heat_lite.db.maintenance import backup_stacks, purge
from heat_lite.operate.heat_database import commands, reader, report, user_projects
from tests import brokers, databases, engines, heat_database, identity, stack_domain
from tests.timeouts import WAIT_SECONDS

MANAGE = Path(sys.executable).parent / 'heat-lite-manage'
HEAT_ENGINE = {
    'engine_id': 'dae7ccd0-a2e1-4893-97ac-75c16395e33f',
    'host': 'controller',
    'hostname': 'controller',
    'binary': 'heat-engine',
    'topic': 'engine',
    'report_interval': 60,
}


@pytest.fixture(params=heat_database.BACKENDS)
def url(request, tmp_path):
    with heat_database.loaded(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def driver(url):
    migration.sync(url, report=lambda text: None)
    # no take-over: the interrupted creates of the fixture would wait for minutes
    quiet = {'take_over_interval': 3600}
    key = heat_database.KEY
    abandon = {'enable_stack_abandon': True, 'enable_stack_adopt': True}
    with engines.running(url, auth_encryption_key=key, ours=quiet, **abandon) as made:
        made.context.project_id = heat_database.PROJECT
        yield made


def identity_of(driver, name):
    return driver.client.identify_stack(driver.context, stack_name=name)


def outputs_of(driver, name):
    shown = driver.stack(identity_of(driver, name))
    return {each['output_key']: each['output_value'] for each in shown['outputs']}


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_stacks_of_both_engines_are_shown(driver, engine):
    shown = outputs_of(driver, f'{engine}-basic-1')
    assert (shown['c'], shown['s'], len(shown['a'])) == ('hello', 'veryquiet', 12)
    members = outputs_of(driver, f'{engine}-group-1')['g']
    assert [len(member) for member in members] == [32, 32]


@pytest.mark.parametrize('former', [[], [identity_options.WELL_KNOWN_KEY]], ids=['same', 'former'])
def test_rows_that_the_default_key_has_encrypted_are_read(tmp_path, former):
    default = identity_options.WELL_KNOWN_KEY
    quiet = {'take_over_interval': 3600, 'former_encryption_keys': former}
    with heat_database.loaded('mysql', tmp_path, key=default) as url:
        migration.sync(url, report=lambda text: None)
        key = heat_database.KEY if former else default
        with engines.running(url, auth_encryption_key=key, ours=quiet) as driver:
            driver.context.project_id = heat_database.PROJECT
            assert outputs_of(driver, 'leg-basic-1')['s'] == 'veryquiet'
            ids = next(heat_rows.living_ids(1000))
            findings = reader.Reader(driver.service.runtime).read(ids)
            assert not any(each.reasons for each in findings)


def test_environment_of_heat_names_its_encrypted_parameters(driver):
    basic = identity_of(driver, 'leg-basic-1')
    environment = driver.client.get_environment(driver.context, stack_identity=basic)
    assert environment['encrypted_param_names'] == ['secret']
    assert environment['parameters']['secret'] == '******'
    plain = driver.create({'resources': {}}, 'plain', params={'encrypted_param_names': ['x']})
    environment = driver.client.get_environment(driver.context, stack_identity=plain)
    assert environment['encrypted_param_names'] == ['x']


def test_report_names_the_secret_that_no_key_decrypts(url, driver):
    wait = identity_of(driver, 'leg-wait-1')['stack_id']
    statement = (
        "UPDATE resource_data SET value = 'x' WHERE resource_data.key = 'secret_key' AND "
        f"resource_id = (SELECT id FROM resource WHERE name = 'aws' AND stack_id = '{wait}')"
    )
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        assert connection.exec_driver_sql(statement).rowcount == 1
    ids = next(heat_rows.living_ids(1000))
    findings = reader.Reader(driver.service.runtime).read(ids)
    (found,) = [each for each in findings if each.reasons]
    place = f'secret_key of resource aws of stack {wait}'
    assert (found.name, found.reasons) == ('leg-wait-1', [reader.KEY.format(place)])


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_preview_names_the_member_that_a_smaller_group_deletes(driver, engine):
    group = identity_of(driver, f'{engine}-group-1')
    changes = driver.client.preview_update_stack(
        driver.context,
        stack_identity=group,
        template=driver.client.get_template(driver.context, stack_identity=group),
        params={'parameters': {'size': 1}},
        files=None,
        args={'show_nested': True, 'existing': True},
    )
    assert '1' in [each['resource_name'] for each in changes['deleted']]


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_stacks_of_both_engines_are_deleted_in_order(driver, engine):
    identity = identity_of(driver, f'{engine}-basic-1')
    driver.delete(identity)
    assert stacks.get_row(identity['stack_id']).status == 'COMPLETE'
    deleted = [
        event.resource_name
        for event in events.list_rows(identity['stack_id'])
        if (event.resource_action, event.resource_status) == ('DELETE', 'COMPLETE')
    ]
    assert [name for name in deleted if name in 'abc'] == ['c', 'b', 'a']


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_interrupted_create_is_deleted(driver, engine):
    identity = identity_of(driver, f'{engine}-slow-1')
    driver.delete(identity)
    assert stacks.get_row(identity['stack_id']).deleted_at is not None


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_nested_stacks_are_deleted_with_their_root(driver, engine):
    identity = identity_of(driver, f'{engine}-group-1')
    tree = stacks.tree_ids(identity['stack_id'])
    assert len(tree) == 4
    driver.delete(identity)
    assert all(stacks.get_row(each).deleted_at for each in tree)


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_abandoned_stack_is_adopted_and_its_rows_are_purged(driver, engine):
    name = f'{engine}-group-1'
    identity, outputs = identity_of(driver, name), outputs_of(driver, name)
    tree = stacks.tree_ids(identity['stack_id'])
    document = driver.client.abandon_stack(driver.context, stack_identity=identity)
    driver.wait_for_free_lock(identity)
    driver.create(document['template'], name, adopt_stack_data=json.dumps(document))
    purge.purge_deleted(0, 'seconds', grace=datetime.timedelta(0))
    assert not any(stacks.get_row(each) for each in tree)
    assert outputs_of(driver, name) == outputs


def test_resources_of_a_backup_stack_become_those_of_its_owner(url):
    migration.sync(url, report=lambda text: None)
    context = admin_context()
    with databases.configured(url, key=heat_database.KEY):
        named = {row.name: row for row in stacks.list_rows(context) if row.owner_id is None}
        owner = named['leg-replace-1']
        assert backup_stacks.absorb_backups(owner.id) == 1
        assert backup_stacks.absorb_backups(owner.id) == 0
        assert stacks.tree_ids(owner.id) == [owner.id]
        rows = resources.list_by_stack(owner.id)
        own = {row.name for row in rows if row.current_template_id == owner.raw_template_id}
        replaced = {row.name for row in rows if row.current_template_id != owner.raw_template_id}
        assert (own, replaced) == ({'h', 'net', 'r', 't'}, {'r', 't'})


def test_given_back_database_has_the_form_of_heat(url):
    migration.sync(url, report=lambda text: None)
    key, context = heat_database.KEY, admin_context()
    quiet = {'take_over_interval': 3600}
    parameters = {'p': {'type': 'string', 'hidden': True}}
    template_of_r = {'type': 'OS::Heat::RandomString'}
    template = {'parameters': parameters, 'resources': {'r': template_of_r}}
    with engines.running(
        url, auth_encryption_key=key, encrypt_parameters_and_properties=True, ours=quiet
    ) as driver:
        made = driver.create(template, params={'parameters': {'p': 'vermilion'}})
        driver.create(template, 'second', params={'parameters': {'p': 'vermilion'}})
        group = {'type': 'OS::Heat::ResourceGroup', 'properties': {'resource_def': template_of_r}}
        parent = driver.create({'resources': {'group': group}}, 'parent')
        for identity in (made, parent):
            driver.wait_for_free_lock(identity)
        # Heat names what it stores encrypted
        environment = driver.client.get_environment(driver.context, stack_identity=made)
        assert environment['encrypted_param_names'] == ['p']
        assert environment['parameters'] == {'p': '******'}
    with databases.configured(url, key=key, encrypt=True):
        stacks.update(parent['stack_id'], {'stack_user_project_id': 'project-of-users'})
        resource = resources.list_by_stack(made['stack_id'])[0]
        databases.set_data(context, resource, 'signal_url', 'http://signal')
        databases.set_data(context, resource, 'password', 'verysecret', redact=True)
        databases.set_data(context, resource, 'metadata_put_url', 'http://put', redact=True)
        attachments = json.dumps([[{}, 'port-1', True], [{}, 'port-2', False]])
        databases.set_data(context, resource, 'plugs', attachments)
        migration.revert(url, lambda text: None, lambda: list(give_back.convert([key])))
    assert migration.version(url) == '97b2a986f922'
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection:
        query = "SELECT * FROM stack WHERE name IN ('stack', 'second')"
        found = connection.exec_driver_sql(query).all()
        assert all(row.convergence and row.current_traversal for row in found)
        # without a graph, Heat cannot show resources that the last update has not come to
        query = f"SELECT id FROM resource WHERE stack_id = '{made['stack_id']}'"
        rows = connection.exec_driver_sql(query).scalars().all()
        deps = next(json.loads(row.current_deps) for row in found if row.id == made['stack_id'])
        assert deps == {'edges': [[[row, True], None] for row in rows]}
        assert len({row.raw_template_id for row in found}) == 2
        assert not hasattr(found[0], 'digest')
        for row in found:
            query = f'SELECT environment FROM raw_template WHERE id = {row.raw_template_id}'
            environment = json.loads(connection.exec_driver_sql(query).scalar())
            assert environment['parameters'] == {'p': 'vermilion'}
        query = "SELECT stack_user_project_id FROM stack WHERE name LIKE 'parent-group-%%'"
        assert connection.exec_driver_sql(query).scalar() == 'project-of-users'
        query = f'SELECT * FROM resource_data WHERE resource_id = {resource.id}'
        data = {row.key: row for row in connection.exec_driver_sql(query)}
    assert data['heat_signal_url'].value == 'http://signal'
    assert data['metadata_put_url'].value == 'http://put', 'Heat does not decrypt it'
    assert data['user_id'].value == resource.nova_instance
    assert json.loads(data['internal_ports'].value) == [{'id': 'port-1'}]
    assert json.loads(data['external_ports'].value) == [{'id': 'port-2'}]
    secret = data['password']
    assert secret.decrypt_method == 'cryptography_decrypt_v1'
    assert cipher.decrypt(secret.decrypt_method, secret.value, key) == 'verysecret'


def test_interrupted_actions_are_told_and_given_back_as_failed(url):
    migration.sync(url, report=lambda text: None)
    context = admin_context()
    with databases.configured(url, key=heat_database.KEY):
        told = {row.name: reason for row, reason in give_back.interrupted()}
        assert set(told) == {'leg-slow-1', 'cnv-slow-1', 'leg-replace-2', 'cnv-replace-2'}
        assert told['cnv-slow-1'].startswith('its CREATE has not ended: it becomes FAILED')
        stack = next(row for row, _ in give_back.interrupted() if row.name == 'cnv-slow-1')
        ids = next(heat_rows.living_ids(1000))
        snapshot = {
            'stack_id': stack.id,
            'action': 'CREATE',
            'status': 'IN_PROGRESS',
            'tenant': 'p',
        }
        snapshots.create(context, snapshot)
        group = next(each for each in resources.list_by_stacks(ids) if each.name == 'asg')
        scaled = {**group.rsrc_metadata, 'scaling_in_progress': True}
        resources.set_metadata(group.id, scaled)
        changed = dict(give_back.convert([heat_database.KEY]))
        assert resources.get(group.id).rsrc_metadata == group.rsrc_metadata
        assert changed['stack, resource, snapshot: interrupted actions set to FAILED'] > 5
        assert give_back.interrupted() == []
        row = stacks.get_row(stack.id)
        assert (row.action, row.status) == ('CREATE', 'FAILED')
        assert row.status_reason == give_back.INTERRUPTED
        assert [each.status for each in snapshots.list_rows(stack.id)] == ['FAILED']
        rows = resources.list_by_stacks(ids)
        assert 'IN_PROGRESS' not in {row.status for row in rows}
        assert give_back.INTERRUPTED in {row.status_reason for row in rows}
        living = {row.name: row.status for row in heat_rows.stacks(ids).values()}
        assert living['leg-replace-2*'] == 'IN_PROGRESS'


def test_snapshots_are_given_back_as_heat_restores_them(url):
    migration.sync(url, report=lambda text: None)
    context = admin_context()
    with databases.configured(url, key=heat_database.KEY):
        named = {row.name: row.id for row in stacks.list_rows(context) if row.owner_id is None}
        saved = {'a': {'resource_id': 'id'}, 'b': {}}
        data, made = {'name': 's', 'resources': saved}, {}
        for name in ('cnv-basic-1', 'leg-basic-1', 'leg-wait-1'):
            values = {'stack_id': named[name], 'tenant': 'p', 'data': data}
            made[name] = snapshots.create(context, values)
        stacks.update(named['leg-wait-1'], {'digest': 'changed'})
        assert give_back.losses() == []
        changed = dict(give_back.convert([heat_database.KEY]))
        assert changed['snapshot: rows added for what resources have saved'] == 2
        table = models.snapshot
        with session.engine().connect() as connection:
            stored = dict(connection.execute(sqlalchemy.select(table.c.id, table.c.data)).all())
        for name, snapshot_id in made.items():
            # the legacy engine reads the snapshot alone
            kept = saved if name == 'leg-basic-1' else {}
            assert stored[snapshot_id]['resources'] == kept
            assert snapshots.list_rows(named[name])[0].data['resources'] == saved


def test_given_back_rows_refer_to_others_as_those_of_heat(url):
    migration.sync(url, report=lambda text: None)
    context = admin_context()
    with databases.configured(url, key=heat_database.KEY):
        root = next(row for row in stacks.list_rows(context) if row.name == 'cnv-group-1')
        row = stacks.get_row(root.id)
        with session.engine().connect() as connection:
            query = sqlalchemy.select(models.stack.c.id).where(models.stack.c.owner_id == root.id)
            nested_id = connection.execute(query).scalar()
        first = templates.store({'resources': {'first': {}}})
        values = {'user_creds_id': None, 'prev_raw_template_id': first}
        stacks.update(root.id, values)
        stacks.update(nested_id, {'user_creds_id': None})
        new = [
            {'uuid': str(uuid.uuid4()), 'name': name, 'requires': [], 'replaces': replaces}
            for name, replaces in (('old', None), ('stale', 999999))
        ]
        old, stale = journal.save(journal.ChangeSet(root.id, rows_added=new))
        replacement = {'uuid': str(uuid.uuid4()), 'name': 'old', 'requires': [], 'replaces': old}
        added = journal.ChangeSet(root.id, rows_added=[replacement])
        (replacement_id,) = journal.save(added)
        list(give_back.convert([heat_database.KEY]))
        found = {each.id: each for each in resources.list_by_stack(root.id)}
        assert (found[old].replaces, found[old].replaced_by) == (None, replacement_id)
        assert found[replacement_id].replaces == old and found[stale].replaces is None
        given = stacks.get_row(root.id)
        assert given.prev_raw_template_id is None and given.updated_at == row.updated_at
        assert templates.get(first) is None
        # a login without a secret, which nested stacks share
        assert given.user_creds_id is not None
        assert stacks.get_row(nested_id).user_creds_id == given.user_creds_id
        login = credentials.get_by_stack(root.id)
        assert (login.tenant_id, login.trust_id) == (heat_database.PROJECT, None)


def test_stacks_without_a_project_get_one_before_the_give_back(url):
    migration.sync(url, report=lambda text: None)
    context, conf = admin_context(), cfg.ConfigOpts()
    options.register(conf)
    conf([], project='heat_lite', default_config_files=[])
    conf.set_override('stack_user_domain_name', stack_domain.DOMAIN['name'])
    conf.set_override('stack_domain_admin', stack_domain.ADMIN)
    conf.set_override('stack_domain_admin_password', stack_domain.PASSWORD)
    with databases.configured(url, key=heat_database.KEY):
        root = next(row for row in stacks.list_rows(context) if row.name == 'cnv-group-1')
        stacks.update(root.id, {'stack_user_project_id': None})
        assert user_projects.count_missing() == 1
        service = stack_domain.Identity({})
        with identity.serve(service):
            conf.set_override('auth_uri', service.url, 'clients_keystone')
            domain = keystone.StackDomain(conf)
            assert user_projects.make_missing(domain) == 1
            made = stacks.get_row(root.id).stack_user_project_id
            assert domain.project_name(made) == f'{heat_database.PROJECT}-{root.id}'[:64]
            assert user_projects.make_missing(domain) == 0
        with pytest.raises(ValueError, match='could not be made in Keystone'):
            stacks.update(root.id, {'stack_user_project_id': None})
            user_projects.make_missing(domain)


@pytest.mark.parametrize('is_reached', [True, False], ids=['broker', 'no broker'])
def test_give_back_deletes_the_queues_that_killed_engines_have_left(is_reached, tmp_path):
    with (
        databases.migrated('mysql', tmp_path) as database,
        brokers.virtual_host_or_skip() as transport,
    ):
        with kombu.Connection(transport.replace('rabbit://', 'amqp://')) as connection:
            for topic in commands.HEAT_TOPICS:
                kombu.Queue(topic, durable=True, channel=connection.channel()).declare()
        file = tmp_path / 'heat.conf'
        file.write_text(
            f'[DEFAULT]\nauth_encryption_key = {heat_database.KEY}\n'
            f'transport_url = {transport if is_reached else "rabbit://127.0.0.1:1"}\n'
            f'[database]\nconnection = {database}\n'
        )
        command = (MANAGE, '--config-file', file, 'give_back')
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        topics = ', '.join(commands.HEAT_TOPICS)
        assert (f'did not delete the queues {topics}' in done.stdout) is not is_reached
        assert brokers.queue_kinds(transport).keys() == set(
            () if is_reached else commands.HEAT_TOPICS
        )


def test_processes_of_the_plan_leave_the_connections_of_the_command_as_they_are(url):
    conf = cfg.ConfigOpts()
    options.register(conf)
    conf.register_opts(session.OPTIONS, 'database')
    conf([], project='heat_lite', default_config_files=[])
    conf.set_override('connection', url, 'database')
    conf.set_override('auth_encryption_key', heat_database.KEY)
    session.configure(conf, silence=None)
    try:
        with session.engine().connect() as connection:
            number = sqlalchemy.text('SELECT COUNT(*) FROM stack WHERE deleted_at IS NULL')
            expected = connection.execute(number).scalar()
            writer = session.engine()
            assert len(list(report.read_stacks(conf))) == expected > 0
            assert session.engine() is writer
            assert connection.execute(number).scalar() == expected, 'the connection is still open'
    finally:
        session.dispose()


def test_database_with_a_living_engine_of_heat_is_not_taken_over(url, tmp_path):
    with databases.configured(url):
        services.create(**HEAT_ENGINE)
    path = tmp_path / 'heat-lite.conf'
    text = f'auth_encryption_key = {heat_database.KEY}\n[database]\nconnection = {url}\n'
    path.write_text(f'[DEFAULT]\n{text}', encoding='utf-8')

    def run(module, *command):
        program = [sys.executable, '-W', 'ignore', '-m', f'heat_lite.{module}']
        return subprocess.run(
            [*program, '--config-file', str(path), *command],
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
        )

    path.write_text(f'[DEFAULT]\n{text.replace(heat_database.KEY, "0" * 32)}', encoding='utf-8')
    done = run('operate.manage', 'db_sync', '--engines-are-stopped')
    assert done.returncode == 1 and 'No key decrypts trust_id of row' in done.stderr
    assert 'Nothing was changed.' in done.stderr
    path.write_text(f'[DEFAULT]\n{text}', encoding='utf-8')
    for module, *command in (['cmd.engine'], ['operate.manage', 'db_sync']):
        done = run(module, *command)
        assert done.returncode == 1
        assert HEAT_ENGINE['engine_id'] in done.stderr and 'Stop it first' in done.stderr
    planned = run('operate.manage', 'takeover', 'plan')
    assert planned.returncode == 0, planned.stderr
    for text in (HEAT_ENGINE['engine_id'], 'leg-slow-1', 'create table watch_rule'):
        assert text in planned.stdout
    assert 'Verdict: nothing is in the way.' in planned.stdout
    assert migration.version(url) == '97b2a986f922'
    assert run('operate.manage', 'db_sync', '--check').returncode == 3
    done = run('operate.manage', 'db_sync', '--engines-are-stopped')
    assert done.returncode == 0, done.stderr
    with databases.configured(url):
        assert not services.foreign('heat-lite-engine'), 'an engine can start now'
    assert run('operate.manage', 'db_sync', '--check').returncode == 0
