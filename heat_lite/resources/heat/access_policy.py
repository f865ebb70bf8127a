"""OS::Heat::AccessPolicy."""

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import list_


class AccessPolicy(Resource):
    """The resources that a user of the stack (AWS::IAM::User) may read."""

    resource_type = 'OS::Heat::AccessPolicy'
    repeatable = True
    has_object = False

    properties_schema = {
        'AllowedResources': list_('Names of the resources that the user may read.', required=True)
    }

    def validate(self):
        super().validate()
        names = list(self.stack.definitions)  # an item that is no text may be unhashable
        for each in self.properties['AllowedResources'] or ():
            if each not in names:
                raise exception.StackValidationFailed(f'AccessPolicy resource {each} not in stack')

    def handle_create(self):
        """Do nothing: only the resource's row exists. The policy is evaluated at each request."""

    def handle_delete(self):
        """Do nothing: only the resource's row exists."""

    def allows(self, resource_name):
        return resource_name in (self.properties['AllowedResources'] or ())
