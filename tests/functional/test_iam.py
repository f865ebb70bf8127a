"""IAM users, their access keys, and the access of these users to resources of a stack."""

import contextlib
import json

import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


def template(policies=({'get_resource': 'policy'},)):
    resources = {
        'seen': {'type': 'OS::Heat::RandomString'},
        'hidden': {'type': 'OS::Heat::RandomString'},
        'policy': {'type': 'OS::Heat::AccessPolicy', 'properties': {'AllowedResources': ['seen']}},
        'user': {'type': 'AWS::IAM::User', 'properties': {'Policies': list(policies)}},
        'key': {
            'type': 'AWS::IAM::AccessKey',
            'properties': {'UserName': {'get_resource': 'user'}},
        },
    }
    outputs = {
        name: {'value': {'get_attr': ['key', name]}} for name in ('UserName', 'SecretAccessKey')
    }
    return {
        'resources': resources,
        'outputs': {**outputs, 'user': {'value': {'get_resource': 'user'}}},
    }


def test_iam_user_reads_only_resources_of_access_policy(running_cloud, driver, ids):
    stack = driver.create(template())
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    (iam_user,), (key,) = (
        running_cloud.identity.people.values(),
        running_cloud.identity.keys.values(),
    )
    blob, outputs = json.loads(key['blob']), driver.outputs(stack)
    assert (driver.physical_id(stack, 'key'), outputs['SecretAccessKey']) == (
        blob['access'],
        blob['secret'],
    )
    assert (
        outputs['user'] == outputs['UserName'] == iam_user['name']
        and driver.physical_id(stack, 'user') == iam_user['id'] == key['user_id']
    )

    user = RequestContext(
        user_id=iam_user['id'], project_id=iam_user['default_project_id'], roles=['heat_stack_user']
    )
    identity = {**stack, 'tenant': user.project_id}
    assert (
        driver.client.describe_stack_resource(user, stack_identity=identity, resource_name='seen')[
            'resource_name'
        ]
        == 'seen'
    )
    with pytest.raises(exception.Forbidden):
        driver.client.describe_stack_resource(user, stack_identity=identity, resource_name='hidden')
    driver.delete(stack)
    assert not running_cloud.identity.people and not running_cloud.identity.keys


@pytest.mark.parametrize(
    ('policies', 'readable'),
    [
        ([], ['seen', 'hidden']),
        # those of AWS, which do not refer to resources of a stack
        ([{'PolicyName': 'p', 'PolicyDocument': {}}], ['seen', 'hidden']),
        ([{'get_resource': 'policy'}], ['seen']),
        ([{'get_resource': 'policy'}, {'get_resource': 'other'}], []),
    ],
)
def test_iam_user_reads_what_all_access_policies_allow(
    running_cloud, driver, ids, policies, readable
):
    given = template(policies)
    given['resources']['other'] = {
        'type': 'OS::Heat::AccessPolicy',
        'properties': {'AllowedResources': ['hidden']},
    }
    stack = driver.create(given)
    (iam_user,) = running_cloud.identity.people.values()
    user = RequestContext(
        user_id=iam_user['id'], project_id=iam_user['default_project_id'], roles=['heat_stack_user']
    )
    found = []
    for name in ('seen', 'hidden'):
        with contextlib.suppress(exception.Forbidden):
            shown = driver.client.describe_stack_resource(
                user, stack_identity={**stack, 'tenant': user.project_id}, resource_name=name
            )
            found.append(shown['resource_name'])
    assert found == readable
    driver.delete(stack)


def test_iam_user_with_unknown_policy_fails(running_cloud, driver, ids):
    stack = driver.create(template(['nobody']))
    assert driver.state(stack) == 'CREATE_FAILED'
    assert (
        'nobody is no OS::Heat::AccessPolicy of this stack'
        in driver.stack(stack)['stack_status_reason']
    )
    driver.delete(stack)
