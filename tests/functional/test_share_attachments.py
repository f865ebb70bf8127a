"""OS::Nova::ShareAttachment: Nova attaches and detaches shares while the server is stopped."""

from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


def template(ids, **properties):
    values = {'server': ids['server'], 'share': 'a share', **properties}
    share = {'type': 'OS::Nova::ShareAttachment', 'properties': values}
    return {'resources': {'it': share}}


def actions(fake):
    return [
        next(iter(body))
        for method, path, body in fake.asked
        if method == 'POST' and path.endswith('/action')
    ]


def server(running_cloud, ids):
    return running_cloud.cloud.objects['compute', '/servers', ids['server']]


def test_running_server_is_stopped_and_started_again(running_cloud, driver, ids):
    stack = driver.create(template(ids, restart=True))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert server(running_cloud, ids)['status'] == 'ACTIVE'
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert server(running_cloud, ids)['status'] == 'ACTIVE'
    assert actions(running_cloud.cloud) == ['os-stop', 'os-start'] * 2


def test_stopped_server_stays_stopped(running_cloud, driver, ids):
    server(running_cloud, ids)['status'] = 'SHUTOFF'
    stack = driver.create(template(ids, restart=True))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.delete(stack)
    assert actions(running_cloud.cloud) == []


def test_running_server_is_left_alone_by_default(running_cloud, driver, ids):
    stack = driver.create(template(ids))
    assert driver.state(stack) == 'CREATE_FAILED'
    assert 'while it is in vm_state active' in driver.stack(stack)['stack_status_reason']
    assert actions(running_cloud.cloud) == []
    driver.delete(stack)


def test_server_is_started_again_after_a_failure(running_cloud, driver, ids):
    running_cloud.cloud.fail('POST', '/shares$', 403)
    stack = driver.create(template(ids, restart=True))
    assert driver.state(stack) == 'CREATE_FAILED'
    assert server(running_cloud, ids)['status'] == 'ACTIVE'
    driver.delete(stack)
    assert actions(running_cloud.cloud) == ['os-stop', 'os-start']


def test_share_that_nova_cannot_detach_fails_the_delete(running_cloud, driver, ids):
    stack = driver.create(template(ids, restart=True))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    running_cloud.cloud.state['stuck shares'] = True
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_FAILED'
    assert 'the delete failed' in driver.stack(stack)['stack_status_reason']
    assert server(running_cloud, ids)['status'] == 'ACTIVE'
    del running_cloud.cloud.state['stuck shares']
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']


def test_new_tag_attaches_the_share_again(running_cloud, driver, ids):
    stack = driver.create(template(ids, restart=True, tag='old'))
    share = driver.physical_id(stack, 'it')
    driver.update(stack, template(ids, tag='old'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    running_cloud.cloud.asked.clear()
    driver.update(stack, template(ids, restart=True, tag='new'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert actions(running_cloud.cloud) == ['os-stop', 'os-start']
    [shown] = running_cloud.cloud.of('compute', f'/servers/{ids["server"]}/shares')
    assert (shown['tag'], driver.physical_id(stack, 'it')) == ('new', share)
    driver.delete(stack)
