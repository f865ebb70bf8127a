"""Servers, what they are plugged in to and what becomes of both: a whole engine against a cloud that speaks HTTP."""

import base64
import email
import time

import pytest

from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments

PORT = {'type': 'OS::Neutron::Port', 'properties': {'network': 'a network'}}
USUAL = {'image': 'a images', 'flavor': 'a flavor', 'networks': [{'network': 'a network'}]}


def server(**properties):
    return {'type': 'OS::Nova::Server', 'properties': {**USUAL, **properties}}


def stack_of(**resources):
    return {'resources': resources}


def reason(driver, stack):
    return driver.stack(stack)['stack_status_reason']


def asked(place, method, end):
    return [each for each in place.cloud.asked if each[0] == method and each[1].endswith(end)]


def there(place, one):
    return place.cloud.objects['compute', '/servers', one]


def ports(place, one):
    return sorted(each['name'] or '-' for each in place.cloud.of('network', '/ports') if each.get('device_id') == one)


def good(driver, stack, action='CREATE'):
    assert driver.state(stack) == f'{action}_COMPLETE', reason(driver, stack)
    return driver.physical_id(stack, 's') if 's' in driver.resources(stack) else None


def changed(driver, place, stack, *, same=True, **resources):
    """The id of the server after an update, which keeps it or replaces it."""
    before = driver.physical_id(stack, 's')
    one = good(driver, driver.update(stack, stack_of(**resources)), 'UPDATE')
    assert (one == before) is same
    return one


# --------------------------------------------------------------- how they are made


def test_one_that_goes_into_error_says_why(place, driver, ids):
    place.cloud.sick.add('/servers')
    before = len(place.cloud.of('compute', '/servers'))
    stack = driver.create(stack_of(s=server()))
    assert driver.state(stack) == 'CREATE_FAILED'
    wanted = 'ResourceInError: resources.s: Went to status ERROR due to "Message: No valid host was found., Code: 500"'
    assert wanted in reason(driver, stack)
    driver.delete(stack)
    assert len(place.cloud.of('compute', '/servers')) == before


def test_many_are_watched_by_one_list(place, driver, ids):
    place.cloud.looks = 3
    names = [f's{number}' for number in range(8)]
    stack = driver.create(stack_of(**{name: server() for name in names}))
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    lists = asked(place, 'GET', '/servers/detail')
    alone = [each for each in place.cloud.asked if each[0] == 'GET' and '/servers/' in each[1] and each not in lists]
    assert lists
    # before enough of them wait each is asked for alone
    assert len(lists) + len(alone) < 3 * len(names)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_many_volumes_are_watched_by_one_list(place, driver, ids):
    place.cloud.looks = 3
    names = [f'v{number}' for number in range(6)]
    stack = driver.create(stack_of(**{name: {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}} for name in names}))
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert asked(place, 'GET', '/volumes/detail')
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_an_own_port_has_the_security_groups_and_goes_with_the_server(place, driver, ids):
    before = len(place.cloud.of('network', '/ports'))
    one = server(networks=[{'subnet': 'a subnet'}], security_groups=['a security_group'])
    stack = driver.create(stack_of(s=one))
    good(driver, stack)
    (made,) = [each for each in place.cloud.of('network', '/ports') if each['name'] == 's-port-0']
    group = next(each['id'] for each in place.cloud.of('network', '/security-groups') if each['name'] == 'a security_group')
    assert made['security_groups'] == [group]
    driver.delete(stack)
    assert len(place.cloud.of('network', '/ports')) == before


def test_labels_are_texts(place, driver, ids):
    stack = driver.create(stack_of(s=server(metadata={'text': 'a', 'number': 1, 'truth': True, 'list': [1, 'a']})))
    labels = there(place, good(driver, stack))['metadata']
    assert labels == {'text': 'a', 'number': '1', 'truth': 'true', 'list': '[1, "a"]'}
    driver.delete(stack)


