"""OS::Keystone::Project and OS::Keystone::Domain."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import (
    boolean_attribute,
    description_property,
    list_,
    name_property,
    string,
    switch,
    text,
)


class KeystoneProject(CloudResource):
    """A project: the owner of objects in a cloud."""

    resource_type = 'OS::Keystone::Project'
    since = '2015.1'
    rest = Rest('keystone', '/projects', 'project', update='PATCH')
    entity = 'projects'

    properties_schema = {
        'name': name_property(),
        'description': description_property(default=''),
        'domain': string(
            'Domain of the project, by name or id.',
            default='default',
            update_allowed=True,
            ref='keystone.domain',
            wire='domain_id',
        ),
        'enabled': switch('Whether the project is enabled.'),
        'parent': string(
            'Parent project, by name or id.',
            ref='keystone.project',
            since='6.0.0',
            wire='parent_id',
        ),
        'tags': list_('Tags of the project.', default=[], update_allowed=True, since='10.0.0'),
    }
    attributes_schema = {
        'domain_id': text('Id of the domain of the project.', since='10.0.0'),
        'enabled': boolean_attribute(
            'Whether Keystone shows the project as enabled.', since='10.0.0'
        ),
        'is_domain': boolean_attribute('Whether the project acts as a domain.', since='10.0.0'),
        'name': text('Name of the project.', since='10.0.0'),
        'parent_id': text('Id of the parent project.', since='10.0.0'),
    }


class KeystoneDomain(CloudResource):
    """A domain: a collection of projects, users and groups."""

    resource_type = 'OS::Keystone::Domain'
    since = '8.0.0'
    rest = Rest('keystone', '/domains', 'domain', update='PATCH')
    entity = 'domains'

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'enabled': switch('Whether the domain is enabled.'),
    }

    def handle_delete(self):
        """A generator: disable the domain first; Keystone refuses to delete an enabled one."""
        if self.resource_id is not None:
            yield from self.delete_if_present(
                self.client().update,
                self.object_path(),
                self.rest.key,
                {'enabled': False},
                self.rest.update,
            )
            yield from super().handle_delete()
