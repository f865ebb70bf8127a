"""Types that set something of another object, and secrets that only their owners see."""

import json

import pytest

from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.functional.test_lost_ec2_objects import interrupt

# ruff: noqa: F811 - fixtures are arguments


def template(kind, values, **outputs):
    return {'resources': {'it': {'type': kind, 'properties': values}}, 'outputs': outputs}


def settings(fake, word):
    return [value for key, value in fake.state.items() if isinstance(key, tuple) and key[0] == word]


SETTINGS = [
    (
        'OS::Cinder::DefaultVolumeType',
        {'project': 'a project', 'type': 'a volume_type'},
        'default type',
    ),
    ('OS::Barbican::ACL', {'secret': 'a secrets', 'project_access': False}, 'acl'),
]
QUOTA = ('OS::Barbican::Quota', {'project': 'a project', 'secrets': 7}, 'quota')


@pytest.mark.parametrize('converge', [True, False])
@pytest.mark.parametrize(('kind', 'values', 'word'), SETTINGS)
def test_setting_that_others_reset_is_set_again(
    kind, values, word, converge, running_cloud, driver, ids
):
    fake, text = running_cloud.cloud, template(kind, values)
    stack = driver.create(text)
    (wanted,) = settings(fake, word)
    for key in [key for key in fake.state if isinstance(key, tuple) and key[0] == word]:
        del fake.state[key]
    if not converge:
        driver.client.stack_check(driver.context, stack_identity=stack)
        driver.wait(stack)
    driver.update(stack, text, converge=converge)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    if converge or kind == 'OS::Cinder::DefaultVolumeType':
        assert settings(fake, word) == [wanted]
    driver.delete(stack)
    assert not settings(fake, word)


@pytest.mark.parametrize('other', [False, True])
@pytest.mark.parametrize(('kind', 'values', 'word'), [*SETTINGS, QUOTA])
def test_delete_of_an_interrupted_create_resets_what_it_has_set(
    kind, values, word, other, running_cloud, driver, ids
):
    fake = running_cloud.cloud
    stack = driver.create(template(kind, values))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.wait_for_free_lock(stack)
    interrupt(stack)
    (key,) = (each for each in fake.state if isinstance(each, tuple) and each[0] == word)
    if other:  # somebody has set something else meanwhile
        fake.state[key] = {
            'default type': 'x',
            'acl': {'project-access': True},
            'quota': {'secrets': 8},
        }[word]
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert bool(settings(fake, word)) == other


def test_access_key_of_an_ec2_credential_is_an_attribute(running_cloud, driver, ids):
    outputs = {name: {'value': {'get_attr': ['it', name]}} for name in ('access', 'secret', 'show')}
    stack = driver.create(template('OS::Keystone::EC2Credential', {}, **outputs))
    (kept,) = running_cloud.cloud.of('identity', '/credentials')
    told = driver.outputs(stack)
    assert json.loads(kept['blob']) == {name: told[name] for name in ('access', 'secret')}
    assert told['secret'] not in json.dumps(told['show'])
    driver.delete(stack)


def test_blob_of_a_credential_is_not_shown(running_cloud, driver, ids):
    def text(blob):
        return template('OS::Keystone::Credential', {'type': 'cert', 'blob': blob})

    stack = driver.create(text('first-blob'))
    driver.update(stack, text('second-blob'))
    (kept,) = running_cloud.cloud.of('identity', '/credentials')
    assert kept['blob'] == 'second-blob'
    kept['blob'] = 'of others'
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    events = driver.client.list_events(driver.context, stack_identity=stack)
    shown = json.dumps([driver.stack(stack), events], default=str)
    assert driver.state(stack) == 'CHECK_COMPLETE'
    assert not [each for each in ('first-blob', 'second-blob', 'of others') if each in shown]
    driver.delete(stack)
