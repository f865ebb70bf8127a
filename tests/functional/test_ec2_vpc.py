"""EC2 networks: routers of a VPC, their gateways, and requests with lost responses."""

from heat_lite.db import models, session
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

VPC = {
    'vpc': {'type': 'AWS::EC2::VPC', 'properties': {'CidrBlock': '10.5.0.0/16'}},
    'gateway': {'type': 'AWS::EC2::InternetGateway'},
    # listed first, but must be created after the route table
    'attached': {
        'type': 'AWS::EC2::VPCGatewayAttachment',
        'properties': {
            'VpcId': {'get_resource': 'vpc'},
            'InternetGatewayId': {'get_resource': 'gateway'},
        },
    },
    'subnet': {
        'type': 'AWS::EC2::Subnet',
        'properties': {'VpcId': {'get_resource': 'vpc'}, 'CidrBlock': '10.5.1.0/24'},
    },
    'table': {'type': 'AWS::EC2::RouteTable', 'properties': {'VpcId': {'get_resource': 'vpc'}}},
    'of_subnet': {
        'type': 'AWS::EC2::SubnetRouteTableAssociation',
        'properties': {
            'RouteTableId': {'get_resource': 'table'},
            'SubnetId': {'get_resource': 'subnet'},
        },
    },
    'address': {'type': 'AWS::EC2::EIP'},
}
OUTPUTS = {name: {'value': {'get_resource': name}} for name in VPC}


def router(running_cloud, name):  # noqa: F811 - a fixture
    return next(
        each
        for each in running_cloud.cloud.of('network', '/routers')
        if (each.get('name') or '').startswith(name)
    )


def router_ports(running_cloud, subnet):  # noqa: F811 - a fixture
    return {one for one, other in running_cloud.cloud.state['interfaces'] if other == subnet}


def test_gateway_attachment_connects_all_routers(running_cloud, driver, ids):  # noqa: F811
    stack = driver.create({'resources': VPC, 'outputs': OUTPUTS}, name='net')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    told, outside = (
        driver.outputs(stack),
        next(
            each['id']
            for each in running_cloud.cloud.of('network', '/networks')
            if each.get('router:external')
        ),
    )
    first, table = router(running_cloud, 'net-vpc'), router(running_cloud, 'net-table')
    assert (
        first['external_gateway_info'] == table['external_gateway_info'] == {'network_id': outside}
    )
    assert router_ports(running_cloud, told['subnet']) == {table['id']}
    assert (told['table'], told['of_subnet'], told['attached']) == (
        table['id'],
        'of_subnet',
        'attached',
    )
    assert told['address'] == '203.0.113.9'

    # the disassociated subnet returns to the router of the VPC
    less = {name: each for name, each in VPC.items() if name != 'of_subnet'}
    driver.update(stack, {'resources': less})
    assert driver.state(stack) == 'UPDATE_COMPLETE' and router_ports(
        running_cloud, told['subnet']
    ) == {first['id']}
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']


def test_later_route_table_is_connected_to_the_gateway(running_cloud, driver, ids):  # noqa: F811
    stack = driver.create(
        {'resources': {name: VPC[name] for name in ('vpc', 'gateway', 'attached')}}, name='later'
    )
    driver.update(
        stack, {'resources': {name: VPC[name] for name in ('vpc', 'gateway', 'attached', 'table')}}
    )
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert (
        router(running_cloud, 'later-table')['external_gateway_info']
        == router(running_cloud, 'later-vpc')['external_gateway_info']
    )
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']


def test_existing_router_interface_is_accepted(running_cloud, driver, ids):  # noqa: F811
    template = {
        'resources': {
            'it': {
                **VPC['of_subnet'],
                'properties': {'RouteTableId': ids['router'], 'SubnetId': ids['subnet']},
            }
        }
    }
    running_cloud.cloud.fail(
        'PUT', 'add_router_interface', 400, message='Router already has a port on subnet'
    )
    refused = driver.create(template, name='refused')
    assert driver.state(refused) == 'CREATE_FAILED'

    port = running_cloud.cloud.put(
        'network', '/ports', device_id=ids['router'], fixed_ips=[{'subnet_id': ids['subnet']}]
    )
    running_cloud.cloud.fail(
        'PUT', 'add_router_interface', 400, message='Router already has a port on subnet'
    )
    stack = driver.create(template, name='again')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    del running_cloud.cloud.objects['network', '/ports', port]


@session.writer
def forget_id(stack, name):
    """Leave the id of a resource out of its row, as Heat does for types without an object."""
    row = (models.resource.c.stack_id == stack['stack_id']) & (models.resource.c.name == name)
    session.execute(models.resource.update().where(row).values(nova_instance=None))


def test_association_without_an_id_in_its_row_is_undone(running_cloud, driver, ids):  # noqa: F811
    resources = {name: VPC[name] for name in ('vpc', 'subnet', 'table', 'of_subnet')}
    outputs = {'subnet': OUTPUTS['subnet']}
    stack = driver.create({'resources': resources, 'outputs': outputs}, name='net')
    subnet = driver.outputs(stack)['subnet']
    assert router_ports(running_cloud, subnet) == {router(running_cloud, 'net-table')['id']}
    driver.wait_for_free_lock(stack)
    forget_id(stack, 'of_subnet')
    driver.update(stack, {'resources': {name: VPC[name] for name in ('vpc', 'subnet', 'table')}})
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert router_ports(running_cloud, subnet) == {router(running_cloud, 'net-vpc')['id']}
