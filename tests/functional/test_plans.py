"""Plans: an update that was previewed does what the preview has shown, or nothing.

HEAT_LITE_ROUNDS is the number of races.
"""

import concurrent.futures
import contextlib
import datetime
import json
import os
import time
import uuid

import pytest
import sqlalchemy

from heat_lite.db import models, session
from tests import databases
from tests.functional import shapes
from tests.functional.test_stack_lifecycle_rest import create, delete, outputs, settled

ROUNDS = int(os.environ.get('HEAT_LITE_ROUNDS', '20'))
SECRET = 'a secret that no plan shows'
VALUE = {'get_param': 'word'}
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'parameters': {
        'word': {'type': 'string', 'default': 'one'},
        'other': {'type': 'string', 'default': '-'},
        'secret': {'type': 'string', 'hidden': True, 'default': ''},
    },
    'resources': {
        'web': {'type': 'OS::Heat::TestResource', 'properties': {'value': VALUE}},
        'next': {
            'type': 'OS::Heat::TestResource',
            'properties': {'value': {'list_join': ['', [VALUE, {'get_param': 'other'}]]}},
        },
        'group': {
            'type': 'OS::Heat::ResourceGroup',
            'properties': {
                'count': 1,
                'resource_def': {'type': 'OS::Heat::TestResource', 'properties': {'value': VALUE}},
            },
        },
        'copy': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_param': 'secret'}}},
    },
    'outputs': {
        'web': {'value': {'get_attr': ['web', 'output']}},
        'next': {'value': {'get_attr': ['next', 'output']}},
    },
}


@pytest.fixture
def path(service):
    path = create(service, f'plan-{uuid.uuid4().hex[:8]}', TEMPLATE)
    assert settled(service, path)['stack_status'] == 'CREATE_COMPLETE'
    yield path
    delete(service, path)


def plan(service, path, method='PATCH', **body):
    answer = service.ask(method, f'{path}/preview', body, params={'store': 'true'})
    assert answer.status_code == 200, answer.text
    return answer.json()


def apply(service, path, made, **body):
    return service.ask('PUT', path, {'plan': made['plan']['id'], **body})


def changed(answer):
    """Return what a refusal says that has changed."""
    assert answer.status_code == 409, answer.text
    error = answer.json()['error']
    assert error['type'] == 'PlanOutdated'
    return error['message'].partition('changed: ')[2].partition('. ')[0].split(', ')


def update(service, path, **body):
    assert service.ask('PATCH', path, body).status_code == 202
    return settled(service, path)


@shapes.of(*shapes.ALL)
def test_applied_plan_does_what_its_preview_has_shown(service, path):
    made = plan(service, path, parameters={'word': 'two'}, tags='a')
    updated = {each['resource_name'] for each in made['resource_changes']['updated']}
    assert updated == {'web', 'next', 'group'}
    again = service.ask('PUT', f'{path}/preview', {'plan': made['plan']['id']}).json()
    assert again == made
    assert apply(service, path, made).status_code == 202
    stack = settled(service, path)
    assert outputs(stack) == {'web': 'two', 'next': 'two-'}
    assert (stack['tags'], stack['digest']) == (['a'], made['digest'])
    newest = service.ask('GET', f'{path}/revisions').json()['revisions'][0]
    assert newest['message'] == f'plan {made["plan"]["id"]} of {made["plan"]["username"]}'
    assert {'revision', 'parameters', 'options'} <= set(changed(apply(service, path, made)))


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_outdated_plan_is_refused_with_what_has_changed(service, path):
    made = plan(service, path, parameters={'word': 'two'})
    update(service, path, parameters={'other': 'x'})
    found = changed(apply(service, path, made))
    assert found == ['revision', 'parameters', 'what becomes of next']
    seen = service.ask('PUT', f'{path}/preview', {'plan': made['plan']['id']}).json()
    assert ', '.join(found) in seen['refused']
    assert outputs(settled(service, path)) == {'web': 'one', 'next': 'onex'}
    made = plan(service, path, parameters={'word': 'two'})
    unhealthy = {'mark_unhealthy': True}
    assert service.ask('PATCH', f'{path}/resources/web', unhealthy).status_code == 200
    assert {'resource web', 'what becomes of web'} <= set(changed(apply(service, path, made)))
    update(service, path, existing=True)
    # back at the same definition: the plan was made for another revision
    made = plan(service, path, parameters={'word': 'two'})
    update(service, path, parameters={'other': 'y'})
    update(service, path, parameters={'other': 'x'})
    assert 'revision' in changed(apply(service, path, made))


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_check_of_the_stack_leaves_a_plan_as_it_is(service, path):
    made = plan(service, path, parameters={'word': 'two'})
    assert service.ask('POST', f'{path}/actions', {'check': None}).status_code == 200
    settled(service, path)
    assert apply(service, path, made, message='as agreed').status_code == 202
    assert outputs(settled(service, path))['web'] == 'two'
    newest = service.ask('GET', f'{path}/revisions').json()['revisions'][0]
    author = f'plan {made["plan"]["id"]} of {made["plan"]["username"]}'
    assert newest['message'] == f'{author}: as agreed'


