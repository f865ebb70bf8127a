"""AWS::EC2::VPC and its parts: subnets, route tables and gateways."""

import contextlib

from heat_lite.clients import errors
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.aws.ec2.base import (
    TABLE,
    Ec2Object,
    NetworkingResource,
    matching_names,
    tags,
)
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.common_properties import not_implemented
from heat_lite.resources.base.service_retry import retry_delays
from heat_lite.resources.openstack.neutron.implied_dependencies import own
from heat_lite.template.schema import string

READY = ('ACTIVE', 'DOWN')


class VPC(Ec2Object, NetworkingResource):
    """A network, and the router of its subnets, which has the name of the network."""

    resource_type = 'AWS::EC2::VPC'
    rest = Rest('neutron', '/networks', 'network', ready=READY)
    entity = None

    properties_schema = {
        'CidrBlock': string('CIDR of the VPC. It is not enforced for subnets.', sent=False),
        'InstanceTenancy': string(
            common_properties.NOT_IMPLEMENTED,
            default='default',
            implemented=False,
            sent=False,
            allowed=['default', 'dedicated'],
        ),
        'Tags': tags(implemented=False),
    }

    def follow_up(self, action, diff):
        router = self.router_of_vpc(self.resource_id)
        if router is None:
            values = {'name': self.physical_resource_name()}
            router = yield from self.call_with_retry(
                self.client().create, '/routers', 'router', values
            )
        for pause in retry_delays():
            if self.is_ready(router):
                return
            yield pause
            router = yield from self.call_with_retry(
                self.client().show, f'/routers/{router["id"]}', 'router'
            )

    def delete_object(self):
        yield from self._delete_router()
        yield from super().delete_object()

    def _delete_router(self):
        name = self.physical_resource_name()
        for router in self.client().list('/routers', 'routers', name=name):
            yield from self.set_gateway(router['id'], None)
            yield from self.delete_path(f'/routers/{router["id"]}')


class Subnet(Ec2Object, NetworkingResource):
    """A subnet of a VPC, connected to the router of the VPC."""

    resource_type = 'AWS::EC2::Subnet'
    rest = Rest('neutron', '/subnets', 'subnet')
    entity = None

    properties_schema = {
        'VpcId': string(common_properties.VPC_REFERENCE, required=True, wire='network_id'),
        'CidrBlock': string('CIDR of the subnet.', required=True, wire='cidr'),
        'AvailabilityZone': string(
            'Availability zone; only returned by the attribute of this name.', sent=False
        ),
        'Tags': tags(implemented=False),
    }
    attributes_schema = {'AvailabilityZone': 'Availability zone in the template.'}

    def body(self, values):
        return {**super().body(values), 'ip_version': 4}

    def follow_up(self, action, diff):
        router = self.router_of_vpc(self.properties['VpcId'])
        if router is not None:
            yield from self.add_router_interface(router['id'], self.resource_id)

    def delete_object(self):
        with contextlib.suppress(errors.NotFound):
            router = self.router_of_vpc(self.stored_property('VpcId'))
            if router is not None:
                yield from self.remove_router_interface(router['id'], self.resource_id)
        yield from super().delete_object()

    def resolve_attribute(self, name):
        return self.properties[name]


class RouteTable(Ec2Object, NetworkingResource):
    """A router for some subnets of a VPC. Its external gateway is that of the router of the VPC."""

    resource_type = 'AWS::EC2::RouteTable'
    since = '2014.1'
    rest = Rest('neutron', '/routers', 'router', ready=('ACTIVE', 'DOWN'))
    entity = None

    properties_schema = {
        'VpcId': string(common_properties.VPC_REFERENCE, required=True, sent=False),
        'Tags': tags(implemented=False),
    }

    def follow_up(self, action, diff):
        first = self.router_of_vpc(self.properties['VpcId'])
        gateway = (first or {}).get('external_gateway_info')
        if gateway:
            yield from self.set_gateway(self.resource_id, gateway['network_id'])

    def delete_object(self):
        yield from self.set_gateway(self.resource_id, None)
        yield from super().delete_object()


