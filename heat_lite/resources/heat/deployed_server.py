"""OS::Heat::DeployedServer."""

from heat_lite.common import exception
from heat_lite.resources.stack_user import PASSWORD, UserBeside
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Length
from heat_lite.template.schema import CACHE_NONE, map_, map_attribute, string, text

CFN, HEAT, TEMP_URL, ZAQAR = TRANSPORTS = ('POLL_SERVER_CFN', 'POLL_SERVER_HEAT', 'POLL_TEMP_URL', 'ZAQAR_MESSAGE')
#: ways that lead through another service of the cloud, which cannot be used here yet
ELSEWHERE = {TEMP_URL: 'object storage', ZAQAR: 'messaging'}
DEPLOYMENTS, COLLECT = 'deployments', 'os-collect-config'


class DeployedServer(UserBeside):
    """A server that somebody else has set up. Its agent, os-collect-config, finds in the metadata what it is to do.

    POLL_SERVER_CFN leads the agent to the REST API too: the API for CFN takes signals, and tells nothing.
    """

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
        service = ELSEWHERE.get(self.properties['software_config_transport'])
        if service is not None:
            raise exception.StackValidationFailed(
                f'{self.properties["software_config_transport"]} needs the {service} service, which cannot be used here yet; '
                f'use one of {", ".join(each for each in TRANSPORTS if each not in ELSEWHERE)}'
            )

    def handle_create(self):
        self.create_user()
        self.resource_id_set(self.record.uuid)
        self.metadata_change(lambda known: {**known, DEPLOYMENTS: known.get(DEPLOYMENTS, []), COLLECT: self._collect()})

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """The name is shown, and both ways that can be used lead to the same place."""

    def _collect(self):
        """Without Keystone there are no users, and no way that an agent knows: it is told by hand."""
        if self.users is None:
            return {'collectors': ['local']}
        addresses, identity = self.stack.runtime.addresses, self.stack.identifier()
        return {
            'collectors': ['heat', 'local'],
            'heat': {
                'user_id': self.user_id,
                'password': self.data()[PASSWORD],
                'auth_url': f'{addresses.auth_url}/',
                'project_id': self.users.project_id(),
                'stack_id': f'{identity.stack_name}/{identity.stack_id}',
                'resource_name': self.name,
                'region_name': addresses.region,
            },
        }

    def metadata_set(self, metadata):
        """Whatever the template says, the agent finds what is meant for it."""
        known = self.metadata_get(refresh=True)
        kept = {key: known[key] for key in (DEPLOYMENTS, COLLECT) if key in known}
        super().metadata_set({**metadata, **kept})

    def access_allowed(self, resource_name):
        return resource_name == self.name

    def resolve_attribute(self, name):
        if name == 'name':
            return self.properties['name'] or self.physical_resource_name()
        return self.metadata_get(refresh=True).get(COLLECT)