def test_it_comes_after_the_subnets_of_its_networks(place, driver, ids):
    net, subnet = {'type': 'OS::Neutron::Net'}, {'network': {'get_resource': 'n'}, 'cidr': '10.5.0.0/24'}
    parts = {
        'n': net,
        'other': net,
        'near': {'type': 'OS::Neutron::Subnet', 'properties': subnet},
        'far': {'type': 'OS::Neutron::Subnet', 'properties': {**subnet, 'network': {'get_resource': 'other'}}},
        'p': {'type': 'OS::Neutron::Port', 'properties': {'network': {'get_resource': 'n'}}},
        's': server(networks=[{'network': {'get_resource': 'n'}}]),
        't': server(networks=[{'port': {'get_resource': 'p'}}]),
    }
    stack = driver.create(stack_of(**parts))
    good(driver, stack)
    assert sorted(driver.resource(stack, 'near')['required_by']) == ['p', 's', 't']
    assert driver.resource(stack, 'far')['required_by'] == []
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)


def test_what_comes_before_it_may_be_called_by_name(place, driver, ids):
    subnet = {'type': 'OS::Neutron::Subnet', 'properties': {'name': 'to come', 'network': 'a network', 'cidr': '10.5.0.0/24'}}
    stack = driver.create(stack_of(n=subnet, s={**server(networks=[{'subnet': 'to come'}]), 'depends_on': 'n'}))
    good(driver, stack)
    driver.delete(stack)
    stack = driver.create(stack_of(s=server(networks=[{'network': 'a network'}, {'subnet': 'not to come'}])))
    wanted = "s.Properties.networks[1].subnet: Unable to find subnet with name or id 'not to come'"
    assert wanted in reason(driver, stack)
    driver.delete(stack)


def test_its_addresses(place, driver, ids):
    networks = [{'network': 'a network'}, {'network': 'z network'}]
    place.cloud.put('network', '/networks', name='z network')
    told = {name: {'value': {'get_attr': ['s', name]}} for name in ('addresses', 'networks', 'first_address')}
    stack = driver.create({**stack_of(s=server(networks=networks)), 'outputs': told})
    one = good(driver, stack)
    first, last = [each for each in place.cloud.of('network', '/ports') if each.get('device_id') == one]
    first['fixed_ips'], last['fixed_ips'] = ([{'subnet_id': ids['subnet'], 'ip_address': each}] for each in ('10.1.0.1', '10.1.0.2'))
    place.cloud.put('network', '/floatingips', port_id=first['id'], floating_ip_address='172.24.0.1')
    # what is told is looked at again when it has changed
    good(driver, driver.update(stack, {**stack_of(s=server(networks=networks, name='another')), 'outputs': told}), 'UPDATE')
    found = driver.outputs(stack)
    assert found['networks']['a network'] == ['10.1.0.1', '172.24.0.1']
    assert found['first_address'] == '10.1.0.2'
    floating, fixed = found['addresses']['a network']
    assert found['addresses'][first['network_id']] == [floating, fixed]
    assert (floating['addr'], floating['port'], floating['version']) == ('172.24.0.1', None, [4])
    assert (fixed['addr'], fixed['port'], fixed['version']) == ('10.1.0.1', first['id'], [4])
    assert ([each['id'] for each in fixed['subnets']], fixed['network']['name']) == ([ids['subnet']], 'a network')
    driver.delete(stack)


# --------------------------------------------------------------- how they change


def test_it_is_plugged_in_otherwise(place, driver, ids):
    stack = driver.create(stack_of(s=server(), p=PORT))
    one = good(driver, stack)
    assert ports(place, one) == ['-']
    mine = {'subnet': 'a subnet', 'fixed_ip': '10.1.0.77'}
    changed(driver, place, stack, p=PORT, s=server(networks=[{'port': {'get_resource': 'p'}}, mine]))
    assert [each.partition('-p-')[0] for each in ports(place, one)] == ['s-port-1', 'stack']
    changed(driver, place, stack, p=PORT, s=server(networks=[mine, {'network': 'a network'}]))
    assert ports(place, one) == ['-', 's-port-1']
    changed(driver, place, stack, p=PORT, s=server(networks=[{'allocate_network': 'none'}]))
    assert ports(place, one) == []
    driver.delete(stack)


