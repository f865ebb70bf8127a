"""AWS::EC2::InternetGateway."""

from heat_lite.engine.resource import Resource
from heat_lite.resources.aws.ec2.base import tags


class InternetGateway(Resource):
    """The way out, in the words of EC2: it makes nothing by itself, what attaches it to a VPC does."""

    resource_type = 'AWS::EC2::InternetGateway'
    local = True

    properties_schema = {'Tags': tags(implemented=False)}

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def handle_delete(self):
        """There is nothing to delete."""
