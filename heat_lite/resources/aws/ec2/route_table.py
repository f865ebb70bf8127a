"""AWS::EC2::RouteTable."""

from heat_lite.resources.aws.ec2.base import Ec2Object, OnNetwork, tags
from heat_lite.resources.cloud import Rest
from heat_lite.template import support
from heat_lite.template.schema import string


class RouteTable(Ec2Object, OnNetwork):
    """A router of its own for some subnets of a VPC; it has the way out that the router of the VPC has."""

    resource_type = 'AWS::EC2::RouteTable'
    support_status = support.since('2014.1')
    rest = Rest('neutron', '/routers', 'router', ready=('ACTIVE', 'DOWN'))
    entity = None

    properties_schema = {
        'VpcId': string('The VPC, by its reference.', required=True, sent=False),
        'Tags': tags(implemented=False),
    }

    def after(self, action, diff):
        first = self.router_of_vpc(self.properties['VpcId'])
        way = (first or {}).get('external_gateway_info')
        if way:
            yield from self.lead_out(self.resource_id, way['network_id'])

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.lead_out(self.resource_id, None)
            yield from super().handle_delete()
