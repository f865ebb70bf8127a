"""Stacks in a slow, busy or broken cloud, and drift: an engine against a fake cloud over HTTP."""

import pytest

from heat_lite.common import exception
from heat_lite.resources.base import service_retry
from tests.functional.clouds import driver, ids, request_context, running_cloud  # noqa: F401

# ruff: noqa: F811 - fixtures are arguments


def net(**properties):
    return {
        'resources': {
            'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'mine', **properties}}
        }
    }


def reason(driver, stack):
    return driver.stack(stack)['stack_status_reason']


def requests(running_cloud, method, path):
    return [each for each in running_cloud.cloud.asked if each[0] == method and path in each[1]]


@pytest.mark.parametrize(
    ('status', 'pause'), [(429, {'Retry_After': 0.1}), (429, {}), (503, {'Retry_After': 0.1})]
)
def test_create_after_rate_limit_is_retried(status, pause, running_cloud, driver, ids):
    running_cloud.cloud.fail('POST', '/networks', status, times=2, **pause)
    stack = driver.create(net())
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(requests(running_cloud, 'POST', '/networks')) == 3
    driver.delete(stack)


@pytest.mark.parametrize(
    ('method', 'path', 'status'),
    [('POST', '/networks', 503), ('GET', '/networks/', 500), ('GET', '/networks/', 502)],
)
def test_create_during_temporary_error_waits(method, path, status, running_cloud, driver, ids):
    running_cloud.cloud.fail(method, path, status, times=2)
    stack = driver.create(net())
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(requests(running_cloud, 'POST', '/networks')) == (3 if method == 'POST' else 1)
    driver.delete(stack)


def test_update_after_temporary_error_is_retried(running_cloud, driver, ids):
    stack = driver.create(net())
    running_cloud.cloud.fail('PUT', '/networks/', 500)
    driver.update(stack, net(admin_state_up=False))
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    assert (
        len(
            [
                each
                for each in requests(running_cloud, 'PUT', '/networks/')
                if '/tags' not in each[1]
            ]
        )
        == 2
    )
    driver.delete(stack)


def test_create_during_permanent_error_fails_and_creates_once(
    running_cloud, driver, ids, monkeypatch
):
    monkeypatch.setattr(service_retry, 'UNAVAILABLE_SECONDS', 1)
    running_cloud.cloud.fail('POST', '/networks', 503, times=1000)
    stack = driver.create(net())
    assert driver.state(
        stack
    ) == 'CREATE_FAILED' and 'ServiceUnavailable: resources.net: it went wrong' in reason(
        driver, stack
    )
    assert len(requests(running_cloud, 'POST', '/networks')) > 1
    running_cloud.cloud.faults.clear()
    driver.delete(stack)
    running_cloud.cloud.asked.clear()
    running_cloud.cloud.fail('POST', '/networks', 502)
    stack = driver.create(net())
    assert (
        driver.state(stack) == 'CREATE_FAILED'
        and len(requests(running_cloud, 'POST', '/networks')) == 1
    )
    driver.delete(stack)


@pytest.mark.parametrize(
    ('status', 'kind'),
    [(500, 'InternalServerError'), (403, 'Forbidden'), (413, 'OverLimit'), (409, 'Conflict')],
)
def test_failed_request_returns_message_of_service(status, kind, running_cloud, driver, ids):
    running_cloud.cloud.fail(
        'POST', '/networks', status, message="Quota exceeded for resources: ['network']."
    )
    stack = driver.create(net())
    assert driver.state(stack) == 'CREATE_FAILED'
    message = reason(driver, stack)
    expected = (
        f"{kind}: resources.net: Quota exceeded for resources: ['network']. "
        f'(neutron {status}, POST /networks, req-'
    )
    assert expected in message
    driver.delete(stack)


def test_delete_of_object_in_use_is_retried(running_cloud, driver, ids):
    stack = driver.create(net())
    running_cloud.cloud.fail('DELETE', '/networks/', 409, message='it has ports')
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    assert len(requests(running_cloud, 'DELETE', '/networks/')) == 2


def test_object_in_status_error_fails_create(running_cloud, driver, ids):
    running_cloud.cloud.sick.add('/networks')
    stack = driver.create(net())
    assert 'ResourceInError: resources.net: Went to status ERROR due to "Unknown"' in reason(
        driver, stack
    )
    driver.delete(stack)
    assert not [
        each for each in running_cloud.cloud.of('network', '/networks') if each['name'] == 'mine'
    ]


