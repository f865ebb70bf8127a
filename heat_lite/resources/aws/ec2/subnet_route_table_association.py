"""AWS::EC2::SubnetRouteTableAssociation."""

import contextlib

from heat_lite.clients import errors
from heat_lite.resources.aws.ec2.base import NetworkingResource
from heat_lite.template.schema import string


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
        if self.record.properties is None:
            return None
        return f'{self.stored_property("RouteTableId")}:{self.stored_property("SubnetId")}'

    def handle_delete(self):
        if self.resource_id is None:
            return
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
