"""The types of software deployments, to one server and to many."""

from heat_lite.resources.base.deployment import COMMON_PROPERTIES, STRUCTURED_PROPERTIES, Deployment
from heat_lite.resources.base.deployment_group import SERVERS_BY_DEPLOYMENT, DeploymentGroup
from heat_lite.template import software, support
from heat_lite.template.schema import string

_SERVER = string('ID of the server to which the configuration is deployed.', required=True)


class SoftwareDeployment(Deployment):
    """A deployment of a configuration to a server, which waits for the result of the server."""

    resource_type = 'OS::Heat::SoftwareDeployment'
    since = '2014.1'

    properties_schema = {**COMMON_PROPERTIES, 'server': _SERVER}


class StructuredDeployment(Deployment):
    """A deployment of a configuration that is a map."""

    resource_type = 'OS::Heat::StructuredDeployment'
    since = '2014.1'

    properties_schema = {**COMMON_PROPERTIES, **STRUCTURED_PROPERTIES, 'server': _SERVER}

    def substitute_inputs(self, config, values):
        return software.substitute_inputs(
            config, values, self.properties['input_key'], self.properties['input_values_validate']
        )


def _renamed(substitute):
    return support.SupportStatus(
        support.HIDDEN, '7.0.0', 'Renamed.', support.history('deprecated 2014.2'), substitute
    )


class SoftwareDeploymentGroup(DeploymentGroup):
    """A deployment of one configuration to many servers."""

    resource_type = 'OS::Heat::SoftwareDeploymentGroup'
    since = '5.0.0'
    member_type = 'OS::Heat::SoftwareDeployment'

    properties_schema = {**COMMON_PROPERTIES, 'servers': SERVERS_BY_DEPLOYMENT}


class SoftwareDeployments(SoftwareDeploymentGroup):
    """The former name of SoftwareDeploymentGroup."""

    resource_type = 'OS::Heat::SoftwareDeployments'
    support_status = _renamed(SoftwareDeploymentGroup)


class StructuredDeploymentGroup(DeploymentGroup):
    """A deployment of a configuration that is a map to many servers."""

    resource_type = 'OS::Heat::StructuredDeploymentGroup'
    since = '5.0.0'
    member_type = 'OS::Heat::StructuredDeployment'

    properties_schema = {
        **COMMON_PROPERTIES,
        **STRUCTURED_PROPERTIES,
        'servers': SERVERS_BY_DEPLOYMENT,
    }


class StructuredDeployments(StructuredDeploymentGroup):
    """The former name of StructuredDeploymentGroup."""

    resource_type = 'OS::Heat::StructuredDeployments'
    support_status = _renamed(StructuredDeploymentGroup)
