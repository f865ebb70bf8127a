"""AWS::EC2::RouteTable."""

from heat_lite.resources.aws.ec2.base import Ec2Object, NetworkingResource, tags
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.cloud import Rest
from heat_lite.template.schema import string


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

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.set_gateway(self.resource_id, None)
            yield from super().handle_delete()
