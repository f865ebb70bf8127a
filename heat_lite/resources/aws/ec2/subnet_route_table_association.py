"""AWS::EC2::SubnetRouteTableAssociation."""

import contextlib

from heat_lite.clients import errors
from heat_lite.resources.aws.ec2.base import OnNetwork
from heat_lite.template.schema import string


class SubnetRouteTableAssociation(OnNetwork):
    """What puts the router of a route table into a subnet, in the place of that of the VPC."""

    resource_type = 'AWS::EC2::SubnetRouteTableAssociation'
    repeatable = True

    properties_schema = {
        'RouteTableId': string('The route table, by its reference.', required=True),
        'SubnetId': string('The subnet.', required=True, ref='neutron.subnet'),
    }

    def handle_create(self):
        table, subnet = self.properties['RouteTableId'], self.properties['SubnetId']
        yield from self._move(subnet, self.router_of_subnet(subnet), {'id': table})
        self.resource_id_set(f'{table}:{subnet}')

    def handle_delete(self):
        if self.resource_id is None:
            return
        table, subnet = self.held('RouteTableId'), self.held('SubnetId')
        with contextlib.suppress(errors.NotFound):  # the subnet is gone
            yield from self._move(subnet, {'id': table}, self.router_of_subnet(subnet))

    def _move(self, subnet, before, after):
        if before is not None:
            yield from self.unplug(before['id'], subnet)
        if after is not None:
            yield from self.plug_in(after['id'], subnet)

    def get_reference_id(self):
        return self.name
