"""Networks in the words of EC2: the routers of a VPC, their way out, and requests whose answers nobody heard."""

from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures

VPC = {
    'vpc': {'type': 'AWS::EC2::VPC', 'properties': {'CidrBlock': '10.5.0.0/16'}},
    'gateway': {'type': 'AWS::EC2::InternetGateway'},
    # before all others, but it has to come after the table
    'attached': {
        'type': 'AWS::EC2::VPCGatewayAttachment',
        'properties': {'VpcId': {'get_resource': 'vpc'}, 'InternetGatewayId': {'get_resource': 'gateway'}},
    },
    'subnet': {'type': 'AWS::EC2::Subnet', 'properties': {'VpcId': {'get_resource': 'vpc'}, 'CidrBlock': '10.5.1.0/24'}},
    'table': {'type': 'AWS::EC2::RouteTable', 'properties': {'VpcId': {'get_resource': 'vpc'}}},
    'of_subnet': {
        'type': 'AWS::EC2::SubnetRouteTableAssociation',
        'properties': {'RouteTableId': {'get_resource': 'table'}, 'SubnetId': {'get_resource': 'subnet'}},
    },
    'address': {'type': 'AWS::EC2::EIP'},
}
OUTPUTS = {name: {'value': {'get_resource': name}} for name in VPC}


def router(place, name):  # noqa: F811 - a fixture
    return next(each for each in place.cloud.of('network', '/routers') if (each.get('name') or '').startswith(name))


def inside(place, subnet):  # noqa: F811 - a fixture
    return {one for one, other in place.cloud.state['interfaces'] if other == subnet}


def test_all_routers_lead_out(place, driver, ids):  # noqa: F811 - fixtures
    stack = driver.create({'resources': VPC, 'outputs': OUTPUTS}, name='net')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    told, outside = (
        driver.outputs(stack),
        next(each['id'] for each in place.cloud.of('network', '/networks') if each.get('router:external')),
    )
    first, table = router(place, 'net-vpc'), router(place, 'net-table')
    assert first['external_gateway_info'] == table['external_gateway_info'] == {'network_id': outside}
    assert inside(place, told['subnet']) == {table['id']}
    assert (told['table'], told['of_subnet'], told['attached']) == (table['id'], 'of_subnet', 'attached')
    assert told['address'] == '203.0.113.9'

    # what is associated no longer goes back to the router of the VPC
    less = {name: each for name, each in VPC.items() if name != 'of_subnet'}
    driver.update(stack, {'resources': less})
    assert driver.state(stack) == 'UPDATE_COMPLETE' and inside(place, told['subnet']) == {first['id']}
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']


def test_a_table_that_comes_later_leads_out_too(place, driver, ids):  # noqa: F811 - fixtures
    stack = driver.create({'resources': {name: VPC[name] for name in ('vpc', 'gateway', 'attached')}}, name='later')
    driver.update(stack, {'resources': {name: VPC[name] for name in ('vpc', 'gateway', 'attached', 'table')}})
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert router(place, 'later-table')['external_gateway_info'] == router(place, 'later-vpc')['external_gateway_info']
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']


def test_an_interface_that_is_there_already(place, driver, ids):  # noqa: F811 - fixtures
    template = {'resources': {'it': {**VPC['of_subnet'], 'properties': {'RouteTableId': ids['router'], 'SubnetId': ids['subnet']}}}}
    place.cloud.fail('PUT', 'add_router_interface', 400, message='Router already has a port on subnet')
    refused = driver.create(template, name='refused')
    assert driver.state(refused) == 'CREATE_FAILED'

    port = place.cloud.put('network', '/ports', device_id=ids['router'], fixed_ips=[{'subnet_id': ids['subnet']}])
    place.cloud.fail('PUT', 'add_router_interface', 400, message='Router already has a port on subnet')
    stack = driver.create(template, name='again')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    del place.cloud.objects['network', '/ports', port]