@shapes.of('embedded')
def test_plan_is_a_whole_update(service, path):
    made = plan(service, path, parameters={'word': 'two'})
    for method, body in (
        ('PUT', {'tags': 'x'}),
        ('PATCH', {'parameters': {'word': 'three'}}),
        ('PUT', {'template': TEMPLATE}),
        ('PATCH', {'revision': 1}),
        ('PATCH', {'converge': True}),
    ):
        answer = service.ask(method, path, {'plan': made['plan']['id'], **body})
        assert answer.status_code == 400, answer.text
    assert service.ask('PUT', path, {'plan': 7}).status_code == 400
    assert service.ask('PUT', path, {'plan': 'unknown'}).status_code == 404
    body = {'stack_name': 'other', 'template': TEMPLATE, 'plan': made['plan']['id']}
    assert service.ask('POST', '/stacks', body).status_code == 400
    other = create(service, f'plan-{uuid.uuid4().hex[:8]}', TEMPLATE)
    settled(service, other)
    assert apply(service, other, made).status_code == 404
    delete(service, other)


@shapes.of('keystone')
def test_guarded_stack_is_updated_only_by_a_plan_that_another_user_has_approved(service, path):
    update(service, path, tags='guarded,other', existing=True)
    body = {'parameters': {'word': 'two'}}
    refused = service.ask('PATCH', path, body)
    assert (refused.status_code, refused.json()['error']['type']) == (403, 'ApprovalRequired')
    made = plan(service, path, **body)
    assert apply(service, path, made).status_code == 403
    seen = service.ask('PUT', f'{path}/preview', {'plan': made['plan']['id']}).json()
    assert 'approved' in seen['refused'] and seen['plan']['approver'] is None
    approve = f'{path}/plans/{made["plan"]["id"]}/approve'
    by_author = service.ask('POST', approve)
    assert by_author.status_code == 403 and 'author' in by_author.json()['error']['message']
    for user in ('reader', 'other'):
        assert service.ask('POST', approve, user=user).status_code == 403
    approved = service.ask('POST', approve, user='second').json()['plan']
    assert (approved['username'], approved['approver']) == ('demo', 'second')
    assert approved['approval_time'] < approved['expiry_time']
    assert service.ask('PATCH', path, body).status_code == 403
    assert apply(service, path, made).status_code == 202
    assert outputs(settled(service, path))['web'] == 'two'
    newest = service.ask('GET', f'{path}/revisions').json()['revisions'][0]
    assert newest['message'].endswith('of demo, approved by second')


@shapes.of('embedded')
def test_single_user_of_a_service_without_logins_approves_nothing(service, path):
    made = plan(service, path, parameters={'word': 'two'})
    answer = service.ask('POST', f'{path}/plans/{made["plan"]["id"]}/approve')
    assert answer.status_code == 403, answer.text


@contextlib.contextmanager
def database(service):
    url = f'sqlite:///{service.folder}/data/heat.sqlite'
    file = service.folder / 'heat-lite.conf'
    if file.exists():
        url = databases.option(file, 'database', 'connection')
    with databases.configured(url):
        yield


@session.writer
def expire():
    session.execute(models.stack_plan.update().values(expires_at=datetime.datetime(2020, 1, 1)))


@session.reader
def plans():
    return session.scalars(sqlalchemy.select(models.stack_plan.c.id))


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_expired_plan_is_unknown_and_goes_with_the_next_one(service, path):
    old = plan(service, path, parameters={'word': 'two'})
    with database(service):
        expire()
    answer = apply(service, path, old)
    assert answer.status_code == 404 and 'expired' in answer.json()['error']['message']
    new = plan(service, path, parameters={'word': 'two'})
    with database(service):
        assert plans() == [new['plan']['id']]


