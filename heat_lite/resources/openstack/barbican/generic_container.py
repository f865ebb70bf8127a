"""OS::Barbican::GenericContainer."""

from heat_lite.resources.openstack.barbican.base import Container, unique
from heat_lite.template.schema import list_, map_, name_property, string


class GenericContainer(Container):
    """A container of any secrets."""

    resource_type = 'OS::Barbican::GenericContainer'
    kind = 'generic'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'secrets': list_(
            'Secrets of the container.',
            map_(
                None,
                {
                    'name': string('Name of the secret in the container.', required=True),
                    'ref': string('URL of the secret.', required=True, ref='barbican.secret'),
                },
            ),
            sent=False,
        ),
    }
    property_rules = (unique(lambda read: [each['ref'] for each in read('secrets') or ()]),)

    def secrets(self):
        return {each['name']: each['ref'] for each in self.properties['secrets'] or ()}
