"""OS::Barbican::ACL."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.named_object import Setting
from heat_lite.resources.base.property_rules import conflict, one_of
from heat_lite.template.schema import OURS, list_, string, switch


class ACL(Setting):
    """The access list of a secret or a container: who may read it."""

    resource_type = 'OS::Barbican::ACL'
    since = OURS
    rest = Rest('barbican', '/acl', 'read', id='acl_ref')
    entity = 'acls'

    properties_schema = {
        'container': string('Container, by name or URL.', ref='barbican.container', sent=False),
        'project_access': switch(
            'Whether all users of the project may read it, by their roles.', wire='project-access'
        ),
        'secret': string('Secret, by name or URL.', ref='barbican.secret', sent=False),
        'users': list_(
            'Users who may read it, of any project, by name or id.',
            string(ref='keystone.user'),
            default=[],
            update_allowed=True,
        ),
    }
    property_rules = (one_of('container', 'secret'), conflict('container', 'secret'))

    def setting_id(self):
        """Return the URL of the list."""
        owner = self.stored_property('secret') or self.stored_property('container')
        return self.resource_id or f'{owner.rstrip("/")}/acl'

    def object_path(self):
        return '/{}/{}/{}'.format(*self.setting_id().rsplit('/', 3)[1:])

    def live_properties(self):
        """Return the list and what it belongs to, which its URL names."""
        owner = self.resource_id.removesuffix('/acl')
        kind = 'secret' if '/secrets/' in owner else 'container'
        return {**super().live_properties(), kind: owner}

    def normalize(self, found):
        """Return what Barbican shows; it leaves out an empty list."""
        return {'users': [], **found}