def test_what_it_has_already_stays_however_it_is_asked_for(place, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = good(driver, stack)

    def plugged():
        return [each['id'] for each in place.cloud.of('network', '/ports') if each.get('device_id') == one]

    (port,) = plugged()
    for networks in ([{'subnet': 'a subnet'}], [{'network': 'a network', 'subnet': 'a subnet'}], [{'port': port}]):
        changed(driver, place, stack, s=server(networks=networks))
        assert plugged() == [port]
    driver.delete(stack)


def test_addresses_are_those_after_an_update(place, driver, ids):
    place.cloud.looks = 2
    networks = [{'network': 'a network'}, {'subnet': 'a subnet'}]
    told = {'o': {'value': {'get_attr': ['s', 'networks']}}}
    stack = driver.create({**stack_of(s=server(networks=networks)), 'outputs': told})
    one = good(driver, stack)
    for port in place.cloud.of('network', '/ports'):
        if port.get('device_id') == one:
            port['fixed_ips'] = [{'subnet_id': ids['subnet'], 'ip_address': f'10.1.0.{80 + (port["name"] == "s-port-1")}'}]
    good(driver, driver.update(stack, {**stack_of(s=server(networks=networks[:1])), 'outputs': told}), 'UPDATE')
    assert driver.outputs(stack)['o']['a network'] == ['10.1.0.80']
    driver.delete(stack)


def test_a_resize_that_fails(place, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = good(driver, stack)
    place.cloud.fail('POST', '/action', 400, message='No valid host was found. ')
    driver.update(stack, stack_of(s=server(flavor='another flavor')))
    assert 'BadRequest: resources.s: No valid host was found.' in reason(driver, stack)
    assert changed(driver, place, stack, s=server(flavor='another flavor')) == one
    driver.delete(stack)


@pytest.mark.parametrize(
    'given',
    [
        {'flavor': 'another flavor', 'flavor_update_policy': 'REPLACE'},
        {'image': 'another image', 'image_update_policy': 'REPLACE'},
        {'user_data': 'another'},
    ],
)
def test_what_takes_another_server(given, place, driver, ids):
    stack = driver.create(stack_of(s=server()))
    good(driver, stack)
    changed(driver, place, stack, s=server(**given), same=False)
    driver.delete(stack)


def test_user_data_may_rebuild_it(place, driver, ids):
    stack = driver.create(stack_of(s=server(user_data_format='RAW')))
    one = good(driver, stack)
    changed(driver, place, stack, s=server(user_data_format='RAW', user_data='new', user_data_update_policy='REBUILD'))
    (rebuild,) = [each[2]['rebuild'] for each in asked(place, 'POST', f'{one}/action')]
    assert (rebuild['imageRef'], base64.b64decode(rebuild['user_data'])) == (there(place, one)['imageRef'], b'new')
    driver.delete(stack)


def with_port(**properties):
    return stack_of(p=PORT, s=server(networks=[{'port': {'get_resource': 'p'}}], **properties))


def test_a_port_goes_over_to_the_server_that_comes_instead(place, driver, ids):
    stack = driver.create(with_port())
    good(driver, stack)
    one = changed(driver, place, stack, **with_port(user_data='other')['resources'], same=False)
    assert place.cloud.objects['network', '/ports', driver.physical_id(stack, 'p')]['device_id'] == one
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_a_port_comes_back_when_there_is_no_other_server(place, driver, ids):
    stack = driver.create(with_port(), disable_rollback=False)
    one = good(driver, stack)
    place.cloud.sick.add('/servers')
    driver.update(stack, with_port(user_data='other'), disable_rollback=False)
    assert driver.state(stack) == 'ROLLBACK_COMPLETE', reason(driver, stack)
    assert driver.physical_id(stack, 's') == one
    assert place.cloud.objects['network', '/ports', driver.physical_id(stack, 'p')]['device_id'] == one
    driver.delete(stack)


def test_a_fixed_address_goes_over_too(place, driver, ids):
    own = [{'subnet': 'a subnet', 'fixed_ip': '10.1.0.77'}, {'network': 'a network', 'fixed_ip': '10.1.0.78'}]
    stack = driver.create(stack_of(s=server(networks=own)))
    before = good(driver, stack)
    one = changed(driver, place, stack, s=server(networks=own, user_data='other'), same=False)
    left = asked(place, 'DELETE', '')
    taken = [each[1].rpartition('/')[2] for each in left if f'{before}/os-interface/' in each[1]]
    assert len(taken) == 2
    assert ports(place, one) == ['-', 's-port-0']
    driver.delete(stack)


def test_a_resize_that_comes_to_nothing(place, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = good(driver, stack)
    place.cloud.state['no room'] = True
    driver.update(stack, stack_of(s=server(flavor='another flavor')))
    flavor = next(each['id'] for each in place.cloud.of('compute', '/flavors') if each['name'] == 'another flavor')
    told = f'ResourceUnknownStatus: resources.s: Resizing to "{flavor}" failed - Unknown status ACTIVE due to "Unknown"'
    assert told in reason(driver, stack)
    del place.cloud.state['no room']
    assert changed(driver, place, stack, s=server(flavor='another flavor')) == one
    driver.delete(stack)


def test_a_resize_that_was_begun_is_gone_on_with(place, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = good(driver, stack)
    flavor = next(each['id'] for each in place.cloud.of('compute', '/flavors') if each['name'] == 'another flavor')
    there(place, one).update(status='VERIFY_RESIZE', flavorRef=flavor)
    changed(driver, place, stack, s=server(flavor='another flavor'))
    assert [list(each[2]) for each in asked(place, 'POST', f'{one}/action')] == [['confirmResize']]
    driver.delete(stack)


def test_what_another_resource_tells_is_an_image_too(place, driver, ids):
    told = {'type': 'OS::Heat::Value', 'properties': {'value': 'a images'}}
    stack = driver.create(stack_of(v=told, s=server(image={'get_attr': ['v', 'value']})))
    good(driver, stack)
    driver.delete(stack)


# --------------------------------------------------------------- the rest of their lives


def act(driver, stack, verb):
    getattr(driver.client, verb)(driver.context, stack_identity=stack)
    driver.wait(stack)
    return driver.state(stack)


def test_it_sleeps_and_wakes(place, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = good(driver, stack)
    assert act(driver, stack, 'stack_suspend') == 'SUSPEND_COMPLETE'
    assert there(place, one)['status'] == 'SUSPENDED'
    assert act(driver, stack, 'stack_suspend') == 'SUSPEND_COMPLETE'
    assert act(driver, stack, 'stack_resume') == 'RESUME_COMPLETE'
    assert there(place, one)['status'] == 'ACTIVE'
    driver.delete(stack)


def test_a_check_says_what_it_found(place, driver, ids):
    stack = driver.create(stack_of(s=server()))
    there(place, good(driver, stack))['status'] = 'SHUTOFF'
    assert act(driver, stack, 'stack_check') == 'CHECK_FAILED'
    assert "'status': expected 'ACTIVE', got 'SHUTOFF'" in reason(driver, stack)
    driver.delete(stack)


def test_a_check_tells_what_others_have_changed(place, driver, ids):
    stack = driver.create(stack_of(s=server(metadata={'truth': True, 'number': 1, 'list': [1]}, tags=['b', 'a'], name='mine')))
    one = good(driver, stack)
    assert act(driver, stack, 'stack_check') == 'CHECK_COMPLETE'
    assert 'hanged by others' not in driver.resource(stack, 's')['resource_status_reason']
    there(place, one).update(name='yours', metadata={'truth': 'false', 'number': '1', 'list': '[1]'}, flavorRef=ids['other_flavor'])
    assert act(driver, stack, 'stack_check') == 'CHECK_COMPLETE'
    told = driver.resource(stack, 's')['resource_status_reason']
    assert all(each in told for each in ('name is "yours", not "mine"', f'flavor is "{ids["other_flavor"]}"', '"truth": "false"')), told
    driver.update(stack, stack_of(s=server(metadata={'truth': True}, name='mine')), converge=True)
    assert good(driver, stack, 'UPDATE') == one
    assert (there(place, one)['name'], there(place, one)['metadata']) == ('mine', {'truth': 'true'})
    driver.delete(stack)


def test_a_snapshot_is_an_image_that_the_server_is_rebuilt_from(place, driver, ids):
    stack = driver.create(stack_of(s=server()))
    one = good(driver, stack)
    before = {each['id'] for each in place.cloud.of('image', '/images')}
    snapshot = driver.client.stack_snapshot(driver.context, stack_identity=stack, name='then')
    driver.wait(stack)
    (image,) = {each['id'] for each in place.cloud.of('image', '/images')} - before
    driver.client.stack_restore(driver.context, stack_identity=stack, snapshot_id=snapshot['id'])
    driver.wait(stack)
    assert good(driver, stack, 'RESTORE') == one
    assert there(place, one)['imageRef'] == image
    driver.delete(stack)
    assert {each['id'] for each in place.cloud.of('image', '/images')} == before


def test_a_snapshot_of_one_on_volumes_leaves_none_of_these_behind(place, driver, ids):
    volume = {'type': 'OS::Cinder::Volume', 'properties': {'size': 1, 'image': 'a images'}}
    disks = [{'volume_id': {'get_resource': 'v'}, 'boot_index': 0}]
    one = server(block_device_mapping_v2=disks)
    del one['properties']['image']
    stack = driver.create(stack_of(v=volume, s=one))
    good(driver, stack)
    before = len(place.cloud.of('block-storage', '/snapshots'))
    snapshot = driver.client.stack_snapshot(driver.context, stack_identity=stack, name='then')
    driver.wait(stack)
    assert len(place.cloud.of('block-storage', '/snapshots')) == before + 1
    driver.client.delete_snapshot(driver.context, stack_identity=stack, snapshot_id=snapshot['id'])
    until = time.monotonic() + 20
    while len(place.cloud.of('block-storage', '/snapshots')) > before and time.monotonic() < until:
        time.sleep(0.05)
    assert len(place.cloud.of('block-storage', '/snapshots')) == before
    driver.delete(stack)


def test_its_last_picture(place, driver, ids):
    kept = {**server(), 'deletion_policy': 'Snapshot'}
    before = len(place.cloud.of('image', '/images'))
    driver.delete(driver.create(stack_of(s=kept)))
    assert len(place.cloud.of('image', '/images')) == before + 1


# --------------------------------------------------------------- the software on them


def test_software_is_deployed_to_it(place, driver, ids):
    soft = server(user_data_format='SOFTWARE_CONFIG', user_data='#!/bin/sh\n')
    config = {'type': 'OS::Heat::SoftwareConfig', 'properties': {'group': 'script', 'config': 'echo'}}
    deployment = {
        'type': 'OS::Heat::SoftwareDeployment',
        'properties': {'config': {'get_resource': 'c'}, 'server': {'get_resource': 's'}, 'signal_transport': 'NO_SIGNAL'},
    }
    template = {**stack_of(s=soft, c=config, d=deployment), 'outputs': {'o': {'value': {'get_attr': ['s', 'os_collect_config']}}}}
    stack = driver.create(template)
    one = good(driver, stack)
    told = driver.outputs(stack)['o']
    assert told['collectors'] == ['ec2', 'heat', 'local']
    assert (told['heat']['resource_name'], told['heat']['stack_id']) == ('s', f'{stack["stack_name"]}/{stack["stack_id"]}')
    metadata = driver.resource(stack, 's')['metadata']
    assert [each['group'] for each in metadata['deployments']] == ['script']
    message = email.message_from_string(base64.b64decode(there(place, one)['asked']['server']['user_data']).decode())
    assert 'cfn-init-data' in [part.get_filename() for part in message.get_payload()]
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)


def test_a_volume_in_use_goes_back_to_its_backup(place, driver, ids):
    plugged = {'instance_uuid': {'get_resource': 's'}, 'volume_id': {'get_resource': 'v'}}
    parts = {
        's': server(),
        'v': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}},
        'a': {'type': 'OS::Cinder::VolumeAttachment', 'properties': plugged},
    }
    stack = driver.create(stack_of(**parts))
    one, volume = good(driver, stack), driver.physical_id(stack, 'v')
    snapshot = driver.client.stack_snapshot(driver.context, stack_identity=stack, name='then')
    driver.wait(stack)
    place.cloud.fail('DELETE', '/os-volume_attachments/', 409, message='it is being rebuilt')
    driver.client.stack_restore(driver.context, stack_identity=stack, snapshot_id=snapshot['id'])
    driver.wait(stack)
    good(driver, stack, 'RESTORE')
    found = place.cloud.objects['block-storage', '/volumes', volume]
    assert found['restored'] and found['attachments'] == [{'server_id': one}]
    driver.delete(stack)
