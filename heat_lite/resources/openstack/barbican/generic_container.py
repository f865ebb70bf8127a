"""OS::Barbican::GenericContainer."""

from heat_lite.common import exception
from heat_lite.resources.openstack.barbican.base import Container
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

    def validate(self):
        super().validate()
        names = [each['name'] for each in self.properties['secrets'] or ()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise exception.StackValidationFailed(
                f'The names of the secrets in a container must be unique: {", ".join(twice)}.'
            )

    def secrets(self):
        return {each['name']: each['ref'] for each in self.properties['secrets'] or ()}
