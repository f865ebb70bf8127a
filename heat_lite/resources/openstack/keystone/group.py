"""OS::Keystone::Group."""

from heat_lite.common import status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.resources.openstack.keystone import roles
from heat_lite.template import support
from heat_lite.template.schema import list_, map_, string


class Group(CloudResource):
    """Users who have something in common."""

    resource_type = 'OS::Keystone::Group'
    support_status = support.since('2015.1')
    rest = Rest('keystone', '/groups', 'group', update='PATCH')
    entity = 'groups'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'description': string('A text that says what it is for.', default='', update_allowed=True),
        'domain': string(
            'The domain that it belongs to, by name or id.', default='default', update_allowed=True, ref='keystone.domain', wire='domain_id'
        ),
        'roles': list_(
            'Roles that it has.',
            map_(
                None,
                {
                    'domain': string('The domain that it has the role in, by name or id.', ref='keystone.domain'),
                    'project': string('The project that it has the role in, by name or id.', ref='keystone.project'),
                    'role': string('The role, by name or id.', required=True, ref='keystone.role'),
                },
            ),
            update_allowed=True,
            sent=False,
        ),
    }

    def validate(self):
        super().validate()
        roles.check(self)

    def after(self, action, diff):
        if 'roles' in diff:
            before = () if action == status.CREATE else self.held('roles')
            yield from roles.assign(self, f'groups/{self.resource_id}', before, diff['roles'])
