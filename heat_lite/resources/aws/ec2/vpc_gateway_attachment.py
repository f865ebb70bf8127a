"""AWS::EC2::VPCGatewayAttachment."""

import contextlib

from heat_lite.clients import errors
from heat_lite.resources.aws.ec2.base import TABLE, NetworkingResource, matching_names
from heat_lite.resources.base import common_properties
from heat_lite.resources.openstack.neutron.implied_dependencies import own
from heat_lite.template.schema import string


class VPCGatewayAttachment(NetworkingResource):
    """The external gateways of the routers of a VPC: that of the VPC, and those of its route tables
    in the template.
    """

    resource_type = 'AWS::EC2::VPCGatewayAttachment'
    repeatable = True

    properties_schema = {
        'VpcId': string(common_properties.VPC_REFERENCE, required=True),
        'InternetGatewayId': string('ID of the internet gateway.'),
        'VpnGatewayId': string(common_properties.NOT_IMPLEMENTED, implemented=False),
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
        return None if self.record.properties is None else self.stored_property('VpcId')

    def handle_delete(self):
        if self.resource_id is None:
            return
        vpc_router = None
        with contextlib.suppress(errors.NotFound):  # the VPC was deleted
            vpc_router = self.router_of_vpc(self.stored_property('VpcId'))
        for router in self._routers(vpc_router):
            yield from self.set_gateway(router, None)

    def get_reference_id(self):
        return self.name
