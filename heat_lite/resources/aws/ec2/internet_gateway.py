"""AWS::EC2::InternetGateway."""

from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.aws.ec2.base import tags


class InternetGateway(Resource):
    """An internet gateway.

    No object is created: its attachment to a VPC sets the external gateways of routers.
    """

    resource_type = 'AWS::EC2::InternetGateway'
    local = True

    properties_schema = {'Tags': tags(implemented=False)}

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def handle_delete(self):
        """Do nothing: only the resource's row exists."""
