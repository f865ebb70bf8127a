"""OS::Heat::SoftwareDeploymentGroup, OS::Heat::StructuredDeploymentGroup, and the names that they had before."""

from heat_lite.resources.deployment import common_properties, structured_properties
from heat_lite.resources.deployment_group import DeploymentGroup, servers
from heat_lite.template import support


def _renamed(substitute):
    return support.hidden('7.0.0', 'Renamed.', support.deprecated('2014.2'), substitute)


class SoftwareDeploymentGroup(DeploymentGroup):
    """Applies a configuration to many servers."""

    resource_type = 'OS::Heat::SoftwareDeploymentGroup'
    support_status = support.since('5.0.0')
    member_type = 'OS::Heat::SoftwareDeployment'

    properties_schema = {**common_properties(), 'servers': servers()}


class SoftwareDeployments(SoftwareDeploymentGroup):
    """The name that SoftwareDeploymentGroup had before."""

    resource_type = 'OS::Heat::SoftwareDeployments'
    support_status = _renamed(SoftwareDeploymentGroup)


class StructuredDeploymentGroup(DeploymentGroup):
    """The same for a configuration that is a map."""

    resource_type = 'OS::Heat::StructuredDeploymentGroup'
    support_status = support.since('5.0.0')
    member_type = 'OS::Heat::StructuredDeployment'

    properties_schema = {**common_properties(), **structured_properties(), 'servers': servers()}


class StructuredDeployments(StructuredDeploymentGroup):
    """The name that StructuredDeploymentGroup had before."""

    resource_type = 'OS::Heat::StructuredDeployments'
    support_status = _renamed(StructuredDeploymentGroup)
