"""Base classes of the types of AWS::EC2, and the schema of their tags."""

from heat_lite.clients import errors
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.cloud import CloudResource
from heat_lite.resources.openstack.neutron.addresses import AddressUser
from heat_lite.resources.openstack.neutron.implied_dependencies import value
from heat_lite.template.schema import list_, map_, string

ATTACHMENT, TABLE, TABLE_OF_SUBNET, SUBNET = (
    'AWS::EC2::VPCGatewayAttachment',
    'AWS::EC2::RouteTable',
    'AWS::EC2::SubnetRouteTableAssociation',
    'AWS::EC2::Subnet',
)


def tags(implemented=True, **flags):
    """Return the schema of tags."""
    item = {
        'Key': string('Key of the tag.', required=True),
        'Value': string('Value of the tag.', required=True),
    }
    description = 'Tags of the resource.' if implemented else common_properties.NOT_IMPLEMENTED
    return list_(description, map_(None, item, implemented=implemented), sent=False, **flags)


class Ec2Object(CloudResource):
    """An object whose name is its physical resource name: EC2 has no names."""

    def body(self, values):
        return {'name': self.physical_resource_name(), **values}

    def has_generated_name(self):
        return True

    def find_existing(self):
        name = self.physical_resource_name()
        return next(
            (
                str(each[self.rest.id])
                for each in self.list_by_name(name)
                if each.get('name') == name
            ),
            None,
        )

    def show(self):
        """Return None: the services show objects in other terms than the properties of EC2."""
        return None


class NetworkingResource(AddressUser):
    """A resource that connects Neutron objects."""

    def router_of_vpc(self, vpc):
        """Return the router of a VPC: it has the name of the VPC's network. None if it was
        deleted.
        """
        name = self.client().show(f'/networks/{vpc}', 'network')['name']
        found = self.client().list('/routers', 'routers', name=name)
        return found[0] if found else None

    def router_of_subnet(self, subnet):
        """Return the router of the VPC that contains a subnet; None if it was deleted."""
        return self.router_of_vpc(self.client().show(f'/subnets/{subnet}', 'subnet')['network_id'])

    def add_router_interface(self, router, subnet):
        """Generator: add a router interface to a subnet.

        A request that is repeated after a lost response is ignored.
        """
        try:
            yield from self.send(
                'PUT', f'/routers/{router}/add_router_interface', {'subnet_id': subnet}
            )
        except errors.BadRequest:
            ports = self.client().list('/ports', 'ports', device_id=router)
            if not any(
                address['subnet_id'] == subnet for port in ports for address in port['fixed_ips']
            ):
                raise

    def remove_router_interface(self, router, subnet):
        """Generator: remove the router's interface from a subnet, if there is one."""
        yield from self.delete_if_present(
            self.client().request_json,
            'PUT',
            f'/routers/{router}/remove_router_interface',
            {'subnet_id': subnet},
        )

    def set_gateway(self, router, network):
        """Generator: set the external gateway of a router; clear it if ``network`` is None."""
        gateway = {} if network is None else {'network_id': network}
        yield from self.delete_if_present(
            self.client().update, f'/routers/{router}', 'router', {'external_gateway_info': gateway}
        )


def matching_names(resource, others, kind, **wanted):
    """Yield the names of the other resources of a type with these properties, as far as the values
    are known already.
    """
    for name, each in others.items():
        if each.resource_type == kind and name != resource.name:
            if all(value(resource, each, key) == expected for key, expected in wanted.items()):
                yield name
