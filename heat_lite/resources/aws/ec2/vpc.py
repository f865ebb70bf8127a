"""AWS::EC2::VPC."""

from heat_lite.resources.aws.ec2.base import Ec2Object, OnNetwork, tags
from heat_lite.resources.cloud import Rest, pauses
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import string

READY = ('ACTIVE', 'DOWN')


class VPC(Ec2Object, OnNetwork):
    """A network of one's own, and the router of its subnets, which has the name of the network."""

    resource_type = 'AWS::EC2::VPC'
    rest = Rest('neutron', '/networks', 'network', ready=READY)
    entity = None

    properties_schema = {
        'CidrBlock': string('The addresses that its subnets draw from. Nothing holds them to it.', sent=False),
        'InstanceTenancy': string(
            'Not used.', default='default', implemented=False, sent=False, constraints=[AllowedValues(['default', 'dedicated'])]
        ),
        'Tags': tags(implemented=False),
    }

    def after(self, action, diff):
        router = self.router_of_vpc(self.resource_id)
        if router is None:
            values = {'name': self.physical_resource_name()}
            router = yield from self.ask(self.client().create, '/routers', 'router', values)
        for pause in pauses():
            if self._is_ready(router):
                return
            yield pause
            router = yield from self.ask(self.client().show, f'/routers/{router["id"]}', 'router')

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._delete_router()
            yield from super().handle_delete()

    def _delete_router(self):
        name = self.physical_resource_name()
        for router in self.client().list('/routers', 'routers', name=name):
            yield from self.lead_out(router['id'], None)
            yield from self.take_away(self.client().delete, f'/routers/{router["id"]}')
