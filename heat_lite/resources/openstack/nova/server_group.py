"""OS::Nova::ServerGroup."""

from heat_lite.common import exception
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import list_, map_, number, string


class ServerGroup(CloudResource):
    """Servers that shall live together, or apart."""

    resource_type = 'OS::Nova::ServerGroup'
    support_status = support.since('2014.2')
    rest = Rest('nova', '/os-server-groups', 'server_group')
    entity = 'server_groups'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'policies': list_(
            'How they shall live; the first counts.',
            string(),
            default=['anti-affinity'],
            constraints=[AllowedValues(['anti-affinity', 'affinity', 'soft-anti-affinity', 'soft-affinity'])],
            sent=False,
        ),
        'rules': map_(
            'What the policy is told.',
            {'max_server_per_host': number('How many of them may live on one host.')},
            support=support.since('17.0.0'),
        ),
    }

    def validate(self):
        super().validate()
        if not self.properties['policies']:
            raise exception.StackValidationFailed('A server group has one policy.')

    def body(self, values):
        """There once were several policies; the first is the one that counts."""
        return {**values, 'policy': self.properties['policies'][0]}
