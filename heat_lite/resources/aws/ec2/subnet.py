"""AWS::EC2::Subnet."""

import contextlib

from heat_lite.clients import errors
from heat_lite.resources.aws.ec2.base import Ec2Object, OnNetwork, tags
from heat_lite.resources.cloud import Rest
from heat_lite.template.schema import string, text


class Subnet(Ec2Object, OnNetwork):
    """A range of addresses in a VPC, which the router of the VPC leads to."""

    resource_type = 'AWS::EC2::Subnet'
    rest = Rest('neutron', '/subnets', 'subnet')
    entity = None

    properties_schema = {
        'VpcId': string('The VPC, by its reference.', required=True, wire='network_id'),
        'CidrBlock': string('The addresses, as address/bits.', required=True, wire='cidr'),
        'AvailabilityZone': string('The availability zone; kept for its attribute.', sent=False),
        'Tags': tags(implemented=False),
    }
    attributes_schema = {'AvailabilityZone': text('The availability zone that the template names.')}

    def body(self, values):
        return {**super().body(values), 'ip_version': 4}

    def after(self, action, diff):
        router = self.router_of_vpc(self.properties['VpcId'])
        if router is not None:
            yield from self.plug_in(router['id'], self.resource_id)

    def handle_delete(self):
        if self.resource_id is None:
            return
        with contextlib.suppress(errors.NotFound):
            router = self.router_of_vpc(self.held('VpcId'))
            if router is not None:
                yield from self.unplug(router['id'], self.resource_id)
        yield from super().handle_delete()

    def resolve_attribute(self, name):
        return self.properties[name]
