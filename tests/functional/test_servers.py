"""OS::Nova::Server in an engine with a fake cloud over HTTP."""

import base64
import email
import json
import time
import urllib.parse

import pytest

from heat_lite.db import models, session
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments

PORT = {'type': 'OS::Neutron::Port', 'properties': {'network': 'a network'}}
DEFAULTS = {'image': 'a images', 'flavor': 'a flavor', 'networks': [{'network': 'a network'}]}


def server(**properties):
    return {'type': 'OS::Nova::Server', 'properties': {**DEFAULTS, **properties}}


def stack_of(**resources):
    return {'resources': resources}


def reason(driver, stack):
    return driver.stack(stack)['stack_status_reason']


def requests(running_cloud, method, end):
    return [
        each for each in running_cloud.cloud.asked if each[0] == method and each[1].endswith(end)
    ]


def nova_server(running_cloud, one):
    return running_cloud.cloud.objects['compute', '/servers', one]


def ports(running_cloud, one):
    return sorted(
        each['name'] or '-'
        for each in running_cloud.cloud.of('network', '/ports')
        if each.get('device_id') == one
    )


def complete(driver, stack, action='CREATE'):
    assert driver.state(stack) == f'{action}_COMPLETE', reason(driver, stack)
    return driver.physical_id(stack, 's') if 's' in driver.resources(stack) else None


def update_server(driver, running_cloud, stack, *, same=True, **resources):
    """Update the stack; return the id of the server, which must be kept if ``same``."""
    before = driver.physical_id(stack, 's')
    one = complete(driver, driver.update(stack, stack_of(**resources)), 'UPDATE')
    assert (one == before) is same
    return one


# --------------------------------------------------------------- create


def test_server_in_error_fails_the_create_with_its_fault(running_cloud, driver, ids):
    running_cloud.cloud.sick.add('/servers')
    before = len(running_cloud.cloud.of('compute', '/servers'))
    stack = driver.create(stack_of(s=server()))
    assert driver.state(stack) == 'CREATE_FAILED'
    wanted = (
        'ResourceInError: resources.s: Went to status ERROR due to '
        '"Message: No valid host was found., Code: 500"'
    )
    assert wanted in reason(driver, stack)
    driver.delete(stack)
    assert len(running_cloud.cloud.of('compute', '/servers')) == before


@pytest.mark.parametrize('name', [None, 'mine'])
def test_server_of_an_interrupted_create_is_deleted(name, running_cloud, driver, ids):
    """A description tells it from other servers with the name that the template gives."""
    running_cloud.cloud.put('compute', '/servers', name='mine')
    before = len(running_cloud.cloud.of('compute', '/servers'))
    stack = driver.create(stack_of(s=server(**{'name': name} if name else {})))
    complete(driver, stack)
    # as an engine leaves the row that is killed before it stores the id
    interrupted = {'action': 'CREATE', 'status': 'IN_PROGRESS', 'nova_instance': None}
    with session.engine().begin() as connection:
        table = models.resource
        mine = table.c.stack_id == stack['stack_id']
        connection.execute(table.update().where(mine).values(**interrupted))
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)
    assert len(running_cloud.cloud.of('compute', '/servers')) == before


def test_many_servers_are_polled_by_one_list(running_cloud, driver, ids):
    running_cloud.cloud.looks = 3
    names = [f's{number}' for number in range(8)]
    stack = driver.create(stack_of(**{name: server() for name in names}))
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    lists = requests(running_cloud, 'GET', '/servers/detail')
    alone = [
        each
        for each in running_cloud.cloud.asked
        if each[0] == 'GET' and '/servers/' in each[1] and each not in lists
    ]
    assert lists
    # the first servers are polled one by one, until enough of them wait
    assert len(lists) + len(alone) < 3 * len(names)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_many_volumes_are_polled_by_one_list(running_cloud, driver, ids):
    running_cloud.cloud.looks = 3
    names = [f'v{number}' for number in range(6)]
    stack = driver.create(
        stack_of(
            **{name: {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}} for name in names}
        )
    )
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert requests(running_cloud, 'GET', '/volumes/detail')
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_own_port_gets_security_groups_and_is_deleted_with_the_server(running_cloud, driver, ids):
    before = len(running_cloud.cloud.of('network', '/ports'))
    one = server(networks=[{'subnet': 'a subnet'}], security_groups=['a security_group'])
    stack = driver.create(stack_of(s=one))
    complete(driver, stack)
    (made,) = [
        each for each in running_cloud.cloud.of('network', '/ports') if each['name'] == 's-port-0'
    ]
    group = next(
        each['id']
        for each in running_cloud.cloud.of('network', '/security-groups')
        if each['name'] == 'a security_group'
    )
    assert made['security_groups'] == [group]
    driver.delete(stack)
    assert len(running_cloud.cloud.of('network', '/ports')) == before


