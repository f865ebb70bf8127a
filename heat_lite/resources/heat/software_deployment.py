"""OS::Heat::SoftwareDeployment, OS::Heat::StructuredDeployment."""

from heat_lite.resources.base.deployment import Deployment, common_properties, structured_properties
from heat_lite.template import software
from heat_lite.template.schema import string


def _server():
    return string('ID of the server to which the configuration is deployed.', required=True)


class SoftwareDeployment(Deployment):
    """A deployment of a configuration to a server, which waits for the result of the server."""

    resource_type = 'OS::Heat::SoftwareDeployment'
    since = '2014.1'

    properties_schema = {**common_properties(), 'server': _server()}


class StructuredDeployment(Deployment):
    """A deployment of a configuration that is a map."""

    resource_type = 'OS::Heat::StructuredDeployment'
    since = '2014.1'

    properties_schema = {**common_properties(), **structured_properties(), 'server': _server()}

    def substitute_inputs(self, config, values):
        return software.substitute_inputs(
            config, values, self.properties['input_key'], self.properties['input_values_validate']
        )