class SubnetRouteTableAssociation(NetworkingResource):
    """The association of a subnet with the router of a route table, instead of the router of the
    VPC.
    """

    resource_type = 'AWS::EC2::SubnetRouteTableAssociation'
    repeatable = True

    properties_schema = {
        'RouteTableId': string('ID of the route table.', required=True),
        'SubnetId': string('ID of the subnet to associate.', required=True, ref='neutron.subnet'),
    }

    def handle_create(self):
        table, subnet = self.properties['RouteTableId'], self.properties['SubnetId']
        yield from self._move(subnet, self.router_of_subnet(subnet), {'id': table})
        self.resource_id_set(f'{table}:{subnet}')

    def find_existing(self):
        """Return the id by the stored properties: Heat stores none for this type."""
        return f'{self.stored_property("RouteTableId")}:{self.stored_property("SubnetId")}'

    def get_live_state(self, resource_properties):
        table, subnet = self.stored_property('RouteTableId'), self.stored_property('SubnetId')
        ports = self.client().list('/ports', 'ports', device_id=table)
        if all(address['subnet_id'] != subnet for port in ports for address in port['fixed_ips']):
            raise errors.NotFound(f'Subnet {subnet} is not at route table {table} any more')
        return self.stored_properties()

    def delete_object(self):
        table, subnet = self.stored_property('RouteTableId'), self.stored_property('SubnetId')
        with contextlib.suppress(errors.NotFound):  # the subnet was deleted
            yield from self._move(subnet, {'id': table}, self.router_of_subnet(subnet))

    def _move(self, subnet, before, after):
        if before is not None:
            yield from self.remove_router_interface(before['id'], subnet)
        if after is not None:
            yield from self.add_router_interface(after['id'], subnet)

    def get_reference_id(self):
        return self.name


class InternetGateway(Resource):
    """An internet gateway.

    No object is created: its attachment to a VPC sets the external gateways of routers.
    """

    resource_type = 'AWS::EC2::InternetGateway'
    local = True

    properties_schema = {'Tags': tags(implemented=False)}

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def handle_delete(self):
        """Do nothing: only the resource's row exists."""


class VPCGatewayAttachment(NetworkingResource):
    """The external gateways of the routers of a VPC: that of the VPC, and those of its route tables
    in the template.
    """

    resource_type = 'AWS::EC2::VPCGatewayAttachment'
    repeatable = True

    properties_schema = {
        'VpcId': string(common_properties.VPC_REFERENCE, required=True),
        'InternetGatewayId': string('ID of the internet gateway.'),
        'VpnGatewayId': not_implemented(string),
    }

    def implied_dependencies(self, others):
        """Return the names of the route tables of the VPC: their routers get an external gateway,
        too.
        """
        return self._tables(others)

    def _tables(self, others):
        return list(matching_names(self, others, TABLE, VpcId=own(self, 'VpcId')))

    def handle_create(self):
        network = self.external_network()
        for router in self._routers(self.router_of_vpc(self.properties['VpcId'])):
            yield from self.set_gateway(router, network)
        self.resource_id_set(f'{self.properties["VpcId"]}:{network}')

    def _routers(self, vpc_router):
        """Return the ids of the router of the VPC, which may be None, and of its route tables."""
        tables = (
            self.stack.resource_for(name).resource_id
            for name in self._tables(self.stack.definitions)
        )
        return list(filter(None, [vpc_router and vpc_router['id'], *tables]))

    def find_existing(self):
        """Return the id by the stored properties: Heat stores none for this type."""
        return self.stored_property('VpcId')

    def get_live_state(self, resource_properties):
        for router in self._routers(self.router_of_vpc(self.stored_property('VpcId'))):
            if not self.client().show(f'/routers/{router}', 'router')['external_gateway_info']:
                raise errors.NotFound(f'Router {router} has no external gateway any more')
        return self.stored_properties()

    def delete_object(self):
        vpc_router = None
        with contextlib.suppress(errors.NotFound):  # the VPC was deleted
            vpc_router = self.router_of_vpc(self.stored_property('VpcId'))
        for router in self._routers(vpc_router):
            yield from self.set_gateway(router, None)

    def get_reference_id(self):
        return self.name
