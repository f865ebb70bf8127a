"""Plans of creates: a stack that was previewed is created as shown, or not at all."""

import json
import uuid

import pytest
import sqlalchemy

from heat_lite.common import exception
from heat_lite.db import models, session
from tests.functional import shapes
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.functional.test_object_import import NETWORKS, lan, net, template  # noqa: F401
from tests.functional.test_plans import (
    SECRET,
    TEMPLATE,
    changed,
    database,
    expire,
    outputs,
    plans,
    settled,
)
from tests.functional.test_stack_lifecycle_rest import create, delete

# ruff: noqa: F811 - fixtures are arguments


def preview(service, name=None, user='demo', **more):
    """Return the plan of a create, and the name of its stack."""
    name = name or f'made-{uuid.uuid4().hex[:8]}'
    body = {'stack_name': name, 'template': TEMPLATE, **more}
    answer = service.ask('POST', '/stacks/preview', body, params={'store': 'true'}, user=user)
    assert answer.status_code == 200, answer.text
    return answer.json()['stack']['plan'], name


def apply(service, made, user='demo', **body):
    return service.ask('POST', '/stacks', {'plan': made['id'], **body}, user=user)


def seen(service, plan, **more):
    return service.ask('POST', '/stacks/preview', {'plan': plan['id']}, **more)


def path_of(answer, name):
    assert answer.status_code == 201, answer.text
    return f'/stacks/{name}/{answer.json()["stack"]["id"]}'


@shapes.of(*shapes.ALL)
def test_applied_plan_creates_what_its_preview_has_shown(service):
    given = {'word': 'two', 'secret': SECRET}
    plan, name = preview(service, parameters=given, tags='a', timeout_mins=7)
    assert (plan['stack_name'], plan['approver']) == (name, None)
    shown = seen(service, plan).json()['stack']
    assert (shown['plan'], shown['refused']) == (plan, None)
    assert plan in service.ask('GET', '/plans').json()['plans']
    path = path_of(apply(service, plan, message='as agreed'), name)
    stack = settled(service, path)
    assert stack['stack_status'] == 'CREATE_COMPLETE'
    assert outputs(stack) == {'web': 'two', 'next': 'two-'}
    assert (stack['tags'], stack['timeout_mins']) == (['a'], 7)
    assert stack['parameters']['secret'] == '******'
    copy = service.ask('GET', f'{path}/resources/copy').json()['resource']
    assert copy['attributes']['value'] == SECRET
    [revision] = service.ask('GET', f'{path}/revisions').json()['revisions']
    assert revision['message'] == f'plan {plan["id"]} of {plan["username"]}: as agreed'
    delete(service, path)
    again = apply(service, plan)
    assert (again.status_code, 'has no plan' in again.text) == (404, True)
    assert plan not in service.ask('GET', '/plans').json()['plans']


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_plan_of_a_name_that_was_taken_meanwhile_is_refused(service):
    plan, name = preview(service)
    path = create(service, name, TEMPLATE)
    settled(service, path)
    for answer in (apply(service, plan), seen(service, plan)):
        assert changed(answer) == [f'The Stack ({name}) already exists']
    delete(service, path)
    delete(service, path_of(apply(service, plan), name))


@shapes.of('embedded')
def test_plan_is_a_whole_create(service):
    plan, name = preview(service)
    for more in ({'stack_name': name}, {'template': TEMPLATE}, {'tags': 'x'}, {'plan': 7}):
        answer = apply(service, plan, **more)
        assert answer.status_code == 400, answer.text
    for ask in (apply, seen):
        for unknown in ('unknown', ''):
            assert ask(service, {'id': unknown}).status_code == 404
    path = create(service, f'other-{uuid.uuid4().hex[:8]}', TEMPLATE)
    settled(service, path)
    assert service.ask('PUT', path, {'plan': plan['id']}).status_code == 404
    query = {'store': 'true', 'live': 'true'}
    body = {'stack_name': name, 'template': TEMPLATE}
    assert service.ask('POST', '/stacks/preview', body, params=query).status_code == 400
    adopted = {**body, 'adopt_stack_data': json.dumps({'template': TEMPLATE, 'resources': {}})}
    answer = service.ask('POST', '/stacks/preview', adopted, params={'store': 'true'})
    assert 'A plan of an adoption is not supported' in answer.text
    delete(service, path)