def test_metadata_values_are_sent_as_text(running_cloud, driver, ids):
    stack = driver.create(
        stack_of(s=server(metadata={'text': 'a', 'number': 1, 'truth': True, 'list': [1, 'a']}))
    )
    labels = nova_server(running_cloud, complete(driver, stack))['metadata']
    assert labels == {'text': 'a', 'number': '1', 'truth': 'true', 'list': '[1, "a"]'}
    driver.delete(stack)


def test_empty_names_are_left_out_of_the_request(running_cloud, driver, ids):
    empty = {'availability_zone': '', 'key_name': '', 'admin_pass': '', 'user_data': ''}
    stack = driver.create(stack_of(s=server(**empty, tags=[], config_drive=False)))
    asked = nova_server(running_cloud, complete(driver, stack))['asked']['server']
    assert not asked.keys() & {'availability_zone', 'key_name', 'adminPass'}
    assert (asked['tags'], asked['config_drive']) == ([], False)
    driver.delete(stack)


def test_empty_availability_zone_of_a_volume_is_left_out(driver, ids):
    volume = {'type': 'OS::Cinder::Volume', 'properties': {'size': 1, 'availability_zone': ''}}
    stack = driver.create(stack_of(v=volume))
    complete(driver, stack)
    driver.delete(stack)


def test_server_is_created_after_the_subnets_of_its_networks(running_cloud, driver, ids):
    net, subnet = (
        {'type': 'OS::Neutron::Net'},
        {'network': {'get_resource': 'n'}, 'cidr': '10.5.0.0/24'},
    )
    parts = {
        'n': net,
        'other': net,
        'near': {'type': 'OS::Neutron::Subnet', 'properties': subnet},
        'far': {
            'type': 'OS::Neutron::Subnet',
            'properties': {**subnet, 'network': {'get_resource': 'other'}},
        },
        'p': {'type': 'OS::Neutron::Port', 'properties': {'network': {'get_resource': 'n'}}},
        's': server(networks=[{'network': {'get_resource': 'n'}}]),
        't': server(networks=[{'port': {'get_resource': 'p'}}]),
    }
    stack = driver.create(stack_of(**parts))
    complete(driver, stack)
    assert sorted(driver.resource(stack, 'near')['required_by']) == ['p', 's', 't']
    assert driver.resource(stack, 'far')['required_by'] == []
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)


def test_network_of_the_template_may_be_given_by_name(running_cloud, driver, ids):
    subnet = {
        'type': 'OS::Neutron::Subnet',
        'properties': {'name': 'to come', 'network': 'a network', 'cidr': '10.5.0.0/24'},
    }
    stack = driver.create(
        stack_of(n=subnet, s={**server(networks=[{'subnet': 'to come'}]), 'depends_on': 'n'})
    )
    complete(driver, stack)
    driver.delete(stack)
    stack = driver.create(
        stack_of(s=server(networks=[{'network': 'a network'}, {'subnet': 'not to come'}]))
    )
    wanted = "s.Properties.networks[1].subnet: Unable to find subnet with name or id 'not to come'"
    assert wanted in reason(driver, stack)
    driver.delete(stack)


