"""What the types of EC2 share: objects that go by their physical name, tags, the routers of a VPC."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import CloudResource, ServiceResource
from heat_lite.resources.openstack.neutron.neighbours import value
from heat_lite.template.schema import list_, map_, string

NETWORK_SERVICE = 'neutron'
ATTACHMENT, TABLE, TABLE_OF_SUBNET, SUBNET = (
    'AWS::EC2::VPCGatewayAttachment',
    'AWS::EC2::RouteTable',
    'AWS::EC2::SubnetRouteTableAssociation',
    'AWS::EC2::Subnet',
)


def tags(implemented=True, **flags):
    """The schema of tags."""
    item = {'Key': string('The name of the tag.', required=True), 'Value': string('What the tag says.', required=True)}
    described = 'Labels with values.' if implemented else 'Not used.'
    return list_(described, map_(None, item, implemented=implemented), sent=False, **flags)


class Ec2Object(CloudResource):
    """An object that goes by its physical name: EC2 knows no others."""

    def body(self, values):
        return {'name': self.physical_resource_name(), **values}

    def find_existing(self):
        name = self.physical_resource_name()
        return next((str(each[self.rest.id]) for each in self._all(name) if each.get('name') == name), None)

    def show(self):
        """What the cloud tells is in the words of other types."""
        return None


class OnNetwork(ServiceResource):
    """What connects objects of the network, whatever service the surface of its type names."""

    default_client_name = NETWORK_SERVICE

    def client(self, name=None):
        return super().client(name or NETWORK_SERVICE)

    def router_of_vpc(self, vpc):
        """The router that was made with a VPC: it has the name of its network. None where it is gone."""
        name = self.client().show(f'/networks/{vpc}', 'network')['name']
        found = self.client().list('/routers', 'routers', name=name)
        return found[0] if found else None

    def router_of_subnet(self, subnet):
        """The router of the VPC that a subnet belongs to; None where there is none."""
        return self.router_of_vpc(self.client().show(f'/subnets/{subnet}', 'subnet')['network_id'])

    def plug_in(self, router, subnet):
        """A generator: puts a router into a subnet; it may be in already, by a request whose answer nobody heard."""
        try:
            yield from self.ask(self.client().ask, 'PUT', f'/routers/{router}/add_router_interface', {'subnet_id': subnet})
        except errors.BadRequest:
            ports = self.client().list('/ports', 'ports', device_id=router)
            if not any(address['subnet_id'] == subnet for port in ports for address in port['fixed_ips']):
                raise

    def unplug(self, router, subnet):
        """A generator: takes a router out of a subnet, if it is in."""
        yield from self.take_away(self.client().ask, 'PUT', f'/routers/{router}/remove_router_interface', {'subnet_id': subnet})

    def lead_out(self, router, network):
        """A generator: gives a router its way out; without a network takes that away."""
        way = {} if network is None else {'network_id': network}
        yield from self.take_away(self.client().update, f'/routers/{router}', 'router', {'external_gateway_info': way})

    def outside(self):
        """The id of the network outside. Raises an error where there is none."""
        found = self.client().list('/networks', 'networks', **{'router:external': True})
        if not found:
            raise exception.Error('There is no network that leads outside')
        return found[0]['id']

    def lead_in(self, address, port):
        """A generator: lets an address outside stand for a port; without a port for none."""
        yield from self.ask(self.client().update, f'/floatingips/{address}', 'floatingip', {'port_id': port})

    def port_of_server(self, server):
        """The id of the first port of a server. Raises an error where it has none."""
        found = self.client().list('/ports', 'ports', device_id=server)
        if not found:
            raise errors.NotFound(f'The server {server} has no port')
        return found[0]['id']


def named(resource, others, kind, **wanted):
    """Names of the other resources of a type whose properties are as wanted, as far as that can be told now."""
    for name, each in others.items():
        if each.resource_type == kind and name != resource.name:
            if all(value(resource, each, key) == said for key, said in wanted.items()):
                yield name
