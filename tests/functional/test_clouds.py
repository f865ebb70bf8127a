"""What becomes of stacks when the cloud is slow, busy, broken, or not as it was: a whole engine against a cloud that speaks HTTP."""

import pytest

from heat_lite.common import exception
from heat_lite.resources import asking as asking_again
from tests.functional.clouds import asking, driver, ids, place  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


def net(**properties):
    return {'resources': {'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'mine', **properties}}}}


def reason(driver, stack):
    return driver.stack(stack)['stack_status_reason']


def asked(place, method, path):
    return [each for each in place.cloud.asked if each[0] == method and path in each[1]]


@pytest.mark.parametrize(('status', 'pause'), [(429, {'Retry_After': 0.1}), (429, {}), (503, {'Retry_After': 0.1})])
def test_a_service_that_has_too_much_to_do_is_asked_again(status, pause, place, driver, ids):
    place.cloud.fail('POST', '/networks', status, times=2, **pause)
    stack = driver.create(net())
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(asked(place, 'POST', '/networks')) == 3
    driver.delete(stack)


@pytest.mark.parametrize(('method', 'path', 'status'), [('POST', '/networks', 503), ('GET', '/networks/', 500), ('GET', '/networks/', 502)])
def test_what_passes_by_itself_is_waited_for(method, path, status, place, driver, ids):
    place.cloud.fail(method, path, status, times=2)
    stack = driver.create(net())
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(asked(place, 'POST', '/networks')) == (3 if method == 'POST' else 1)
    driver.delete(stack)


def test_a_change_that_met_a_passing_error_is_told_again(place, driver, ids):
    stack = driver.create(net())
    place.cloud.fail('PUT', '/networks/', 500)
    driver.update(stack, net(admin_state_up=False))
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    assert len([each for each in asked(place, 'PUT', '/networks/') if '/tags' not in each[1]]) == 2
    driver.delete(stack)


def test_what_does_not_pass_fails_and_nothing_is_made_twice(place, driver, ids, monkeypatch):
    monkeypatch.setattr(asking_again, 'AWAY_PATIENCE', 1)
    place.cloud.fail('POST', '/networks', 503, times=1000)
    stack = driver.create(net())
    assert driver.state(stack) == 'CREATE_FAILED' and 'ServiceUnavailable: resources.net: it went wrong' in reason(driver, stack)
    assert len(asked(place, 'POST', '/networks')) > 1
    place.cloud.faults.clear()
    driver.delete(stack)
    place.cloud.asked.clear()
    place.cloud.fail('POST', '/networks', 502)
    stack = driver.create(net())
    assert driver.state(stack) == 'CREATE_FAILED' and len(asked(place, 'POST', '/networks')) == 1
    driver.delete(stack)


@pytest.mark.parametrize(('status', 'kind'), [(500, 'InternalServerError'), (403, 'Forbidden'), (413, 'OverLimit'), (409, 'Conflict')])
def test_a_failure_says_what_the_service_said(status, kind, place, driver, ids):
    place.cloud.fail('POST', '/networks', status, message="Quota exceeded for resources: ['network'].")
    stack = driver.create(net())
    assert driver.state(stack) == 'CREATE_FAILED'
    told = reason(driver, stack)
    wanted = f"{kind}: resources.net: Quota exceeded for resources: ['network']. (neutron {status}, POST /networks, req-"
    assert wanted in told
    driver.delete(stack)


def test_what_is_in_use_is_deleted_when_it_is_let_go(place, driver, ids):
    stack = driver.create(net())
    place.cloud.fail('DELETE', '/networks/', 409, message='it has ports')
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    assert len(asked(place, 'DELETE', '/networks/')) == 2


def test_what_goes_into_error_fails(place, driver, ids):
    place.cloud.sick.add('/networks')
    stack = driver.create(net())
    assert 'ResourceInError: resources.net: Went to status ERROR due to "Unknown"' in reason(driver, stack)
    driver.delete(stack)
    assert not [each for each in place.cloud.of('network', '/networks') if each['name'] == 'mine']


def test_what_is_gone_already_is_deleted(place, driver, ids):
    stack = driver.create(net())
    del place.cloud.objects['network', '/networks', driver.physical_id(stack, 'net')]
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert 'NotFound: resources.net: network' in reason(driver, stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_names_stand_for_ids(place, driver, ids):
    network = next(each['id'] for each in place.cloud.of('network', '/networks') if each['name'] == 'a network')
    subnet = {'type': 'OS::Neutron::Subnet', 'properties': {'network': 'a network', 'cidr': '10.7.0.0/24'}}
    stack = driver.create({'resources': {'subnet': subnet}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    before = driver.physical_id(stack, 'subnet')
    assert place.cloud.objects['network', '/subnets', before]['network_id'] == network

    # the same by another word is no change
    subnet['properties']['network'] = network
    driver.update(stack, {'resources': {'subnet': subnet}})
    assert driver.physical_id(stack, 'subnet') == before
    driver.delete(stack)


def test_a_name_must_stand_for_one_object(place, driver, ids):
    subnet = {'type': 'OS::Neutron::Subnet', 'properties': {'network': 'nope', 'cidr': '10.7.0.0/24'}}
    with pytest.raises(exception.StackValidationFailed) as caught:
        driver.create({'resources': {'subnet': subnet}})
    wanted = "resources.subnet.properties.network: Error validating value 'nope': Unable to find network with name or id 'nope'"
    assert wanted in str(caught.value)
    for _ in range(2):
        place.cloud.put('network', '/networks', name='twin')
    subnet['properties']['network'] = 'twin'
    with pytest.raises(exception.StackValidationFailed, match="2 objects of the kind network are named 'twin'"):
        driver.create({'resources': {'subnet': subnet}})


def test_many_objects_are_found_page_by_page(place, driver, ids):
    place.cloud.page = 3
    for number in range(10):
        place.cloud.put('compute', '/flavors', name=f'f{number}')
    clients = driver.service.runtime.clients(driver.context)
    assert clients.find('nova.flavor', 'f9') == place.cloud.of('compute', '/flavors')[-1]['id']


def test_a_type_without_its_service_is_refused(place, driver, ids):
    place.cloud.extensions = ['router']
    with pytest.raises(exception.ResourceTypeUnavailable, match='Required extension address-scope in neutron service is not available.$'):
        driver.create({'resources': {'scope': {'type': 'OS::Neutron::AddressScope'}}})
    driver.context = asking(place, auth_token=None)
    with pytest.raises(exception.ResourceTypeUnavailable, match='the request came without a token'):
        driver.create(net())
    assert 'OS::Neutron::Net' not in driver.client.list_resource_types(driver.context)
    with pytest.raises(exception.ResourceTypeUnavailable):
        driver.client.resource_schema(driver.context, type_name='OS::Neutron::Net')


def test_types_are_listed_where_their_service_is(place, driver, ids):
    place.cloud.extensions = ['router']
    listed = driver.client.list_resource_types(driver.context)
    assert {'OS::Neutron::Net', 'OS::Nova::Flavor', 'OS::Heat::Value'} <= set(listed)
    assert not {'OS::Neutron::AddressScope', 'OS::Sahara::Cluster', 'OS::Neutron::RouterGateway'} & set(listed)


def test_a_keystone_that_is_away_is_told(place, driver, ids):
    driver.context = asking(place, auth_token='no such token')
    with pytest.raises(Exception, match='Keystone refused who asks'):
        driver.create(net())


def test_what_others_have_changed_is_mended(place, driver, ids):
    stack = driver.create(net(shared=False))
    made = place.cloud.objects['network', '/networks', driver.physical_id(stack, 'net')]
    made.update(name='theirs', shared=True)
    driver.update(stack, net(shared=False))
    assert (made['name'], made['shared']) == ('theirs', True)
    driver.update(stack, net(shared=False), converge=True)
    assert (made['name'], made['shared']) == ('mine', False)
    driver.delete(stack)


def check(driver, stack):
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)


def told(driver, stack, name='net'):
    return driver.client.describe_stack_resource(driver.context, stack_identity=stack, resource_name=name)['resource_status_reason']


def test_a_check_tells_what_others_have_changed(place, driver, ids):
    stack = driver.create(net(shared=False, tags=['a', 'b']))
    made = place.cloud.objects['network', '/networks', driver.physical_id(stack, 'net')]
    check(driver, stack)
    assert (told(driver, stack), reason(driver, stack)) == ('state changed', 'Stack CHECK completed successfully')
    made.update(name='theirs', shared=True, tags=['b'], description='not asked for')
    check(driver, stack)
    words = 'name is "theirs", not "mine"; shared is true, not false; tags is ["b"], not ["a", "b"]'
    assert told(driver, stack) == f'state changed; changed by others: {words}'
    assert driver.state(stack) == 'CHECK_COMPLETE'
    assert reason(driver, stack) == 'Stack CHECK completed successfully. Changed by others: net (see resources)'
    driver.update(stack, net(shared=False, tags=['a', 'b']), converge=True)
    assert (made['name'], made['shared'], made['tags']) == ('mine', False, ['a', 'b'])
    check(driver, stack)
    assert told(driver, stack) == 'state changed'
    driver.delete(stack)


def test_what_is_as_it_was_asked_for_is_not_touched(place, driver, ids):
    stack = driver.create(net(shared=False, tags=['a', 'b']))
    before = driver.physical_id(stack, 'net')
    place.cloud.objects['network', '/networks', before]['tags'] = ['b', 'a']
    place.cloud.asked.clear()
    driver.update(stack, net(shared=False, tags=['a', 'b']), converge=True)
    assert driver.state(stack) == 'UPDATE_COMPLETE' and driver.physical_id(stack, 'net') == before
    assert not asked(place, 'PUT', '/networks')
    driver.delete(stack)


def test_what_the_template_itself_has_changed_is_no_drift(place, driver, ids):
    """A group with rules by other resources, and a network that a policy shares."""
    rule = {'security_group': {'get_resource': 'group'}, 'protocol': 'udp', 'port_range_min': 53, 'port_range_max': 53}
    policy = {'object_type': 'network', 'object_id': {'get_resource': 'net'}, 'action': 'access_as_shared', 'target_tenant': '*'}
    resources = {
        'group': {'type': 'OS::Neutron::SecurityGroup', 'properties': {'rules': [{'protocol': 'tcp'}]}},
        'rule': {'type': 'OS::Neutron::SecurityGroupRule', 'properties': rule},
        'net': {'type': 'OS::Neutron::Net'},
        'policy': {'type': 'OS::Neutron::RBACPolicy', 'properties': policy},
    }
    stack = driver.create({'resources': resources})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    place.cloud.objects['network', '/networks', driver.physical_id(stack, 'net')]['shared'] = True
    check(driver, stack)
    assert reason(driver, stack) == 'Stack CHECK completed successfully'
    tcp = next(each for each in place.cloud.of('network', '/security-group-rules') if each['protocol'] == 'tcp')
    place.cloud.objects.pop(('network', '/security-group-rules', tcp['id']))
    check(driver, stack)
    assert 'changed by others: rules is [' in told(driver, stack, 'group')
    driver.update(stack, {'resources': resources}, converge=True)
    check(driver, stack)
    assert told(driver, stack, 'group') == 'state changed'
    assert driver.physical_id(stack, 'rule') in {each['id'] for each in place.cloud.of('network', '/security-group-rules')}
    driver.delete(stack)


def test_what_is_gone_fails_a_check_and_is_made_anew(place, driver, ids):
    stack = driver.create(net())
    before = driver.physical_id(stack, 'net')
    del place.cloud.objects['network', '/networks', before]
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_FAILED' and 'NotFound: resources.net: network' in told(driver, stack)
    driver.update(stack, net())
    after = driver.physical_id(stack, 'net')
    assert after != before and after in {each['id'] for each in place.cloud.of('network', '/networks')}
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_COMPLETE'
    driver.delete(stack)


def test_a_check_looks_at_all_that_it_can(place, driver, ids):
    nets = {name: {'type': 'OS::Neutron::Net'} for name in ('one', 'two', 'well')}
    stack = driver.create({'resources': {**nets, 'after': {'type': 'OS::Neutron::Net', 'depends_on': 'one'}}})
    for name in ('one', 'two'):
        del place.cloud.objects['network', '/networks', driver.physical_id(stack, name)]
    check(driver, stack)
    said = reason(driver, stack)
    assert driver.state(stack) == 'CHECK_FAILED'
    assert 'one: Resource CHECK failed: NotFound: resources.one: network' in said
    assert 'two: Resource CHECK failed: NotFound: resources.two: network' in said
    told = driver.client.list_stack_resources(driver.context, stack_identity=stack)
    states = {each['resource_name']: (each['resource_action'], each['resource_status']) for each in told}
    failed, well, untouched = ('CHECK', 'FAILED'), ('CHECK', 'COMPLETE'), ('CREATE', 'COMPLETE')
    assert states == {'one': failed, 'two': failed, 'well': well, 'after': untouched}
    driver.delete(stack)


def test_what_comes_instead_of_a_thing_of_the_same_name_stays(place, driver, ids):
    stack = driver.create({'resources': {'box': {'type': 'OS::Swift::Container', 'properties': {'name': 'mine'}}}})
    del place.cloud.objects['object-store', '/', 'mine']
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_FAILED'
    driver.update(stack, {'resources': {'box': {'type': 'OS::Swift::Container', 'properties': {'name': 'mine'}}}})
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_COMPLETE', reason(driver, stack)
    driver.delete(stack)
    assert ('object-store', '/', 'mine') not in place.cloud.objects


def port(mac, address='10.0.0.7'):
    properties = {'network': 'a network', 'mac_address': mac, 'fixed_ips': [{'ip_address': address}]}
    return {'resources': {'port': {'type': 'OS::Neutron::Port', 'properties': properties}}}


def test_a_port_lets_its_address_go_for_the_one_that_comes_instead(place, driver, ids):
    stack = driver.create(port('fa:16:3e:00:00:01'))
    before = driver.physical_id(stack, 'port')
    place.cloud.asked.clear()
    driver.update(stack, port('fa:16:3e:00:00:02'))
    assert driver.state(stack) == 'UPDATE_COMPLETE' and driver.physical_id(stack, 'port') != before
    told = [(method, body) for method, path, body in place.cloud.asked if '/ports' in path and method in ('PUT', 'POST')]
    assert told[0] == ('PUT', {'port': {'fixed_ips': []}}) and told[1][0] == 'POST'
    driver.delete(stack)


def test_a_port_gets_its_address_back_when_nothing_came_instead(place, driver, ids):
    others = place.cloud.of('network', '/ports')
    stack = driver.create(port('fa:16:3e:00:00:01'))
    before = driver.physical_id(stack, 'port')
    place.cloud.fail('POST', '/ports', 400)
    driver.update(stack, port('fa:16:3e:00:00:02'))
    assert driver.state(stack) == 'UPDATE_FAILED'
    assert place.cloud.objects['network', '/ports', before]['fixed_ips'] == []
    driver.update(stack, port('fa:16:3e:00:00:01'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    now = place.cloud.objects['network', '/ports', driver.physical_id(stack, 'port')]
    assert [each['ip_address'] for each in now['fixed_ips']] == ['10.0.0.7']
    driver.delete(stack)
    assert place.cloud.of('network', '/ports') == others


def test_specs_lend_their_types_to_those_that_replace_them(place, driver, ids):
    def template(name):
        resources = {
            'type': {'type': 'OS::Cinder::VolumeType', 'properties': {'name': 'mine'}},
            'specs': {'type': 'OS::Cinder::QoSSpecs', 'properties': {'name': name, 'specs': {'a': 'b'}}},
        }
        both = {'qos_specs': {'get_resource': 'specs'}, 'volume_types': [{'get_resource': 'type'}]}
        return {'resources': {**resources, 'association': {'type': 'OS::Cinder::QoSAssociation', 'properties': both}}}

    stack = driver.create(template('one'))
    place.cloud.asked.clear()
    driver.update(stack, template('two'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    verbs = [path.rpartition('/')[2] for _, path, _ in place.cloud.asked if 'associate' in path]
    assert verbs == ['disassociate', 'associate'], 'a type has one of the specs at a time, and is not let go twice'
    driver.delete(stack)


def test_an_image_that_cannot_be_fetched_fails(place, driver, ids):
    properties = {'container_format': 'bare', 'disk_format': 'raw', 'location': 'http://nowhere/'}
    stack = driver.create({'resources': {'image': {'type': 'OS::Glance::WebImage', 'properties': properties}}})
    assert driver.state(stack) == 'CREATE_FAILED'
    words = 'Went to status queued due to "http://nowhere/ could not be imported: Task failed due to Internal Error"'
    assert words in reason(driver, stack)
    driver.delete(stack)


def test_what_is_not_connected_any_more_is_connected_again(place, driver, ids):
    stack = driver.create(NETWORK)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    pair = driver.physical_id(stack, 'router'), driver.physical_id(stack, 'subnet')
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_COMPLETE', reason(driver, stack)
    user = place.cloud.objects['network', '/ports', driver.physical_id(stack, 'port')]
    user['device_id'] = 'a server'
    for converge in (True, False):
        place.cloud.state['interfaces'].remove(pair)
        if not converge:
            check(driver, stack)
            assert driver.state(stack) == 'CHECK_FAILED' and 'is not connected any more' in told(driver, stack, 'interface')
        driver.update(stack, NETWORK, converge=converge)
        assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
        assert pair in place.cloud.state['interfaces']
        assert user['device_id'] == 'a server', 'nobody said that nothing may use the port'
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE' and pair not in place.cloud.state['interfaces']


NETWORK = {
    'resources': {
        'address': {
            'type': 'OS::Neutron::FloatingIP',
            'properties': {'floating_network': 'a network', 'port_id': {'get_resource': 'port'}},
        },
        'port': {
            'type': 'OS::Neutron::Port',
            'properties': {'network': {'get_resource': 'net'}, 'security_groups': [{'get_resource': 'group'}]},
        },
        'interface': {
            'type': 'OS::Neutron::RouterInterface',
            'properties': {'router': {'get_resource': 'router'}, 'subnet': {'get_resource': 'subnet'}},
        },
        'router': {'type': 'OS::Neutron::Router', 'properties': {'external_gateway_info': {'network': 'a network'}}},
        'subnet': {'type': 'OS::Neutron::Subnet', 'properties': {'network_id': {'get_resource': 'net'}, 'cidr': '10.8.0.0/24'}},
        'net': {'type': 'OS::Neutron::Net'},
        'group': {'type': 'OS::Neutron::SecurityGroup', 'properties': {'rules': [{'protocol': 'tcp', 'port_range_min': 22}]}},
    }
}


def test_what_nothing_refers_to_comes_in_order_all_the_same(place, driver, ids):
    """A port needs the subnets of its network, a floating address the way to its port; and they go in the other order."""
    others = place.cloud.of('network', '/routers')
    stack = driver.create(NETWORK)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    made = [path.rpartition('/')[2] for method, path, *_ in place.cloud.asked if method in ('POST', 'PUT')]
    assert made.index('subnets') < made.index('ports') < made.index('floatingips')
    assert made.index('add_router_interface') < made.index('floatingips')
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)
    assert place.cloud.of('network', '/routers') == others


def test_rules_of_a_group_change_one_by_one(place, driver, ids):
    def group(*rules):
        return {'resources': {'group': {'type': 'OS::Neutron::SecurityGroup', 'properties': {'rules': list(rules)}}}}

    def rules(stack):
        mine = driver.physical_id(stack, 'group')
        found = [each for each in place.cloud.of('network', '/security-group-rules') if each['security_group_id'] == mine]
        return {(each['direction'], each['ethertype'], each['protocol'], each['port_range_min']): each['id'] for each in found}

    ssh, web = {'protocol': 'tcp', 'port_range_min': 22, 'port_range_max': 22}, {'protocol': 'tcp', 'port_range_min': 80}
    stack = driver.create(group(ssh))
    first = rules(stack)
    assert set(first) == {('ingress', 'IPv4', 'tcp', 22), ('egress', 'IPv4', None, None), ('egress', 'IPv6', None, None)}
    driver.update(stack, group(ssh, web))
    second = rules(stack)
    assert {key: second[key] for key in first} == first and len(second) == 4
    driver.update(stack, group(ssh, {'direction': 'egress', 'protocol': '6'}))
    assert set(rules(stack)) == {('ingress', 'IPv4', 'tcp', 22), ('egress', 'IPv4', '6', None)}
    driver.delete(stack)


def test_a_volume_is_kept_as_a_backup(place, driver, ids):
    volume = {'type': 'OS::Cinder::Volume', 'deletion_policy': 'Snapshot', 'properties': {'size': 1}}
    stack = driver.create({'resources': {'disk': volume}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    disk = driver.physical_id(stack, 'disk')
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)
    assert [each['volume_id'] for each in place.cloud.of('block-storage', '/backups') if each['volume_id']] == [disk]
    assert ('block-storage', '/volumes', disk) not in place.cloud.objects


def test_a_volume_does_not_shrink(place, driver, ids):
    volume = {'type': 'OS::Cinder::Volume', 'properties': {'size': 2}}
    stack = driver.create({'resources': {'disk': volume}})
    volume['properties']['size'] = 1
    driver.update(stack, {'resources': {'disk': volume}})
    assert 'Shrinking volume is not supported.' in reason(driver, stack)
    driver.delete(stack)


def test_a_container_that_is_not_empty_stays_unless_it_may_be_purged(place, driver, ids):
    container = {'type': 'OS::Swift::Container', 'properties': {'name': 'mine'}}
    stack = driver.create({'resources': {'box': container}})
    place.cloud.objects['object-store', '/', 'mine']['objects']['a/b'] = 'text'
    driver.delete(stack)
    assert 'Deleting non-empty container is not supported.' in reason(driver, stack)
    place.cloud.objects['object-store', '/', 'mine']['objects'].clear()
    driver.delete(stack)

    container['properties']['PurgeOnDelete'] = True
    stack = driver.create({'resources': {'box': container}})
    place.cloud.objects['object-store', '/', 'mine']['objects']['a/b'] = 'text'
    driver.delete(stack)
    assert ('object-store', '/', 'mine') not in place.cloud.objects


def test_the_private_key_of_a_pair_is_kept_where_that_is_wanted(place, driver, ids):
    pair = {'type': 'OS::Nova::KeyPair', 'properties': {'name': 'mine', 'save_private_key': True}}
    outputs = {name: {'value': {'get_attr': ['pair', name]}} for name in ('private_key', 'public_key')}
    stack = driver.create({'resources': {'pair': pair}, 'outputs': outputs})
    assert driver.outputs(stack) == {'private_key': 'PRIVATE', 'public_key': 'ssh-rsa made'}
    driver.delete(stack)


def test_retired_types_stand_for_nothing(place, driver, ids):
    stack = driver.create({'resources': {'it': {'type': 'OS::Heat::HARestarter', 'properties': {'InstanceId': 'x'}}}})
    assert driver.state(stack) == 'CREATE_COMPLETE'
    with pytest.raises(exception.NotSupported):
        driver.client.resource_schema(driver.context, type_name='OS::Heat::HARestarter')
    driver.delete(stack)


def test_a_load_balancer_that_is_busy_is_waited_for(place, driver, ids):
    balancer = {'type': 'OS::Octavia::LoadBalancer', 'properties': {'vip_subnet': 'a subnet'}}
    listener = {
        'type': 'OS::Octavia::Listener',
        'properties': {'loadbalancer': {'get_resource': 'balancer'}, 'protocol': 'HTTP', 'protocol_port': 80},
    }
    for method in ('POST', 'DELETE'):
        place.cloud.fail(method, '/lbaas/listeners', 409, message='the load balancer is immutable')
    stack = driver.create({'resources': {'balancer': balancer, 'listener': listener}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(asked(place, 'POST', '/lbaas/listeners')) == 2
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)
    assert len(asked(place, 'DELETE', '/lbaas/listeners')) == 2


def test_a_stack_asks_no_more_than_it_must(place, driver, ids):
    """One request finds the name, one makes the object, one waits: readers of properties do not ask again and again."""
    clients = driver.service.runtime.clients
    clients.conf.set_override('caching', True, 'resource_finder_cache')
    clients.conf.set_override('caching', True, 'service_extension_cache')
    place.cloud.looks = 0
    try:
        subnet = {'type': 'OS::Neutron::Subnet', 'properties': {'network': 'a network', 'cidr': '10.7.0.0/24'}}
        before = len(place.cloud.asked)
        stack = driver.create({'resources': {'subnet': subnet}})
        told = [(method, path.rpartition('/v2.0')[2]) for method, path, *_ in place.cloud.asked[before:]]
    finally:
        clients.conf.clear_override('caching', 'resource_finder_cache')
        clients.conf.clear_override('caching', 'service_extension_cache')
    assert told.count(('POST', '/subnets')) == 1
    assert told.count(('GET', '/networks')) <= 2, told
    driver.delete(stack)


def test_what_others_have_deleted_is_made_again(place, driver, ids):
    stack = driver.create(net())
    before = driver.physical_id(stack, 'net')
    del place.cloud.objects['network', '/networks', before]
    driver.update(stack, net(), converge=True)
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    assert driver.physical_id(stack, 'net') != before
    driver.delete(stack)


PORT_INSIDE = """
heat_template_version: 2021-04-16
parameters: {network: {type: string}}
resources:
  port: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
"""


def test_a_preview_goes_into_stacks_that_need_what_is_not_there_yet(place, driver, ids):
    members = {'count': 1, 'resource_def': {'type': 'port.yaml', 'properties': {'network': {'get_resource': 'net'}}}}
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {**net()['resources'], 'group': {'type': 'OS::Heat::ResourceGroup', 'properties': members}},
    }
    answer = driver.client.preview_stack(
        driver.context, stack_name='s', template=template, params={}, files={'port.yaml': PORT_INSIDE}, args={}
    )
    (inside,) = [each for each in answer['resources'] if isinstance(each, list)]
    ((port,),) = inside
    assert port['resource_name'] == 'port'


def test_a_subnet_whose_pools_are_taken_out_of_the_template_has_none(place, driver, ids):
    subnet = {'network': {'get_resource': 'net'}, 'cidr': '10.0.0.0/24'}

    def template(**more):
        return {'resources': {**net()['resources'], 'sub': {'type': 'OS::Neutron::Subnet', 'properties': {**subnet, **more}}}}

    stack = driver.create(template(allocation_pools=[{'start': '10.0.0.10', 'end': '10.0.0.20'}]))
    driver.update(stack, template())
    assert driver.resource(stack, 'sub')['attributes']['allocation_pools'] == [], reason(driver, stack)
    driver.delete(stack)