def test_attributes_show_addresses_by_network(running_cloud, driver, ids):
    networks = [{'network': 'a network'}, {'network': 'z network'}]
    running_cloud.cloud.put('network', '/networks', name='z network')
    outputs = {
        name: {'value': {'get_attr': ['s', name]}}
        for name in ('addresses', 'networks', 'first_address')
    }
    stack = driver.create({**stack_of(s=server(networks=networks)), 'outputs': outputs})
    one = complete(driver, stack)
    first, last = [
        each for each in running_cloud.cloud.of('network', '/ports') if each.get('device_id') == one
    ]
    first['fixed_ips'], last['fixed_ips'] = (
        [{'subnet_id': ids['subnet'], 'ip_address': each}] for each in ('10.1.0.1', '10.1.0.2')
    )
    running_cloud.cloud.put(
        'network', '/floatingips', port_id=first['id'], floating_ip_address='172.24.0.1'
    )
    # attributes are resolved again after an update
    complete(
        driver,
        driver.update(
            stack, {**stack_of(s=server(networks=networks, name='another')), 'outputs': outputs}
        ),
        'UPDATE',
    )
    found = driver.outputs(stack)
    assert found['networks']['a network'] == ['10.1.0.1', '172.24.0.1']
    assert found['first_address'] == '10.1.0.2'
    floating, fixed = found['addresses']['a network']
    assert found['addresses'][first['network_id']] == [floating, fixed]
    assert (floating['addr'], floating['port'], floating['version']) == ('172.24.0.1', None, [4])
    assert (fixed['addr'], fixed['port'], fixed['version']) == ('10.1.0.1', first['id'], [4])
    assert ([each['id'] for each in fixed['subnets']], fixed['network']['name']) == (
        [ids['subnet']],
        'a network',
    )
    driver.delete(stack)


# --------------------------------------------------------------- update


def test_update_of_networks_attaches_and_detaches_interfaces(running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server(), p=PORT))
    one = complete(driver, stack)
    assert ports(running_cloud, one) == ['-']
    mine = {'subnet': 'a subnet', 'fixed_ip': '10.1.0.77'}
    update_server(
        driver,
        running_cloud,
        stack,
        p=PORT,
        s=server(networks=[{'port': {'get_resource': 'p'}}, mine]),
    )
    assert [each.partition('-p-')[0] for each in ports(running_cloud, one)] == ['s-port-1', 'stack']
    update_server(
        driver, running_cloud, stack, p=PORT, s=server(networks=[mine, {'network': 'a network'}])
    )
    assert ports(running_cloud, one) == ['-', 's-port-1']
    update_server(
        driver, running_cloud, stack, p=PORT, s=server(networks=[{'allocate_network': 'none'}])
    )
    assert ports(running_cloud, one) == []
    driver.delete(stack)


def test_update_to_equivalent_networks_keeps_interfaces(running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = complete(driver, stack)

    def plugged():
        return [
            each['id']
            for each in running_cloud.cloud.of('network', '/ports')
            if each.get('device_id') == one
        ]

    (port,) = plugged()
    for networks in (
        [{'subnet': 'a subnet'}],
        [{'network': 'a network', 'subnet': 'a subnet'}],
        [{'port': port}],
    ):
        update_server(driver, running_cloud, stack, s=server(networks=networks))
        assert plugged() == [port]
    driver.delete(stack)


def test_update_of_networks_refreshes_addresses(running_cloud, driver, ids):
    running_cloud.cloud.looks = 2
    networks = [{'network': 'a network'}, {'subnet': 'a subnet'}]
    outputs = {'o': {'value': {'get_attr': ['s', 'networks']}}}
    stack = driver.create({**stack_of(s=server(networks=networks)), 'outputs': outputs})
    one = complete(driver, stack)
    for port in running_cloud.cloud.of('network', '/ports'):
        if port.get('device_id') == one:
            port['fixed_ips'] = [
                {
                    'subnet_id': ids['subnet'],
                    'ip_address': f'10.1.0.{80 + (port["name"] == "s-port-1")}',
                }
            ]
    complete(
        driver,
        driver.update(stack, {**stack_of(s=server(networks=networks[:1])), 'outputs': outputs}),
        'UPDATE',
    )
    assert driver.outputs(stack)['o']['a network'] == ['10.1.0.80']
    driver.delete(stack)


def test_failed_resize_fails_the_update(running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = complete(driver, stack)
    running_cloud.cloud.fail('POST', '/action', 400, message='No valid host was found. ')
    driver.update(stack, stack_of(s=server(flavor='another flavor')))
    assert 'BadRequest: resources.s: No valid host was found.' in reason(driver, stack)
    assert update_server(driver, running_cloud, stack, s=server(flavor='another flavor')) == one
    driver.delete(stack)


@pytest.mark.parametrize(
    'given',
    [
        {'flavor': 'another flavor', 'flavor_update_policy': 'REPLACE'},
        {'image': 'another image', 'image_update_policy': 'REPLACE'},
        {'user_data': 'another'},
    ],
)
def test_changes_that_need_replacement_replace_the_server(given, running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server()))
    complete(driver, stack)
    update_server(driver, running_cloud, stack, s=server(**given), same=False)
    driver.delete(stack)


def test_user_data_with_policy_rebuild_rebuilds_the_server(running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server(user_data_format='RAW')))
    one = complete(driver, stack)
    update_server(
        driver,
        running_cloud,
        stack,
        s=server(user_data_format='RAW', user_data='new', user_data_update_policy='REBUILD'),
    )
    (rebuild,) = [each[2]['rebuild'] for each in requests(running_cloud, 'POST', f'{one}/action')]
    assert (rebuild['imageRef'], base64.b64decode(rebuild['user_data'])) == (
        nova_server(running_cloud, one)['imageRef'],
        b'new',
    )
    driver.delete(stack)