@shapes.of('embedded')
def test_stack_keeps_its_newest_plans(service, path):
    made = [plan(service, path, tags=str(number))['plan']['id'] for number in range(21)]
    with database(service):
        kept = set(plans()).intersection(made)
    assert len(kept) == 20 and made[-1] in kept


@shapes.of('embedded', 'mariadb')
def test_plan_shows_no_hidden_parameter(service, path):
    made = plan(service, path, parameters={'secret': SECRET})
    (copy,) = [
        each for each in made['resource_changes']['updated'] if each['resource_name'] == 'copy'
    ]
    assert copy.pop('attributes') == {'value': SECRET}  # as in Heat
    assert SECRET not in json.dumps(made) and '******' in json.dumps(copy['property_changes'])
    with database(service), session.engine().connect() as connection:
        for row in connection.execute(sqlalchemy.select(models.stack_plan)):
            assert SECRET not in str(row)
    other = plan(service, path, parameters={'secret': 'another one'})
    assert apply(service, path, made).status_code == 202
    assert settled(service, path)['digest'] == made['digest'] != other['digest']
    assert 'parameters' in changed(apply(service, path, other))


@shapes.of('embedded', 'mariadb')
def test_plan_of_a_part_changes_that_part(service, path):
    made = plan(service, path, parameters={'word': 'two'}, target=['next'], replace=['next'])
    assert made['not_applied'] == ['group', 'web']
    [replaced] = made['resource_changes']['replaced']
    again = service.ask('PUT', f'{path}/preview', {'plan': made['plan']['id']}).json()
    assert again == made
    assert service.ask('GET', f'{path}/plans').json()['plans'] == [made['plan']]
    assert apply(service, path, made).status_code == 202
    stack = settled(service, path)
    assert outputs(stack) == {'web': 'one', 'next': 'two-'}
    assert stack['not_applied'] == ['group', 'web']
    shown = service.ask('GET', f'{path}/resources/next').json()['resource']
    assert shown['physical_resource_id'] != replaced['physical_resource_id']


@shapes.of('embedded')
def test_stack_at_work_gets_no_plan(service, path):
    slow = {'action_wait_secs': {'update': 3600}, 'value': 'slow'}
    web = {'type': 'OS::Heat::TestResource', 'properties': slow}
    template = {**TEMPLATE, 'resources': {**TEMPLATE['resources'], 'web': web}}
    made = plan(service, path, parameters={'word': 'two'})
    assert service.ask('PATCH', path, {'template': template}).status_code == 202
    answer = service.ask('PATCH', f'{path}/preview', {'tags': 'x'}, params={'store': 'true'})
    assert (answer.status_code, answer.json()['error']['type']) == (409, 'ActionInProgress')
    assert {'revision', 'template'} <= set(changed(apply(service, path, made)))


@shapes.of('embedded', 'mariadb', 'postgresql')
def test_plan_is_applied_before_another_update_or_not_at_all(service, path):
    """Each update that is accepted has its effect; a plan is never applied after another one."""
    applied = 0
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for number in range(ROUNDS):
            word, other = f'word{number}', f'other{number}'
            expected = settled(service, path)['parameters']
            made = plan(service, path, parameters={'word': word})
            racing = pool.submit(apply, service, path, made)
            time.sleep(number % 10 / 40)  # so that either may be the first one
            body = {'parameters': {'other': other}, 'message': other}
            patched = service.ask('PATCH', path, body)
            answer = racing.result()
            stack = settled(service, path)
            assert stack['stack_status'] == 'UPDATE_COMPLETE', stack['stack_status_reason']
            messages = []
            if patched.status_code == 202:
                messages.append(other)
                expected['other'] = other
            if answer.status_code == 202:
                applied += 1
                messages.append(f'plan {made["plan"]["id"]} of {made["plan"]["username"]}')
                expected['word'] = word
            else:
                assert answer.status_code == 409
                assert answer.json()['error']['type'] in ('PlanOutdated', 'ActionInProgress')
            word, other = expected['word'], expected['other']
            assert stack['parameters'] == expected
            assert outputs(stack) == {'web': word, 'next': word + other}
            revisions = service.ask('GET', f'{path}/revisions').json()['revisions']
            assert [each['message'] for each in revisions[: len(messages)]] == messages
    print(f'{applied} of {ROUNDS} plans were applied')
