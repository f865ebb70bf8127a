"""AWS::EC2::VPCGatewayAttachment."""

from heat_lite.resources.aws.ec2.base import TABLE, OnNetwork, named
from heat_lite.resources.openstack.neutron.neighbours import own
from heat_lite.template.schema import string


class VPCGatewayAttachment(OnNetwork):
    """What gives the routers of a VPC their way out: that of the VPC, and those of its route tables in the template."""

    resource_type = 'AWS::EC2::VPCGatewayAttachment'
    repeatable = True

    properties_schema = {
        'VpcId': string('The VPC, by its reference.', required=True),
        'InternetGatewayId': string('The gateway, by its reference.'),
        'VpnGatewayId': string('Not used.', implemented=False),
    }

    def implied_dependencies(self, others):
        """The route tables of the VPC, whose routers get the way out, too."""
        return self._tables(others)

    def _tables(self, others):
        return list(named(self, others, TABLE, VpcId=own(self, 'VpcId')))

    def handle_create(self):
        outside = self.outside()
        for router in self._routers(self.properties['VpcId']):
            yield from self.lead_out(router, outside)
        self.resource_id_set(f'{self.properties["VpcId"]}:{outside}')

    def _routers(self, vpc):
        """The ids of the routers of a VPC."""
        own = self.router_of_vpc(vpc)
        tables = (self.stack.resource_for(name).resource_id for name in self._tables(self.stack.definitions))
        return list(filter(None, [own and own['id'], *tables]))

    def handle_delete(self):
        if self.resource_id is None:
            return
        for router in self._routers(self.held('VpcId')):
            yield from self.lead_out(router, None)

    def get_reference_id(self):
        return self.name