def with_port(**properties):
    return stack_of(p=PORT, s=server(networks=[{'port': {'get_resource': 'p'}}], **properties))


def test_replacing_server_gets_the_port(running_cloud, driver, ids):
    stack = driver.create(with_port())
    complete(driver, stack)
    one = update_server(
        driver, running_cloud, stack, **with_port(user_data='other')['resources'], same=False
    )
    assert (
        running_cloud.cloud.objects['network', '/ports', driver.physical_id(stack, 'p')][
            'device_id'
        ]
        == one
    )
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_failed_replacement_gives_the_port_back(running_cloud, driver, ids):
    stack = driver.create(with_port(), disable_rollback=False)
    one = complete(driver, stack)
    running_cloud.cloud.sick.add('/servers')
    driver.update(stack, with_port(user_data='other'), disable_rollback=False)
    assert driver.state(stack) == 'ROLLBACK_COMPLETE', reason(driver, stack)
    assert driver.physical_id(stack, 's') == one
    assert (
        running_cloud.cloud.objects['network', '/ports', driver.physical_id(stack, 'p')][
            'device_id'
        ]
        == one
    )
    driver.delete(stack)


def test_replacing_server_gets_the_fixed_address(running_cloud, driver, ids):
    own = [
        {'subnet': 'a subnet', 'fixed_ip': '10.1.0.77'},
        {'network': 'a network', 'fixed_ip': '10.1.0.78'},
    ]
    stack = driver.create(stack_of(s=server(networks=own)))
    before = complete(driver, stack)
    one = update_server(
        driver, running_cloud, stack, s=server(networks=own, user_data='other'), same=False
    )
    left = requests(running_cloud, 'DELETE', '')
    taken = [each[1].rpartition('/')[2] for each in left if f'{before}/os-interface/' in each[1]]
    assert len(taken) == 2
    assert ports(running_cloud, one) == ['-', 's-port-0']
    driver.delete(stack)


def test_change_of_a_port_updates_it_or_attaches_another(running_cloud, driver, ids):
    def of(**extra):
        networks = [{'network': 'a network', 'port_extra_properties': extra}]
        return {'s': server(networks=networks)}

    def port():
        (found,) = (
            each for each in running_cloud.cloud.of('network', '/ports') if each['device_id'] == one
        )
        return found

    mac = {'mac_address': 'fa:16:3e:00:00:02'}
    stack = driver.create(stack_of(**of(mac_address='fa:16:3e:00:00:01')))
    one = complete(driver, stack)
    first = port()
    of_an_interrupted_update = running_cloud.cloud.put(
        'network', '/ports', name='s-port-0', description=first['description'], **mac
    )
    update_server(driver, running_cloud, stack, **of(**mac))
    second = port()
    assert ('network', '/ports', of_an_interrupted_update) not in running_cloud.cloud.objects
    assert second['mac_address'] == mac['mac_address'] and second['id'] != first['id']
    assert first not in running_cloud.cloud.of('network', '/ports')
    for state in (False, True, False):
        update_server(driver, running_cloud, stack, **of(**mac, admin_state_up=state))
        assert port() is second and second['admin_state_up'] is state
    driver.delete(stack)


