"""Users with access keys, and what they may see of a stack."""

import json

import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


def template(policies=({'get_resource': 'policy'},)):
    resources = {
        'seen': {'type': 'OS::Heat::RandomString'},
        'hidden': {'type': 'OS::Heat::RandomString'},
        'policy': {'type': 'OS::Heat::AccessPolicy', 'properties': {'AllowedResources': ['seen']}},
        'user': {'type': 'AWS::IAM::User', 'properties': {'Policies': list(policies)}},
        'key': {'type': 'AWS::IAM::AccessKey', 'properties': {'UserName': {'get_resource': 'user'}}},
    }
    outputs = {name: {'value': {'get_attr': ['key', name]}} for name in ('UserName', 'SecretAccessKey')}
    return {'resources': resources, 'outputs': {**outputs, 'user': {'value': {'get_resource': 'user'}}}}


def test_a_user_sees_what_his_policies_allow(place, driver, ids):
    stack = driver.create(template())
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    (person,), (key,) = place.identity.people.values(), place.identity.keys.values()
    blob, outputs = json.loads(key['blob']), driver.outputs(stack)
    assert (driver.physical_id(stack, 'key'), outputs['SecretAccessKey']) == (blob['access'], blob['secret'])
    assert outputs['user'] == outputs['UserName'] == person['name'] and driver.physical_id(stack, 'user') == person['id'] == key['user_id']

    user = RequestContext(user_id=person['id'], project_id=person['default_project_id'], roles=['heat_stack_user'])
    own = {**stack, 'tenant': user.project_id}
    assert driver.client.describe_stack_resource(user, stack_identity=own, resource_name='seen')['resource_name'] == 'seen'
    with pytest.raises(exception.Forbidden):
        driver.client.describe_stack_resource(user, stack_identity=own, resource_name='hidden')
    driver.delete(stack)
    assert not place.identity.people and not place.identity.keys


def test_policies_in_the_words_of_amazon_allow_nothing_here(place, driver, ids):
    stack = driver.create(template([{'PolicyName': 'p', 'PolicyDocument': {}}]))
    (person,) = place.identity.people.values()
    user = RequestContext(user_id=person['id'], project_id=person['default_project_id'], roles=['heat_stack_user'])
    with pytest.raises(exception.Forbidden):
        driver.client.describe_stack_resource(user, stack_identity={**stack, 'tenant': user.project_id}, resource_name='seen')
    driver.delete(stack)


def test_a_policy_that_is_none(place, driver, ids):
    stack = driver.create(template(['nobody']))
    assert driver.state(stack) == 'CREATE_FAILED'
    assert 'nobody is no OS::Heat::AccessPolicy of this stack' in driver.stack(stack)['stack_status_reason']
    driver.delete(stack)
