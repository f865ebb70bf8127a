"""An engine works on the stacks of a database that Heat has written."""

import subprocess
import sys

import pytest

from heat_lite.common.context import admin_context
from heat_lite.db import backup_stacks, events, migration, resources, services, stacks
from tests import databases, engines, heat_database
from tests.timeouts import WAIT_SECONDS

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
    with engines.running(url, auth_encryption_key=key, ours=quiet) as made:
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


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_stacks_of_both_engines_are_deleted_in_order(driver, engine):
    identity = identity_of(driver, f'{engine}-basic-1')
    driver.delete(identity)
    context = admin_context()
    assert stacks.get_row(context, identity['stack_id']).status == 'COMPLETE'
    deleted = [
        event.resource_name
        for event in events.list(context, identity['stack_id'])
        if (event.resource_action, event.resource_status) == ('DELETE', 'COMPLETE')
    ]
    assert [name for name in deleted if name in 'abc'] == ['c', 'b', 'a']


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_interrupted_create_is_deleted(driver, engine):
    identity = identity_of(driver, f'{engine}-slow-1')
    driver.delete(identity)
    assert stacks.get_row(admin_context(), identity['stack_id']).deleted_at is not None


@pytest.mark.parametrize('engine', ['leg', 'cnv'])
def test_nested_stacks_are_deleted_with_their_root(driver, engine):
    identity = identity_of(driver, f'{engine}-group-1')
    tree = stacks.tree_ids(admin_context(), identity['stack_id'])
    assert len(tree) == 4
    driver.delete(identity)
    assert all(stacks.get_row(admin_context(), each).deleted_at for each in tree)


def test_resources_of_a_backup_stack_become_those_of_its_owner(url):
    migration.sync(url, report=lambda text: None)
    context = admin_context()
    with databases.configured(url, key=heat_database.KEY):
        named = {row.name: row for row in stacks.list(context) if row.owner_id is None}
        owner = named['leg-replace-1']
        assert backup_stacks.absorb_backups(context, owner.id) == 1
        assert backup_stacks.absorb_backups(context, owner.id) == 0
        assert stacks.tree_ids(context, owner.id) == [owner.id]
        rows = resources.list_by_stack(context, owner.id)
        own = {row.name for row in rows if row.current_template_id == owner.raw_template_id}
        replaced = {row.name for row in rows if row.current_template_id != owner.raw_template_id}
        assert (own, replaced) == ({'h', 'net', 'r', 't'}, {'r', 't'})


def test_database_with_a_living_engine_of_heat_is_not_taken_over(url, tmp_path):
    with databases.configured(url):
        services.create(admin_context(), **HEAT_ENGINE)
    path = tmp_path / 'heat-lite.conf'
    options = f'auth_encryption_key = {heat_database.KEY}\n[database]\nconnection = {url}\n'
    path.write_text(f'[DEFAULT]\n{options}', encoding='utf-8')
    for module, *command in (['engine'], ['manage', 'db_sync']):
        program = [sys.executable, '-W', 'ignore', '-m', f'heat_lite.cmd.{module}']
        done = subprocess.run(
            [*program, '--config-file', str(path), *command],
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
        )
        assert done.returncode == 1
        assert HEAT_ENGINE['engine_id'] in done.stderr and 'Stop it first' in done.stderr
    assert migration.version(url) == '97b2a986f922'
