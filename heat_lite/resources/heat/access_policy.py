"""OS::Heat::AccessPolicy."""

from heat_lite.common import exception
from heat_lite.engine.resource import Resource
from heat_lite.template.schema import list_


class AccessPolicy(Resource):
    """What a user of the stack (AWS::IAM::User) may see of it: the resources that are named, and no others."""

    resource_type = 'OS::Heat::AccessPolicy'
    repeatable = True

    properties_schema = {'AllowedResources': list_('The names of the resources.', required=True)}

    def validate(self):
        super().validate()
        for each in self.properties['AllowedResources'] or ():
            if each not in self.stack.definitions:
                raise exception.StackValidationFailed(f'AccessPolicy resource {each} not in stack')

    def handle_create(self):
        """There is nothing of it but its row. Whom it lets see what, is asked each time."""

    def handle_delete(self):
        """There is nothing to take away."""

    def allows(self, resource_name):
        return resource_name in (self.properties['AllowedResources'] or ())