def test_delete_of_missing_object_completes(running_cloud, driver, ids):
    stack = driver.create(net())
    del running_cloud.cloud.objects['network', '/networks', driver.physical_id(stack, 'net')]
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert 'NotFound: resources.net: network' in reason(driver, stack)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_property_with_name_is_resolved_to_id(running_cloud, driver, ids):
    network = next(
        each['id']
        for each in running_cloud.cloud.of('network', '/networks')
        if each['name'] == 'a network'
    )
    subnet = {
        'type': 'OS::Neutron::Subnet',
        'properties': {'network': 'a network', 'cidr': '10.7.0.0/24'},
    }
    stack = driver.create({'resources': {'subnet': subnet}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    before = driver.physical_id(stack, 'subnet')
    assert running_cloud.cloud.objects['network', '/subnets', before]['network_id'] == network

    # The id of the same network is no change.
    subnet['properties']['network'] = network
    driver.update(stack, {'resources': {'subnet': subnet}})
    assert driver.physical_id(stack, 'subnet') == before
    driver.delete(stack)


def test_property_with_unknown_or_ambiguous_name_is_refused(running_cloud, driver, ids):
    subnet = {
        'type': 'OS::Neutron::Subnet',
        'properties': {'network': 'nope', 'cidr': '10.7.0.0/24'},
    }
    with pytest.raises(exception.StackValidationFailed) as caught:
        driver.create({'resources': {'subnet': subnet}})
    expected = (
        "resources.subnet.properties.network: Error validating value 'nope': "
        "Unable to find network with name or id 'nope'"
    )
    assert expected in str(caught.value)
    for _ in range(2):
        running_cloud.cloud.put('network', '/networks', name='twin')
    subnet['properties']['network'] = 'twin'
    with pytest.raises(
        exception.StackValidationFailed, match="2 objects of the kind network are named 'twin'"
    ):
        driver.create({'resources': {'subnet': subnet}})


@pytest.mark.parametrize(
    ('kind', 'service', 'path'),
    [('nova.flavor', 'compute', '/flavors'), ('glance.image', 'image', '/images')],
)
def test_all_pages_of_a_list_are_read(running_cloud, driver, ids, kind, service, path):
    running_cloud.cloud.page = 3
    for number in range(10):
        running_cloud.cloud.put(service, path, name=f'f{number}')
    last = running_cloud.cloud.of(service, path)[-1]['id']
    assert driver.service.runtime.clients(driver.context).find(kind, 'f9') == last
    found = driver.client.list_choices(driver.context, constraint=kind)
    assert len(found) == len(running_cloud.cloud.of(service, path))


def test_choices_of_a_constraint_are_the_objects_of_the_cloud(running_cloud, driver, ids):
    running_cloud.cloud.page = 3
    for number in range(10):
        running_cloud.cloud.put('compute', '/flavors', name=f'f{number}')
    found = driver.client.list_choices(driver.context, constraint='nova.flavor')
    listed = running_cloud.cloud.of('compute', '/flavors')
    assert found == sorted(
        ({'id': each['id'], 'name': each['name']} for each in listed),
        key=lambda each: (each['name'], each['id']),
    )
    with pytest.raises(exception.NotFound, match='Did you mean "nova.flavor"'):
        driver.client.list_choices(driver.context, constraint='nova.flavour')
    running_cloud.cloud.extensions = ['router']
    with pytest.raises(exception.NotFound, match='sfc|could not be found'):
        driver.client.list_choices(driver.context, constraint='neutron.lbaas.pool')


def test_resource_type_without_service_is_refused(running_cloud, driver, ids):
    running_cloud.cloud.extensions = ['router']
    with pytest.raises(
        exception.ResourceTypeUnavailable,
        match='Required extension address-scope in neutron service is not available.$',
    ):
        driver.create({'resources': {'scope': {'type': 'OS::Neutron::AddressScope'}}})
    driver.context = request_context(running_cloud, auth_token=None)
    with pytest.raises(exception.ResourceTypeUnavailable, match='the request came without a token'):
        driver.create(net())
    assert 'OS::Neutron::Net' not in driver.client.list_resource_types(driver.context)
    with pytest.raises(exception.ResourceTypeUnavailable):
        driver.client.resource_schema(driver.context, type_name='OS::Neutron::Net')


def test_resource_types_are_listed_by_available_services(running_cloud, driver, ids):
    running_cloud.cloud.extensions = ['router']
    listed = driver.client.list_resource_types(driver.context)
    assert {'OS::Neutron::Net', 'OS::Nova::Flavor', 'OS::Heat::Value'} <= set(listed)
    assert not {
        'OS::Neutron::AddressScope',
        'OS::Sahara::Cluster',
        'OS::Neutron::RouterGateway',
    } & set(listed)


def test_alarms_of_engines_are_listed_where_the_cloud_has_no_alarm_service(
    running_cloud, driver, ids
):
    name = 'OS::Heat::CWLiteAlarm'
    assert name not in driver.client.list_resource_types(driver.context)
    driver.context = request_context(running_cloud, auth_token=None)
    assert name in driver.client.list_resource_types(driver.context)


def test_create_with_rejected_token_names_keystone(running_cloud, driver, ids):
    driver.context = request_context(running_cloud, auth_token='no such token')
    with pytest.raises(Exception, match='Keystone rejected the credentials'):
        driver.create(net())


def test_converge_update_restores_drifted_properties(running_cloud, driver, ids):
    stack = driver.create(net(shared=False))
    network = running_cloud.cloud.objects['network', '/networks', driver.physical_id(stack, 'net')]
    network.update(name='theirs', shared=True)
    driver.update(stack, net(shared=False))
    assert (network['name'], network['shared']) == ('theirs', True)
    driver.update(stack, net(shared=False), converge=True)
    assert (network['name'], network['shared']) == ('mine', False)
    driver.delete(stack)


def check(driver, stack):
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)


def resource_reason(driver, stack, name='net'):
    return driver.client.describe_stack_resource(
        driver.context, stack_identity=stack, resource_name=name
    )['resource_status_reason']


def test_check_reports_drifted_properties(running_cloud, driver, ids):
    stack = driver.create(net(shared=False, tags=['a', 'b']))
    network = running_cloud.cloud.objects['network', '/networks', driver.physical_id(stack, 'net')]
    check(driver, stack)
    assert (resource_reason(driver, stack), reason(driver, stack)) == (
        'state changed',
        'Stack CHECK completed successfully',
    )
    network.update(name='theirs', shared=True, tags=['b'], description='not asked for')
    check(driver, stack)
    changes = (
        'name is "theirs", not "mine"; shared is true, not false; tags is ["b"], not ["a", "b"]'
    )
    assert resource_reason(driver, stack) == f'state changed; changed by others: {changes}'
    assert driver.state(stack) == 'CHECK_COMPLETE'
    assert (
        reason(driver, stack)
        == 'Stack CHECK completed successfully. Changed by others: net (see resources)'
    )
    driver.update(stack, net(shared=False, tags=['a', 'b']), converge=True)
    assert (network['name'], network['shared'], network['tags']) == ('mine', False, ['a', 'b'])
    check(driver, stack)
    assert resource_reason(driver, stack) == 'state changed'
    driver.delete(stack)


def test_converge_update_without_drift_sends_no_change(running_cloud, driver, ids):
    stack = driver.create(net(shared=False, tags=['a', 'b']))
    before = driver.physical_id(stack, 'net')
    running_cloud.cloud.objects['network', '/networks', before]['tags'] = ['b', 'a']
    running_cloud.cloud.asked.clear()
    driver.update(stack, net(shared=False, tags=['a', 'b']), converge=True)
    assert driver.state(stack) == 'UPDATE_COMPLETE' and driver.physical_id(stack, 'net') == before
    assert not requests(running_cloud, 'PUT', '/networks')
    driver.delete(stack)


def test_change_by_other_resource_of_template_is_no_drift(running_cloud, driver, ids):
    """Other resources add a rule to the security group and share the network."""
    rule = {
        'security_group': {'get_resource': 'group'},
        'protocol': 'udp',
        'port_range_min': 53,
        'port_range_max': 53,
    }
    policy = {
        'object_type': 'network',
        'object_id': {'get_resource': 'net'},
        'action': 'access_as_shared',
        'target_tenant': '*',
    }
    resources = {
        'group': {
            'type': 'OS::Neutron::SecurityGroup',
            'properties': {'rules': [{'protocol': 'tcp'}]},
        },
        'rule': {'type': 'OS::Neutron::SecurityGroupRule', 'properties': rule},
        'net': {'type': 'OS::Neutron::Net'},
        'policy': {'type': 'OS::Neutron::RBACPolicy', 'properties': policy},
    }
    stack = driver.create({'resources': resources})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    running_cloud.cloud.objects['network', '/networks', driver.physical_id(stack, 'net')][
        'shared'
    ] = True
    check(driver, stack)
    assert reason(driver, stack) == 'Stack CHECK completed successfully'
    tcp = next(
        each
        for each in running_cloud.cloud.of('network', '/security-group-rules')
        if each['protocol'] == 'tcp'
    )
    running_cloud.cloud.objects.pop(('network', '/security-group-rules', tcp['id']))
    check(driver, stack)
    assert 'changed by others: rules is [' in resource_reason(driver, stack, 'group')
    driver.update(stack, {'resources': resources}, converge=True)
    check(driver, stack)
    assert resource_reason(driver, stack, 'group') == 'state changed'
    assert driver.physical_id(stack, 'rule') in {
        each['id'] for each in running_cloud.cloud.of('network', '/security-group-rules')
    }
    driver.delete(stack)


def test_check_of_missing_object_fails_and_update_replaces_it(running_cloud, driver, ids):
    stack = driver.create(net())
    before = driver.physical_id(stack, 'net')
    del running_cloud.cloud.objects['network', '/networks', before]
    check(driver, stack)
    assert driver.state(
        stack
    ) == 'CHECK_FAILED' and 'NotFound: resources.net: network' in resource_reason(driver, stack)
    driver.update(stack, net())
    after = driver.physical_id(stack, 'net')
    assert after != before and after in {
        each['id'] for each in running_cloud.cloud.of('network', '/networks')
    }
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_COMPLETE'
    driver.delete(stack)


def test_check_continues_after_failed_resource(running_cloud, driver, ids):
    nets = {name: {'type': 'OS::Neutron::Net'} for name in ('one', 'two', 'present')}
    stack = driver.create(
        {'resources': {**nets, 'after': {'type': 'OS::Neutron::Net', 'depends_on': 'one'}}}
    )
    for name in ('one', 'two'):
        del running_cloud.cloud.objects['network', '/networks', driver.physical_id(stack, name)]
    check(driver, stack)
    message = reason(driver, stack)
    assert driver.state(stack) == 'CHECK_FAILED'
    assert 'one: Resource CHECK failed: NotFound: resources.one: network' in message
    assert 'two: Resource CHECK failed: NotFound: resources.two: network' in message
    listed = driver.client.list_stack_resources(driver.context, stack_identity=stack)
    states = {
        each['resource_name']: (each['resource_action'], each['resource_status']) for each in listed
    }
    failed, checked, untouched = ('CHECK', 'FAILED'), ('CHECK', 'COMPLETE'), ('CREATE', 'COMPLETE')
    assert states == {'one': failed, 'two': failed, 'present': checked, 'after': untouched}
    driver.delete(stack)


def test_replacement_with_same_physical_id_is_kept(running_cloud, driver, ids):
    stack = driver.create(
        {'resources': {'box': {'type': 'OS::Swift::Container', 'properties': {'name': 'mine'}}}}
    )
    del running_cloud.cloud.objects['object-store', '/', 'mine']
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_FAILED'
    driver.update(
        stack,
        {'resources': {'box': {'type': 'OS::Swift::Container', 'properties': {'name': 'mine'}}}},
    )
    assert driver.state(stack) == 'UPDATE_COMPLETE'
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_COMPLETE', reason(driver, stack)
    driver.delete(stack)
    assert ('object-store', '/', 'mine') not in running_cloud.cloud.objects


def port(mac, address='10.0.0.7'):
    properties = {
        'network': 'a network',
        'mac_address': mac,
        'fixed_ips': [{'ip_address': address}],
    }
    return {'resources': {'port': {'type': 'OS::Neutron::Port', 'properties': properties}}}


def test_replaced_port_releases_address_before_replacement_is_created(running_cloud, driver, ids):
    stack = driver.create(port('fa:16:3e:00:00:01'))
    before = driver.physical_id(stack, 'port')
    running_cloud.cloud.asked.clear()
    driver.update(stack, port('fa:16:3e:00:00:02'))
    assert driver.state(stack) == 'UPDATE_COMPLETE' and driver.physical_id(stack, 'port') != before
    sent = [
        (method, body)
        for method, path, body in running_cloud.cloud.asked
        if '/ports' in path and method in ('PUT', 'POST')
    ]
    assert sent[0] == ('PUT', {'port': {'fixed_ips': []}}) and sent[1][0] == 'POST'
    driver.delete(stack)


def test_port_after_failed_replacement_gets_address_back(running_cloud, driver, ids):
    others = running_cloud.cloud.of('network', '/ports')
    stack = driver.create(port('fa:16:3e:00:00:01'))
    before = driver.physical_id(stack, 'port')
    running_cloud.cloud.fail('POST', '/ports', 400)
    driver.update(stack, port('fa:16:3e:00:00:02'))
    assert driver.state(stack) == 'UPDATE_FAILED'
    assert running_cloud.cloud.objects['network', '/ports', before]['fixed_ips'] == []
    driver.update(stack, port('fa:16:3e:00:00:01'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    now = running_cloud.cloud.objects['network', '/ports', driver.physical_id(stack, 'port')]
    assert [each['ip_address'] for each in now['fixed_ips']] == ['10.0.0.7']
    driver.delete(stack)
    assert running_cloud.cloud.of('network', '/ports') == others


def test_replaced_qos_specs_move_volume_type_association(running_cloud, driver, ids):
    def template(name):
        resources = {
            'type': {'type': 'OS::Cinder::VolumeType', 'properties': {'name': 'mine'}},
            'specs': {
                'type': 'OS::Cinder::QoSSpecs',
                'properties': {'name': name, 'specs': {'a': 'b'}},
            },
        }
        both = {'qos_specs': {'get_resource': 'specs'}, 'volume_types': [{'get_resource': 'type'}]}
        return {
            'resources': {
                **resources,
                'association': {'type': 'OS::Cinder::QoSAssociation', 'properties': both},
            }
        }

    stack = driver.create(template('one'))
    running_cloud.cloud.asked.clear()
    driver.update(stack, template('two'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    calls = [
        path.rpartition('/')[2] for _, path, _ in running_cloud.cloud.asked if 'associate' in path
    ]
    assert calls == ['disassociate', 'associate'], (
        'a volume type has one association at a time and is disassociated once'
    )
    driver.delete(stack)


def test_web_image_with_failed_import_fails(running_cloud, driver, ids):
    properties = {'container_format': 'bare', 'disk_format': 'raw', 'location': 'http://nowhere/'}
    stack = driver.create(
        {'resources': {'image': {'type': 'OS::Glance::WebImage', 'properties': properties}}}
    )
    assert driver.state(stack) == 'CREATE_FAILED'
    expected = (
        'Went to status queued due to '
        '"http://nowhere/ could not be imported: Task failed due to Internal Error"'
    )
    assert expected in reason(driver, stack)
    driver.delete(stack)


def test_removed_router_interface_is_connected_again(running_cloud, driver, ids):
    stack = driver.create(NETWORK)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    pair = driver.physical_id(stack, 'router'), driver.physical_id(stack, 'subnet')
    check(driver, stack)
    assert driver.state(stack) == 'CHECK_COMPLETE', reason(driver, stack)
    port = running_cloud.cloud.objects['network', '/ports', driver.physical_id(stack, 'port')]
    port['device_id'] = 'a server'
    for converge in (True, False):
        running_cloud.cloud.state['interfaces'].remove(pair)
        if not converge:
            check(driver, stack)
            assert driver.state(
                stack
            ) == 'CHECK_FAILED' and 'is not connected any more' in resource_reason(
                driver, stack, 'interface'
            )
        driver.update(stack, NETWORK, converge=converge)
        assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
        assert pair in running_cloud.cloud.state['interfaces']
        assert port['device_id'] == 'a server', (
            'the template does not state that the port is unused'
        )
    driver.delete(stack)
    assert (
        driver.state(stack) == 'DELETE_COMPLETE'
        and pair not in running_cloud.cloud.state['interfaces']
    )


NETWORK = {
    'resources': {
        'address': {
            'type': 'OS::Neutron::FloatingIP',
            'properties': {'floating_network': 'a network', 'port_id': {'get_resource': 'port'}},
        },
        'port': {
            'type': 'OS::Neutron::Port',
            'properties': {
                'network': {'get_resource': 'net'},
                'security_groups': [{'get_resource': 'group'}],
            },
        },
        'interface': {
            'type': 'OS::Neutron::RouterInterface',
            'properties': {
                'router': {'get_resource': 'router'},
                'subnet': {'get_resource': 'subnet'},
            },
        },
        'router': {
            'type': 'OS::Neutron::Router',
            'properties': {'external_gateway_info': {'network': 'a network'}},
        },
        'subnet': {
            'type': 'OS::Neutron::Subnet',
            'properties': {'network_id': {'get_resource': 'net'}, 'cidr': '10.8.0.0/24'},
        },
        'net': {'type': 'OS::Neutron::Net'},
        'group': {
            'type': 'OS::Neutron::SecurityGroup',
            'properties': {'rules': [{'protocol': 'tcp', 'port_range_min': 22}]},
        },
    }
}


def test_network_resources_follow_implicit_dependencies(running_cloud, driver, ids):
    """Implicit dependencies: port on subnets, floating IP on router interface; then reversed."""
    others = running_cloud.cloud.of('network', '/routers')
    stack = driver.create(NETWORK)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    created = [
        path.rpartition('/')[2]
        for method, path, *_ in running_cloud.cloud.asked
        if method in ('POST', 'PUT')
    ]
    assert created.index('subnets') < created.index('ports') < created.index('floatingips')
    assert created.index('add_router_interface') < created.index('floatingips')
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)
    assert running_cloud.cloud.of('network', '/routers') == others


def test_security_group_update_changes_only_differing_rules(running_cloud, driver, ids):
    def group(*rules):
        return {
            'resources': {
                'group': {
                    'type': 'OS::Neutron::SecurityGroup',
                    'properties': {'rules': list(rules)},
                }
            }
        }

    def rules(stack):
        mine = driver.physical_id(stack, 'group')
        found = [
            each
            for each in running_cloud.cloud.of('network', '/security-group-rules')
            if each['security_group_id'] == mine
        ]
        return {
            (each['direction'], each['ethertype'], each['protocol'], each['port_range_min']): each[
                'id'
            ]
            for each in found
        }

    ssh, web = (
        {'protocol': 'tcp', 'port_range_min': 22, 'port_range_max': 22},
        {'protocol': 'tcp', 'port_range_min': 80},
    )
    stack = driver.create(group(ssh))
    first = rules(stack)
    assert set(first) == {
        ('ingress', 'IPv4', 'tcp', 22),
        ('egress', 'IPv4', None, None),
        ('egress', 'IPv6', None, None),
    }
    driver.update(stack, group(ssh, web))
    second = rules(stack)
    assert {key: second[key] for key in first} == first and len(second) == 4
    driver.update(stack, group(ssh, {'direction': 'egress', 'protocol': '6'}))
    assert set(rules(stack)) == {('ingress', 'IPv4', 'tcp', 22), ('egress', 'IPv4', '6', None)}
    driver.delete(stack)


def test_volume_with_snapshot_policy_is_deleted_after_backup(running_cloud, driver, ids):
    volume = {
        'type': 'OS::Cinder::Volume',
        'deletion_policy': 'Snapshot',
        'properties': {'size': 1},
    }
    stack = driver.create({'resources': {'disk': volume}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    disk = driver.physical_id(stack, 'disk')
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)
    assert [
        each['volume_id']
        for each in running_cloud.cloud.of('block-storage', '/backups')
        if each['volume_id']
    ] == [disk]
    assert ('block-storage', '/volumes', disk) not in running_cloud.cloud.objects


def test_volume_update_to_smaller_size_fails(running_cloud, driver, ids):
    volume = {'type': 'OS::Cinder::Volume', 'properties': {'size': 2}}
    stack = driver.create({'resources': {'disk': volume}})
    volume['properties']['size'] = 1
    driver.update(stack, {'resources': {'disk': volume}})
    assert 'Shrinking volume is not supported.' in reason(driver, stack)
    driver.delete(stack)


def test_delete_of_non_empty_container_requires_purge(running_cloud, driver, ids):
    container = {'type': 'OS::Swift::Container', 'properties': {'name': 'mine'}}
    stack = driver.create({'resources': {'box': container}})
    running_cloud.cloud.objects['object-store', '/', 'mine']['objects']['a/b'] = 'text'
    driver.delete(stack)
    assert 'Deleting non-empty container is not supported.' in reason(driver, stack)
    running_cloud.cloud.objects['object-store', '/', 'mine']['objects'].clear()
    driver.delete(stack)

    container['properties']['PurgeOnDelete'] = True
    stack = driver.create({'resources': {'box': container}})
    running_cloud.cloud.objects['object-store', '/', 'mine']['objects']['a/b'] = 'text'
    driver.delete(stack)
    assert ('object-store', '/', 'mine') not in running_cloud.cloud.objects


def test_metadata_of_object_container_is_utf_8(running_cloud, driver, ids):
    properties = {'name': 'mine', 'X-Container-Meta': {'Town': 'Zürich 日本'}}
    container = {'type': 'OS::Swift::Container', 'properties': properties}
    head = {'value': {'get_attr': ['box', 'HeadContainer', 'x-container-meta-town']}}
    stack = driver.create({'resources': {'box': container}, 'outputs': {'town': head}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert driver.outputs(stack) == {'town': 'Zürich 日本'}
    driver.delete(stack)


def test_key_pair_with_save_private_key_returns_private_key(running_cloud, driver, ids):
    pair = {'type': 'OS::Nova::KeyPair', 'properties': {'name': 'mine', 'save_private_key': True}}
    outputs = {
        name: {'value': {'get_attr': ['pair', name]}} for name in ('private_key', 'public_key')
    }
    with pytest.raises(exception.StackValidationFailed, match='public_key property is required'):
        driver.create({'resources': {'pair': pair}})  # with the newest Nova

    running_cloud.cloud.newest['compute'] = '2.91'
    driver.context = request_context(running_cloud)
    stack = driver.create({'resources': {'pair': pair}, 'outputs': outputs})
    assert driver.outputs(stack) == {'private_key': 'PRIVATE', 'public_key': 'ssh-rsa made'}
    driver.delete(stack)


def test_retired_resource_type_creates_placeholder(running_cloud, driver, ids):
    stack = driver.create(
        {'resources': {'it': {'type': 'OS::Heat::HARestarter', 'properties': {'InstanceId': 'x'}}}}
    )
    assert driver.state(stack) == 'CREATE_COMPLETE'
    with pytest.raises(exception.NotSupported):
        driver.client.resource_schema(driver.context, type_name='OS::Heat::HARestarter')
    driver.delete(stack)


def test_listener_waits_while_load_balancer_is_immutable(running_cloud, driver, ids):
    balancer = {'type': 'OS::Octavia::LoadBalancer', 'properties': {'vip_subnet': 'a subnet'}}
    listener = {
        'type': 'OS::Octavia::Listener',
        'properties': {
            'loadbalancer': {'get_resource': 'balancer'},
            'protocol': 'HTTP',
            'protocol_port': 80,
        },
    }
    for method in ('POST', 'DELETE'):
        running_cloud.cloud.fail(
            method, '/lbaas/listeners', 409, message='the load balancer is immutable'
        )
    stack = driver.create({'resources': {'balancer': balancer, 'listener': listener}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(requests(running_cloud, 'POST', '/lbaas/listeners')) == 2
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', reason(driver, stack)
    assert len(requests(running_cloud, 'DELETE', '/lbaas/listeners')) == 2


def test_create_with_cached_finder_sends_few_requests(running_cloud, driver, ids):
    """Readers of properties do not repeat the request that resolves a name."""
    clients = driver.service.runtime.clients
    clients.conf.set_override('caching', True, 'resource_finder_cache')
    clients.conf.set_override('caching', True, 'service_extension_cache')
    running_cloud.cloud.looks = 0
    try:
        subnet = {
            'type': 'OS::Neutron::Subnet',
            'properties': {'network': 'a network', 'cidr': '10.7.0.0/24'},
        }
        before = len(running_cloud.cloud.asked)
        stack = driver.create({'resources': {'subnet': subnet}})
        sent = [
            (method, path.rpartition('/v2.0')[2])
            for method, path, *_ in running_cloud.cloud.asked[before:]
        ]
    finally:
        clients.conf.clear_override('caching', 'resource_finder_cache')
        clients.conf.clear_override('caching', 'service_extension_cache')
    assert sent.count(('POST', '/subnets')) == 1
    assert sent.count(('GET', '/networks')) <= 2, sent
    driver.delete(stack)


def test_converge_update_replaces_deleted_object(running_cloud, driver, ids):
    stack = driver.create(net())
    before = driver.physical_id(stack, 'net')
    del running_cloud.cloud.objects['network', '/networks', before]
    driver.update(stack, net(), converge=True)
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    assert driver.physical_id(stack, 'net') != before
    driver.delete(stack)


PORT_TEMPLATE = """
heat_template_version: 2021-04-16
parameters: {network: {type: string}}
resources:
  port: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
"""


def test_preview_includes_nested_stack_with_unresolved_reference(running_cloud, driver, ids):
    members = {
        'count': 1,
        'resource_def': {'type': 'port.yaml', 'properties': {'network': {'get_resource': 'net'}}},
    }
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {
            **net()['resources'],
            'group': {'type': 'OS::Heat::ResourceGroup', 'properties': members},
        },
    }
    preview = driver.client.preview_stack(
        driver.context,
        stack_name='s',
        template=template,
        params={},
        files={'port.yaml': PORT_TEMPLATE},
        args={},
    )
    (nested,) = [each for each in preview['resources'] if isinstance(each, list)]
    ((port,),) = nested
    assert port['resource_name'] == 'port'


def test_subnet_without_allocation_pools_in_new_template_has_none(running_cloud, driver, ids):
    subnet = {'network': {'get_resource': 'net'}, 'cidr': '10.0.0.0/24'}

    def template(**more):
        return {
            'resources': {
                **net()['resources'],
                'sub': {'type': 'OS::Neutron::Subnet', 'properties': {**subnet, **more}},
            }
        }

    stack = driver.create(template(allocation_pools=[{'start': '10.0.0.10', 'end': '10.0.0.20'}]))
    driver.update(stack, template())
    assert driver.resource(stack, 'sub')['attributes']['allocation_pools'] == [], reason(
        driver, stack
    )
    driver.delete(stack)


@pytest.mark.parametrize(
    'message',
    [
        'Invalid volume: Volume 1 status must be available, in-use , but current status is: {}',
        'Invalid volume: Volume to be backed up must be available or in-use, but the current '
        'status is "{}".',
        "Invalid volume: Volume 1 status must be 'available' to extend, currently {}.",
    ],
)
@pytest.mark.parametrize(('state', 'waits'), [('backing-up', True), ('error', False)])
def test_copy_of_a_volume_waits_for_another_copy(message, state, waits, running_cloud, driver, ids):
    running_cloud.cloud.fail('POST', '/snapshots', 400, message=message.format(state))
    volume = running_cloud.cloud.put('block-storage', '/volumes', name='v')
    snapshot = {'type': 'OS::Cinder::Snapshot', 'properties': {'volume': volume}}
    stack = driver.create({'resources': {'snapshot': snapshot}})
    assert driver.state(stack) == ('CREATE_COMPLETE' if waits else 'CREATE_FAILED')
    driver.delete(stack)


def test_refused_update_is_repeated_and_replaces_no_role(running_cloud, driver, ids):
    def template(description):
        properties = {'name': 'only one', 'description': description}
        return {'resources': {'it': {'type': 'OS::Keystone::Role', 'properties': properties}}}

    stack = driver.create(template('before'))
    role = driver.physical_id(stack, 'it')
    running_cloud.cloud.fail('PATCH', f'/roles/{role}', 403)
    driver.update(stack, template('after'))
    assert driver.state(stack) == 'UPDATE_FAILED'
    driver.update(stack, template('after'))
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    assert driver.physical_id(stack, 'it') == role
    driver.delete(stack)


def test_failed_image_of_a_volume_says_why_while_cinder_deletes_it(running_cloud, driver, ids):
    cloud = running_cloud.cloud
    volume = cloud.put('block-storage', '/volumes', name='v', status='available')
    image = {'type': 'OS::Glance::VolumeImage', 'properties': {'volume': volume}}
    cloud.fail('GET', '/images/', 404, times=100)
    cloud.fail('DELETE', '/images/', 400, times=100, message='from deleted to deleted')
    stack = driver.create({'resources': {'image': image}})
    assert 'Cinder could not upload the volume' in reason(driver, stack)
    cloud.faults.clear()
    driver.delete(stack)


def test_address_group_is_shared_by_an_rbac_policy(running_cloud, driver, ids):
    group = running_cloud.cloud.put('network', '/address-groups', name='ours', addresses=[])
    properties = {
        'object_type': 'address_group',
        'object_id': 'ours',
        'action': 'access_as_shared',
        'target_tenant': '*',
    }
    policy = {'type': 'OS::Neutron::RBACPolicy', 'properties': properties}
    stack = driver.create({'resources': {'policy': policy}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    [made] = running_cloud.cloud.of('network', '/rbac-policies')
    assert made['object_id'] == group
    driver.delete(stack)


def test_capabilities_of_a_share_type_are_compared_as_its_other_specs(running_cloud, driver, ids):
    properties = {'name': 't', 'driver_handles_share_servers': False, 'extra_specs': {'k': 'v'}}
    kind = {'type': 'OS::Manila::ShareType', 'properties': properties}
    stack = driver.create({'resources': {'it': kind}})
    shown = {'driver_handles_share_servers': 'False', 'snapshot_support': 'True', 'k': 'w'}
    cloud = running_cloud.cloud
    made = cloud.objects['shared-file-system', '/types', driver.physical_id(stack, 'it')]
    made['extra_specs'] = shown
    found = driver.client.stack_drift(driver.context, stack_identity=stack)
    assert {each['property']: each['actual'] for each in found['resources'][0]['properties']} == {
        'extra_specs': {'k': 'w'},
    }
    kind['import'] = {'id': cloud.put('shared-file-system', '/types', name='t', extra_specs=shown)}
    given = {'heat_template_version': 'heat_lite_2026-12-01', 'resources': {'other': kind}}
    [found] = driver.preview(stack, given)['added']
    assert [each['property'] for each in found['property_changes']] == ['extra_specs']
    driver.delete(stack)


@pytest.mark.parametrize('fails', [False, True])
def test_interface_moves_to_the_server_that_replaces_its_own(fails, running_cloud, driver, ids):
    cloud = running_cloud.cloud
    network = cloud.put('network', '/networks', name='n')
    port = cloud.put('network', '/ports', name='p', network_id=network)
    servers = [cloud.put('compute', '/servers', name=name, status='ACTIVE') for name in 'ab']

    def template(server):
        properties = {'server': server, 'port': port}
        return {
            'resources': {'it': {'type': 'OS::Nova::InterfaceAttachment', 'properties': properties}}
        }

    stack = driver.create(template(servers[0]))
    if fails:
        cloud.fail('POST', f'/servers/{servers[1]}/os-interface', 400)
    driver.update(stack, template(servers[1]))
    assert driver.state(stack) == ('UPDATE_FAILED' if fails else 'UPDATE_COMPLETE')
    if fails:
        driver.update(stack, template(servers[0]))
        assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    shown = cloud.objects['network', '/ports', port]
    assert shown['device_id'] == servers[0 if fails else 1]
    driver.delete(stack)
