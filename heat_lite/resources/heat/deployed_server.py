"""OS::Heat::DeployedServer."""

from heat_lite.resources.agent import CFN, TRANSPORTS, Agent
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Length
from heat_lite.template.schema import CACHE_NONE, map_, map_attribute, string, text


class DeployedServer(Agent):
    """A server that somebody else has set up. Its agent, os-collect-config, finds in the metadata what it is to do."""

    resource_type = 'OS::Heat::DeployedServer'
    default_client_name = 'heat'
    entity = 'servers'
    physical_resource_name_limit = 53
    # a user that is there already is taken over
    repeatable = True

    properties_schema = {
        'name': string('The name of the server.', update_allowed=True),
        'metadata': map_(
            'Not used: the metadata of the resource stands for it.',
            update_allowed=True,
            support=support.deprecated('9.0.0', previous='8.0.0'),
        ),
        'software_config_transport': string(
            'How the agent on the server gets to know what it is to do.',
            default=CFN,
            update_allowed=True,
            constraints=[AllowedValues(list(TRANSPORTS))],
        ),
        'deployment_swift_data': map_(
            'Where in the object storage that is kept, with POLL_TEMP_URL.',
            {
                'container': string('The container.', constraints=[Length(min=1)]),
                'object': string('The object.', constraints=[Length(min=1)]),
            },
            default={},
            update_allowed=True,
            support=support.since('9.0.0'),
        ),
    }
    attributes_schema = {
        'name': text('The name of the server.'),
        'os_collect_config': map_attribute(
            'What the agent on the server has to know at its first start.', cache_mode=CACHE_NONE, support=support.since('9.0.0')
        ),
    }

    def validate(self):
        super().validate()
        self.refuse_transport()

    def handle_create(self):
        self.resource_id_set(self.record.uuid)
        self.lay_out_for_agent()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """The name is only shown."""
        if {'software_config_transport', 'deployment_swift_data'} & prop_diff.keys():
            self.lay_out_for_agent()

    def resolve_attribute(self, name):
        if name == 'name':
            return self.properties['name'] or self.physical_resource_name()
        return self.os_collect_config()
