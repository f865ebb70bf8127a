"""What Heat has made is renamed, moved, planned and set back like what an engine has made."""

import pytest

from heat_lite.db import migration, models, resources as db_resources, session
from heat_lite.db.heat_database import give_back
from tests import engines, heat_database

OWN = 'heat_lite_2026-12-01'


@pytest.fixture(params=heat_database.BACKENDS, scope='module')
def driver(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp('db')
    with heat_database.loaded(request.param, folder) as url:
        migration.sync(url, report=lambda text: None)
        quiet = {'take_over_interval': 3600}
        with engines.running(url, auth_encryption_key=heat_database.KEY, ours=quiet) as made:
            made.context.project_id = heat_database.PROJECT
            yield made


@pytest.fixture(params=['leg', 'cnv'])
def made_by(request):
    return request.param


def named(driver, name):
    return driver.client.identify_stack(driver.context, stack_name=name)


def template_of(driver, identity):
    return driver.client.get_template(driver.context, stack_identity=identity)


def without(template, resources, outputs):
    kept = {name: each for name, each in template['resources'].items() if name not in resources}
    rest = {name: each for name, each in template['outputs'].items() if name not in outputs}
    return {**template, 'resources': kept, 'outputs': rest}


def ask(driver, method, identity, template=None, **more):
    """Send an update or its preview, with the stored template, parameters and files by default."""
    args = {'existing': True, **more.pop('args', {})}
    arguments = {'stack_identity': identity, 'template': template, 'params': {}, 'files': {}}
    return method(driver.context, **arguments, args=args, **more)


def preview(driver, identity, template=None, **more):
    return ask(driver, driver.client.preview_update_stack, identity, template, **more)


def update(driver, identity, template=None, **more):
    ask(driver, driver.client.update_stack, identity, template, **more)
    driver.wait(identity)
    assert driver.state(identity) == 'UPDATE_COMPLETE', driver.stack(identity)[
        'stack_status_reason'
    ]


def move(driver, *moves, stacks=None):
    pairs = [dict(zip(('from', 'to'), each, strict=True)) for each in moves]
    driver.client.refactor_stacks(driver.context, stacks=stacks or {}, moves=pairs)


def objects(identity):
    return {row.name: row.nova_instance for row in db_resources.list_by_stack(identity['stack_id'])}


def test_resources_are_renamed_and_move_to_a_new_stack(driver, made_by):
    name, other = f'{made_by}-basic-1', f'{made_by}-other'
    identity = named(driver, name)
    before, outputs = objects(identity), driver.outputs(identity)
    move(driver, (f'{name}/a', f'{name}/first'))
    assert driver.outputs(identity) == outputs
    rest = without(template_of(driver, identity), ['s'], ['s'])
    move(driver, (f'{name}/s', f'{other}/s'), stacks={name: {'template': rest}, other: {}})
    moved = named(driver, other)
    assert {**objects(identity), 'a': objects(identity)['first'], **objects(moved)} == {
        **before,
        'first': before['a'],
    }
    told = {row.id for row, reason in give_back.losses() if reason == give_back.UNREACHED}
    assert identity['stack_id'] in told
    for each in identity, moved:
        assert not preview(driver, each)['has_changes']
        update(driver, each, args={'converge': True})
    # the definition of Heat is the first revision, and the former names come back with it
    first = driver.client.list_revisions(driver.context, stack_identity=identity)[-1]
    update(driver, identity, revision=first['number'])
    assert driver.outputs(identity) == outputs
    driver.delete(moved)
    driver.delete(identity)
    deleted = [name for name, state in driver.events(identity) if state == 'DELETE_COMPLETE']
    assert [name for name in deleted if name in 'abc'] == ['c', 'b', 'a']


def test_member_of_a_group_becomes_a_resource_of_the_stack(driver, made_by):
    identity = named(driver, f'{made_by}-group-1')
    before, template = driver.outputs(identity)['g'], template_of(driver, identity)
    properties = template['resources']['g']['properties']
    member = properties['resource_def']
    group = {'type': 'OS::Heat::ResourceGroup', 'properties': {**properties, 'count': 1}}
    wanted = {
        **template,
        'heat_template_version': OWN,
        'moved': [{'from': 'g/0', 'to': 'web'}],
        'resources': {'g': group, 'web': member},
        'outputs': {**template['outputs'], 'web': {'value': {'get_attr': ['web', 'out']}}},
    }
    update(driver, identity, wanted)
    assert driver.outputs(identity) == {'web': before[0], 'g': before[1:]}
    assert not preview(driver, identity)['has_changes']
    driver.delete(identity)


def test_users_and_addresses_of_signals_go_with_the_handles(driver, made_by):
    name, other = f'{made_by}-wait-1', f'{made_by}-users'
    identity = named(driver, name)
    before = objects(identity)
    rest = without(template_of(driver, identity), ['aws', 'h'], ['aws', 'sig'])
    moves = [(f'{name}/{each}', f'{other}/{each}') for each in ('aws', 'h')]
    move(driver, *moves, stacks={name: {'template': rest}, other: {}})
    moved = named(driver, other)
    assert objects(identity) | objects(moved) == before
    data = {'UniqueId': '1', 'Status': 'SUCCESS', 'Data': 'd', 'Reason': 'r'}
    driver.client.resource_signal(
        driver.context, stack_identity=identity, resource_name='aws', details=data, sync_call=True
    )
    metadata = driver.resource(moved, 'aws')['metadata']
    assert metadata['1']['Data'] == 'd'


def test_stack_is_renamed_and_its_former_address_scales_the_group(driver, made_by):
    name, shop = f'{made_by}-asg-1', f'{made_by}-shop'
    former = named(driver, name)
    outputs = driver.outputs(former)
    move(driver, (f'{name}/up', f'{name}/bigger'), stacks={name: {'name': shop}})
    identity = named(driver, shop)
    assert driver.outputs(identity) == outputs
    driver.client.resource_signal(
        driver.context, stack_identity=former, resource_name='up', details={}, sync_call=True
    )
    driver.wait(identity)
    assert driver.outputs(identity)['size'] == outputs['size'] + 1


def test_plan_is_made_and_applied(driver, made_by):
    """Also of a stack that Heat's legacy engine has left with a backup stack."""
    identity = named(driver, f'{made_by}-replace-1')
    before = driver.outputs(identity)['r']
    assert driver.state(identity) == 'UPDATE_FAILED'
    table = models.resource
    with session.engine().begin() as connection:  # no cloud has the network
        gone = table.update().where(table.c.name == 'net').values(nova_instance=None)
        connection.execute(gone)
    wanted = without(template_of(driver, identity), ['net', 't'], [])
    plan = preview(driver, identity, wanted, store=True)['plan']['id']
    update(driver, identity, plan=plan)
    assert driver.outputs(identity)['r'] == before
    assert objects(identity).keys() == {'r', 'h'}
