"""AWS::EC2::VPC."""

from heat_lite.resources.aws.ec2.base import Ec2Object, NetworkingResource, tags
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.service_retry import retry_delays
from heat_lite.template.schema import string

READY = ('ACTIVE', 'DOWN')


class VPC(Ec2Object, NetworkingResource):
    """A network, and the router of its subnets, which has the name of the network."""

    resource_type = 'AWS::EC2::VPC'
    rest = Rest('neutron', '/networks', 'network', ready=READY)
    entity = None

    properties_schema = {
        'CidrBlock': string('CIDR of the VPC. It is not enforced for subnets.', sent=False),
        'InstanceTenancy': string(
            common_properties.NOT_IMPLEMENTED,
            default='default',
            implemented=False,
            sent=False,
            allowed=['default', 'dedicated'],
        ),
        'Tags': tags(implemented=False),
    }

    def follow_up(self, action, diff):
        router = self.router_of_vpc(self.resource_id)
        if router is None:
            values = {'name': self.physical_resource_name()}
            router = yield from self.call_with_retry(
                self.client().create, '/routers', 'router', values
            )
        for pause in retry_delays():
            if self.is_ready(router):
                return
            yield pause
            router = yield from self.call_with_retry(
                self.client().show, f'/routers/{router["id"]}', 'router'
            )

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._delete_router()
            yield from super().handle_delete()

    def _delete_router(self):
        name = self.physical_resource_name()
        for router in self.client().list('/routers', 'routers', name=name):
            yield from self.set_gateway(router['id'], None)
            yield from self.delete_path(f'/routers/{router["id"]}')