def test_resize_without_effect_fails_the_update(running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = complete(driver, stack)
    running_cloud.cloud.state['no room'] = True
    driver.update(stack, stack_of(s=server(flavor='another flavor')))
    flavor = next(
        each['id']
        for each in running_cloud.cloud.of('compute', '/flavors')
        if each['name'] == 'another flavor'
    )
    wanted = (
        f'ResourceUnknownStatus: resources.s: Resizing to "{flavor}" failed - '
        'Unknown status ACTIVE due to "Unknown"'
    )
    assert wanted in reason(driver, stack)
    del running_cloud.cloud.state['no room']
    assert update_server(driver, running_cloud, stack, s=server(flavor='another flavor')) == one
    driver.delete(stack)


@pytest.mark.parametrize(
    'left',
    [
        {'status': 'VERIFY_RESIZE'},
        # Nova shows the new flavor at once
        {'status': 'RESIZE', 'coming': ['VERIFY_RESIZE'], 'OS-EXT-STS:task_state': 'resize_finish'},
    ],
)
def test_interrupted_resize_is_confirmed(running_cloud, driver, ids, left):
    stack, one = _with_resized_server(running_cloud, driver, left)
    update_server(driver, running_cloud, stack, s=server(flavor='another flavor'))
    assert [list(each[2]) for each in requests(running_cloud, 'POST', f'{one}/action')] == [
        ['confirmResize']
    ]
    assert nova_server(running_cloud, one)['status'] == 'ACTIVE'
    driver.delete(stack)


def test_resize_that_was_confirmed_before_is_awaited(running_cloud, driver, ids):
    left = {'status': 'VERIFY_RESIZE', 'coming': ['ACTIVE'], 'looks': 2}
    stack, one = _with_resized_server(running_cloud, driver, left)
    message = 'Instance has not been resized.'
    running_cloud.cloud.fail('POST', '/action', 400, message=message)
    update_server(driver, running_cloud, stack, s=server(flavor='another flavor'))
    assert nova_server(running_cloud, one)['status'] == 'ACTIVE'
    driver.delete(stack)


def _with_resized_server(running_cloud, driver, left):
    """Return a stack and the id of its server, as a resize that was interrupted leaves it."""
    stack = driver.create(stack_of(s=server()))
    one = complete(driver, stack)
    flavor = next(
        each['id']
        for each in running_cloud.cloud.of('compute', '/flavors')
        if each['name'] == 'another flavor'
    )
    nova_server(running_cloud, one).update(flavorRef=flavor, **left)
    return stack, one


def test_image_may_be_an_attribute_of_another_resource(running_cloud, driver, ids):
    value = {'type': 'OS::Heat::Value', 'properties': {'value': 'a images'}}
    stack = driver.create(stack_of(v=value, s=server(image={'get_attr': ['v', 'value']})))
    complete(driver, stack)
    driver.delete(stack)


# --------------------------------------------------------------- other actions


def act(driver, stack, verb):
    getattr(driver.client, verb)(driver.context, stack_identity=stack)
    driver.wait(stack)
    return driver.state(stack)


def test_server_is_suspended_and_resumed(running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = complete(driver, stack)
    assert act(driver, stack, 'stack_suspend') == 'SUSPEND_COMPLETE'
    assert nova_server(running_cloud, one)['status'] == 'SUSPENDED'
    assert act(driver, stack, 'stack_suspend') == 'SUSPEND_COMPLETE'
    assert act(driver, stack, 'stack_resume') == 'RESUME_COMPLETE'
    assert nova_server(running_cloud, one)['status'] == 'ACTIVE'
    driver.delete(stack)


def test_check_of_a_failed_server_gives_its_status(running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server()))
    nova_server(running_cloud, complete(driver, stack))['status'] = 'SHUTOFF'
    assert act(driver, stack, 'stack_check') == 'CHECK_FAILED'
    assert "'status': expected 'ACTIVE', got 'SHUTOFF'" in reason(driver, stack)
    driver.delete(stack)


def test_check_reports_changes_by_others(running_cloud, driver, ids):
    stack = driver.create(
        stack_of(
            s=server(
                metadata={'truth': True, 'number': 1, 'list': [1]}, tags=['b', 'a'], name='mine'
            )
        )
    )
    one = complete(driver, stack)
    assert act(driver, stack, 'stack_check') == 'CHECK_COMPLETE'
    assert 'hanged by others' not in driver.resource(stack, 's')['resource_status_reason']
    nova_server(running_cloud, one).update(
        name='yours',
        metadata={'truth': 'false', 'number': '1', 'list': '[1]'},
        flavorRef=ids['other_flavor'],
    )
    assert act(driver, stack, 'stack_check') == 'CHECK_COMPLETE'
    status_reason = driver.resource(stack, 's')['resource_status_reason']
    assert all(
        each in status_reason
        for each in (
            'name is "yours", not "mine"',
            f'flavor is "{ids["other_flavor"]}"',
            '"truth": "false"',
        )
    ), status_reason
    driver.update(stack, stack_of(s=server(metadata={'truth': True}, name='mine')), converge=True)
    assert complete(driver, stack, 'UPDATE') == one
    assert (
        nova_server(running_cloud, one)['name'],
        nova_server(running_cloud, one)['metadata'],
    ) == (
        'mine',
        {'truth': 'true'},
    )
    driver.delete(stack)


def test_restore_rebuilds_the_server_from_its_image(running_cloud, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = complete(driver, stack)
    before = {each['id'] for each in running_cloud.cloud.of('image', '/images')}
    snapshot = driver.client.stack_snapshot(driver.context, stack_identity=stack, name='then')
    driver.wait(stack)
    (image,) = {each['id'] for each in running_cloud.cloud.of('image', '/images')} - before
    driver.client.stack_restore(driver.context, stack_identity=stack, snapshot_id=snapshot['id'])
    driver.wait(stack)
    assert complete(driver, stack, 'RESTORE') == one
    assert nova_server(running_cloud, one)['imageRef'] == image
    driver.delete(stack)
    assert {each['id'] for each in running_cloud.cloud.of('image', '/images')} == before


def test_interrupted_snapshot_continues_with_the_image_and_the_backup(running_cloud, driver, ids):
    volume = {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}}
    stack = driver.create(stack_of(s=server(), v=volume))
    complete(driver, stack)

    def saved():
        cloud = running_cloud.cloud
        found = [*cloud.of('image', '/images'), *cloud.of('block-storage', '/backups')]
        return {each['id'] for each in found}

    before = saved()
    for states, expected in (
        ({}, 2),
        # as an engine leaves the rows that is killed while it waits for the image
        ({'action': 'SNAPSHOT', 'status': 'IN_PROGRESS'}, 2),
        ({}, 4),
    ):
        if states:
            with session.engine().begin() as connection:
                table = models.resource
                mine = table.c.stack_id == stack['stack_id']
                connection.execute(table.update().where(mine).values(**states))
        driver.client.stack_snapshot(driver.context, stack_identity=stack, name='then')
        driver.wait(stack)
        assert len(saved() - before) == expected
    driver.delete(stack)
    assert saved() == before


def test_delete_of_a_snapshot_deletes_volume_snapshots(running_cloud, driver, ids):
    volume = {'type': 'OS::Cinder::Volume', 'properties': {'size': 1, 'image': 'a images'}}
    disks = [{'volume_id': {'get_resource': 'v'}, 'boot_index': 0}]
    one = server(block_device_mapping_v2=disks)
    del one['properties']['image']
    stack = driver.create(stack_of(v=volume, s=one))
    complete(driver, stack)
    before = len(running_cloud.cloud.of('block-storage', '/snapshots'))
    snapshot = driver.client.stack_snapshot(driver.context, stack_identity=stack, name='then')
    driver.wait(stack)
    assert len(running_cloud.cloud.of('block-storage', '/snapshots')) == before + 1
    driver.client.delete_snapshot(driver.context, stack_identity=stack, snapshot_id=snapshot['id'])
    until = time.monotonic() + 20
    while (
        len(running_cloud.cloud.of('block-storage', '/snapshots')) > before
        and time.monotonic() < until
    ):
        time.sleep(0.05)
    assert len(running_cloud.cloud.of('block-storage', '/snapshots')) == before
    driver.delete(stack)


def test_deletion_policy_snapshot_creates_an_image(running_cloud, driver, ids):
    kept = {**server(), 'deletion_policy': 'Snapshot'}
    before = len(running_cloud.cloud.of('image', '/images'))
    driver.delete(driver.create(stack_of(s=kept)))
    assert len(running_cloud.cloud.of('image', '/images')) == before + 1


# --------------------------------------------------------------- software deployments


def test_software_is_deployed_to_the_server(running_cloud, driver, ids):
    soft = server(user_data_format='SOFTWARE_CONFIG', user_data='#!/bin/sh\n')
    config = {
        'type': 'OS::Heat::SoftwareConfig',
        'properties': {'group': 'script', 'config': 'echo'},
    }
    deployment = {
        'type': 'OS::Heat::SoftwareDeployment',
        'properties': {
            'config': {'get_resource': 'c'},
            'server': {'get_resource': 's'},
            'signal_transport': 'NO_SIGNAL',
        },
    }
    template = {
        **stack_of(s=soft, c=config, d=deployment),
        'outputs': {'o': {'value': {'get_attr': ['s', 'os_collect_config']}}},
    }
    stack = driver.create(template)
    one = complete(driver, stack)
    config = driver.outputs(stack)['o']
    assert config['collectors'] == ['ec2', 'cfn', 'local']
    (key,) = running_cloud.identity.keys.values()
    assert config['cfn'].pop('metadata_url').endswith('/cfn/v1/')
    assert config['cfn'] == {
        'access_key_id': key['access'],
        'secret_access_key': key['secret'],
        'stack_name': stack['stack_name'],
        'path': 's.Metadata',
    }
    metadata = driver.resource(stack, 's')['metadata']
    assert [each['group'] for each in metadata['deployments']] == ['script']
    message = email.message_from_string(
        base64.b64decode(nova_server(running_cloud, one)['asked']['server']['user_data']).decode()
    )
    assert 'cfn-init-data' in [part.get_filename() for part in message.get_payload()]
    soft['properties']['software_config_transport'] = 'POLL_SERVER_HEAT'
    driver.update(stack, template)
    config = driver.outputs(stack)['o']
    assert config['collectors'] == ['ec2', 'heat', 'local'] and set(config['cfn'].values()) == {
        None
    }
    assert (config['heat']['resource_name'], config['heat']['stack_id']) == (
        's',
        f'{stack["stack_name"]}/{stack["stack_id"]}',
    )
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)
    assert not running_cloud.identity.keys and not running_cloud.identity.people


