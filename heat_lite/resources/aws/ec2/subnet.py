"""AWS::EC2::Subnet."""

import contextlib

from heat_lite.clients import errors
from heat_lite.resources.aws.ec2.base import Ec2Object, NetworkingResource, tags
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.cloud import Rest
from heat_lite.template.schema import string, text


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
    attributes_schema = {'AvailabilityZone': text('Availability zone in the template.')}

    def body(self, values):
        return {**super().body(values), 'ip_version': 4}

    def follow_up(self, action, diff):
        router = self.router_of_vpc(self.properties['VpcId'])
        if router is not None:
            yield from self.add_router_interface(router['id'], self.resource_id)

    def handle_delete(self):
        if self.resource_id is None:
            return
        with contextlib.suppress(errors.NotFound):
            router = self.router_of_vpc(self.stored_property('VpcId'))
            if router is not None:
                yield from self.remove_router_interface(router['id'], self.resource_id)
        yield from super().handle_delete()

    def resolve_attribute(self, name):
        return self.properties[name]
