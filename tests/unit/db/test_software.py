import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import software


def test_config_is_created_listed_and_deleted(database, context, other):
    config = {'inputs': [{'name': 'foo'}], 'config': '#!/bin/sh 😀'}
    ids = [
        software.create_config(context, {'name': f'c{number}', 'group': 'script', 'config': config})
        for number in range(3)
    ]
    foreign = software.create_config(other, {'name': 'foreign'})
    row = software.get_config(context, ids[0])
    assert (row.name, row.group, row.config, row.tenant) == ('c0', 'script', config, 'tenant')
    assert software.get_config(context, foreign) is None
    assert {row.id for row in software.list_configs(context)} == set(ids)
    assert {row.id for row in software.list_configs(context, tenant_safe=False)} == {*ids, foreign}
    whole = [row.id for row in software.list_configs(context)]
    assert [row.id for row in software.list_configs(context, limit=2)] == whole[:2]
    assert [row.id for row in software.list_configs(context, marker=whole[1])] == whole[2:]
    assert software.delete_config(context, ids[0]) and not software.delete_config(context, ids[0])


def test_deployment_is_created_listed_and_deleted(database, context, other):
    config_id = software.create_config(context, {'name': 'c'})
    values = {
        'config_id': config_id,
        'server_id': 's1',
        'input_values': {'a': '😀'},
        'stack_user_project_id': 'users',
    }
    first = software.create_deployment(context, values)
    second = software.create_deployment(context, {**values, 'server_id': 's2'})
    assert {row.id for row in software.list_deployments(context)} == {first, second}
    assert [row.id for row in software.list_deployments(context, 's2')] == [second]
    assert software.list_deployments(other) == [] and software.get_deployment(other, first) is None
    inside = RequestContext(project_id='users', overwrite=False)
    assert software.get_deployment(inside, first).input_values == {'a': '😀'}
    changed = {'status': 'COMPLETE', 'output_values': {'deploy_stdout': 'x' * 70_000}}
    assert software.update_deployment(inside, first, lambda row: changed) == changed
    assert software.update_deployment(other, first, lambda row: changed) is None
    assert software.update_deployment(inside, first, lambda row: None) is None
    row = software.get_deployment(context, first)
    assert (row.status, len(row.output_values['deploy_stdout'])) == ('COMPLETE', 70_000)
    with pytest.raises(
        exception.InvalidRestrictedAction,
        match=f'Software config with id {config_id} can not be deleted as it is referenced',
    ):
        software.delete_config(context, config_id)
    assert not software.delete_deployment(other, first)
    assert software.delete_deployment(context, first) and software.delete_deployment(
        context, second
    )
    assert software.delete_config(context, config_id)