def test_ignition_of_a_software_config_stays_ignition(running_cloud, driver, ids):
    config = {
        'type': 'OS::Heat::SoftwareConfig',
        'properties': {'group': 'ignition', 'config': '{"ignition": {"version": "3.1.0"}}'},
    }
    soft = server(user_data_format='SOFTWARE_CONFIG', user_data={'get_resource': 'c'})
    stack = driver.create(stack_of(s=soft, c=config))
    asked = nova_server(running_cloud, complete(driver, stack))['asked']['server']
    made = json.loads(base64.b64decode(asked['user_data']))
    assert made['ignition'] == {'version': '3.1.0'}
    for file in made['storage']['files']:
        content = urllib.parse.unquote(file['contents']['source'].removeprefix('data:,'))
        assert json.loads(content).keys() == {'deployments', 'os-collect-config'}
    driver.delete(stack)


def test_restore_of_an_attached_volume_reattaches_it(running_cloud, driver, ids):
    plugged = {'instance_uuid': {'get_resource': 's'}, 'volume_id': {'get_resource': 'v'}}
    parts = {
        's': server(),
        'v': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}},
        'a': {'type': 'OS::Cinder::VolumeAttachment', 'properties': plugged},
    }
    stack = driver.create(stack_of(**parts))
    one, volume = complete(driver, stack), driver.physical_id(stack, 'v')
    snapshot = driver.client.stack_snapshot(driver.context, stack_identity=stack, name='then')
    driver.wait(stack)
    running_cloud.cloud.fail(
        'DELETE', '/os-volume_attachments/', 409, message='it is being rebuilt'
    )
    driver.client.stack_restore(driver.context, stack_identity=stack, snapshot_id=snapshot['id'])
    driver.wait(stack)
    complete(driver, stack, 'RESTORE')
    found = running_cloud.cloud.objects['block-storage', '/volumes', volume]
    assert found['restored'] and found['attachments'] == [{'server_id': one}]
    driver.delete(stack)


