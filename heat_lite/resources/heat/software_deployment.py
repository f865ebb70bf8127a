"""OS::Heat::SoftwareDeployment, OS::Heat::StructuredDeployment."""

from heat_lite.resources.deployment import Deployment, common_properties, structured_properties
from heat_lite.template import software, support
from heat_lite.template.schema import string


def _server():
    return string('The server on which it is applied, by get_resource or by its id.', required=True)


class SoftwareDeployment(Deployment):
    """Applies a configuration to a server, and waits until the server tells what came of it."""

    resource_type = 'OS::Heat::SoftwareDeployment'
    support_status = support.since('2014.1')

    properties_schema = {**common_properties(), 'server': _server()}


class StructuredDeployment(Deployment):
    """The same for a configuration that is a map: inputs become values in it."""

    resource_type = 'OS::Heat::StructuredDeployment'
    support_status = support.since('2014.1')

    properties_schema = {**common_properties(), **structured_properties(), 'server': _server()}

    def filled(self, config, values):
        return software.filled(config, values, self.properties['input_key'], self.properties['input_values_validate'])