@shapes.of('keystone')
def test_guarded_stack_is_created_only_by_a_plan_that_another_user_has_approved(service):
    body = {'stack_name': 'guarded', 'template': TEMPLATE, 'tags': 'guarded'}
    refused = service.ask('POST', '/stacks', body)
    assert (refused.status_code, refused.json()['error']['type']) == (403, 'ApprovalRequired')
    plan, name = preview(service, parameters={'secret': SECRET}, tags='guarded')
    assert apply(service, plan).status_code == 403
    assert 'approved' in seen(service, plan).json()['stack']['refused']
    approve = f'/plans/{plan["id"]}/approve'
    by_author = service.ask('POST', approve)
    assert by_author.status_code == 403 and 'author' in by_author.json()['error']['message']
    for user in ('reader', 'other'):
        answer = service.ask('POST', approve, user=user)
        assert answer.status_code in (403, 404), answer.text
    looked = seen(service, plan, user='second')
    assert looked.status_code == 200
    shown = looked.json()['stack']
    single = [each for each in shown['resources'] if isinstance(each, dict)]
    [copy] = [each for each in single if each['resource_name'] == 'copy']
    assert copy['property_changes'] and SECRET not in json.dumps(shown)
    assert service.ask('POST', approve, user='second').json()['plan']['approver'] == 'second'
    path = path_of(apply(service, plan), name)
    assert settled(service, path)['stack_status'] == 'CREATE_COMPLETE'
    [revision] = service.ask('GET', f'{path}/revisions').json()['revisions']
    assert revision['message'].endswith('of demo, approved by second')
    delete(service, path)


@shapes.of('keystone')
def test_reader_stores_no_plan_and_sees_what_none_would_do(service):
    plan, _ = preview(service)
    body = {'stack_name': 'of-a-reader', 'template': TEMPLATE}
    for query, status in (({}, 200), ({'store': 'true'}, 403)):
        answer = service.ask('POST', '/stacks/preview', body, params=query, user='reader')
        assert answer.status_code == status, answer.text
    assert seen(service, plan, user='reader').status_code == 403
    assert plan in service.ask('GET', '/plans', user='reader').json()['plans']


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_project_keeps_its_newest_plans_until_they_expire(service):
    made = [preview(service)[0] for _ in range(21)]
    known = [each['id'] for each in service.ask('GET', '/plans').json()['plans']]
    assert len(known) == 20 and made[-1]['id'] in known
    with database(service):
        expire()
    for ask in (apply, seen):
        answer = ask(service, made[-1])
        assert answer.status_code == 404 and 'expired' in answer.json()['error']['message']
    new, _ = preview(service)
    with database(service):
        assert plans() == [new['id']]


@shapes.of('embedded', 'mariadb')
def test_row_of_a_plan_has_no_hidden_parameter(service):
    preview(service, parameters={'secret': SECRET})
    with database(service), session.engine().connect() as connection:
        rows = connection.execute(sqlalchemy.select(models.stack_plan)).all()
    assert rows and SECRET not in str(rows)


# --------------------------------------------------------------- objects, limits


def stored(driver, given, name='planned', **args):
    made = driver.client.preview_stack(
        driver.context,
        stack_name=name,
        template=given,
        params={},
        files={},
        args=args,
        store=True,
    )
    return made['plan']['id']


def created(driver, plan):
    return driver.client.create_stack(
        driver.context, stack_name=None, template=None, params={}, files={}, args={}, plan=plan
    )


def test_plan_stands_on_the_imported_object(running_cloud, driver, lan):
    given = template(net=net(lan), other={'type': 'OS::Heat::RandomString'})
    plan = stored(driver, given)
    shown = running_cloud.cloud.objects[(*NETWORKS, lan)]
    shown['name'] = 'of another user'
    with pytest.raises(exception.PlanOutdated, match='have changed: resource net. Preview'):
        created(driver, plan)
    shown['name'] = 'lan'
    del running_cloud.cloud.objects[(*NETWORKS, lan)]
    with pytest.raises(exception.PlanOutdated, match=f'{lan}.*can not be found'):
        created(driver, plan)
    running_cloud.cloud.objects[(*NETWORKS, lan)] = shown
    stack = driver.wait(created(driver, plan))
    assert driver.state(stack) == 'CREATE_COMPLETE'
    assert driver.physical_id(stack, 'net') == lan


def test_plan_stands_on_objects_that_it_has_looked_up(running_cloud, driver, lan):
    subnet = {'network': 'lan', 'cidr': '192.0.2.0/24'}
    resources = {
        'sub': {'type': 'OS::Neutron::Subnet', 'properties': subnet},
        'outside': {'type': 'OS::Neutron::Net', 'external_id': lan},
    }
    plan = stored(driver, template(**resources), 'looking', observe=True)
    shown = running_cloud.cloud.objects.pop((*NETWORKS, lan))
    new = running_cloud.cloud.put(*NETWORKS, **{**shown, 'id': str(uuid.uuid4())})
    running_cloud.cloud.objects[(*NETWORKS, lan)] = {**shown, 'name': 'former'}
    with pytest.raises(exception.PlanOutdated) as caught:
        created(driver, plan)
    assert 'resource sub' in str(caught.value) and 'resource outside' in str(caught.value)
    del running_cloud.cloud.objects[(*NETWORKS, new)]
    running_cloud.cloud.objects[(*NETWORKS, lan)] = shown
    assert driver.state(driver.wait(created(driver, plan))) == 'CREATE_COMPLETE'