def test_locked_server_is_unlocked_for_the_actions_of_its_stack(running_cloud, driver, ids):
    def stack(**properties):
        return stack_of(s=server(locked=True, **properties))

    def is_locked():
        return nova_server(running_cloud, one)['locked']

    identity = driver.create(stack(locked_reason='in use'))
    one = complete(driver, identity)
    assert nova_server(running_cloud, one)['locked_reason'] == 'in use'
    driver.update(identity, stack(metadata={'a': 'b'}, flavor=ids['other_flavor']))
    assert complete(driver, identity, 'UPDATE') == one
    assert nova_server(running_cloud, one)['metadata'] == {'a': 'b'} and is_locked()
    for action in ('suspend', 'resume'):
        getattr(driver.client, f'stack_{action}')(driver.context, stack_identity=identity)
        driver.wait(identity)
        assert complete(driver, identity, action.upper()) == one and is_locked()
    nova_server(running_cloud, one)['locked'] = False
    driver.client.stack_check(driver.context, stack_identity=identity)
    driver.wait(identity)
    assert 'Changed by others: s' in reason(driver, identity)
    driver.delete(identity)
    assert one not in {each['id'] for each in running_cloud.cloud.of('compute', '/servers')}


def test_locked_server_is_replaced(running_cloud, driver, ids):
    def stack(**properties):
        return stack_of(s=server(locked=True, **properties), p=PORT)

    networks = [{'port': {'get_resource': 'p'}}]
    identity = driver.create(stack(networks=networks))
    one = complete(driver, identity)
    driver.update(identity, stack(networks=networks, availability_zone='other'))
    assert complete(driver, identity, 'UPDATE') != one
    driver.delete(identity)


