"""OS::Heat::DeployedServer."""

from heat_lite.resources.base.software_config_agent import (
    CFN,
    TRANSPORTS,
    ConfigAgent,
    swift_data_property,
)
from heat_lite.template.schema import CACHE_NONE, map_, map_attribute, string


class DeployedServer(ConfigAgent):
    """A server that was deployed outside of the stack.

    Its agent (os-collect-config) reads its configuration from the metadata of the resource.
    """

    resource_type = 'OS::Heat::DeployedServer'
    default_client_name = 'heat'
    entity = 'servers'
    physical_resource_name_limit = 53
    # a stack user of an interrupted create is reused
    repeatable = True

    properties_schema = {
        'name': string('Name of the server.', update_allowed=True),
        'metadata': map_(
            'Not used; the resource metadata serves the purpose.',
            update_allowed=True,
            history='deprecated 9.0.0, supported 8.0.0',
        ),
        'software_config_transport': string(
            'Transport by which the agent on the server receives its configuration.',
            default=CFN,
            update_allowed=True,
            allowed=list(TRANSPORTS),
        ),
        'deployment_swift_data': swift_data_property(
            'Swift object that stores the configuration with POLL_TEMP_URL.'
        ),
    }
    attributes_schema = {
        'name': 'Name of the deployed server.',
        'os_collect_config': map_attribute(
            'Configuration of os-collect-config for the first start of the agent.',
            cache_mode=CACHE_NONE,
            since='9.0.0',
        ),
    }

    def validate(self):
        super().validate()
        self.validate_config_transport()

    def handle_create(self):
        self.resource_id_set(self.record.uuid)
        self.publish_agent_config()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Do nothing: the name is not sent to the server."""
        if {'software_config_transport', 'deployment_swift_data'} & prop_diff.keys():
            self.publish_agent_config()

    def supports_snapshot_delete(self):
        """Return True, as Heat does: the server is outside of the stack, and stays as it is."""
        return True

    def resolve_attribute(self, name):
        if name == 'name':
            return self.properties['name'] or self.physical_resource_name()
        return self.os_collect_config()
