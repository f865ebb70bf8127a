"""OS::Keystone::Domain."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import description_property, name_property, switch


class Domain(CloudResource):
    """A domain: a collection of projects, users and groups."""

    resource_type = 'OS::Keystone::Domain'
    heat_class = 'KeystoneDomain'
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