def test_security_groups_of_a_server_change_in_place(running_cloud, driver, ids):
    def stack(*groups):
        return stack_of(s=server(networks=[{'network': 'a network'}], security_groups=[*groups]))

    def names():
        return [each['name'] for each in nova_server(running_cloud, one)['security_groups']]

    identity = driver.create(stack('a security_group'))
    one = complete(driver, identity)
    running_cloud.cloud.put('network', '/security-groups', name='other')
    driver.update(identity, stack('other'))
    assert complete(driver, identity, 'UPDATE') == one
    assert names() == ['other']
    nova_server(running_cloud, one)['security_groups'] = [{'name': 'theirs'}]
    driver.client.stack_check(driver.context, stack_identity=identity)
    driver.wait(identity)
    assert 'Changed by others: s' in reason(driver, identity)
    driver.update(identity, stack())
    assert complete(driver, identity, 'UPDATE') == one
    assert names() == ['theirs', 'default']
    driver.delete(identity)


def test_delete_with_the_server_changes_in_place(running_cloud, driver, ids):
    def stack(**options):
        ends = {'instance_uuid': ids['server'], 'volume_id': 'a volume'}
        kind = 'OS::Cinder::VolumeAttachment'
        return stack_of(a={'type': kind, 'properties': {**ends, 'tag': 'data', **options}})

    identity = driver.create(stack())
    complete(driver, identity)
    running_cloud.cloud.asked.clear()
    driver.update(identity, stack(delete_on_termination=True))
    complete(driver, identity, 'UPDATE')
    assert [each[0] for each in running_cloud.cloud.asked if 'attach' in each[1]] == ['PUT']
    driver.delete(identity)
