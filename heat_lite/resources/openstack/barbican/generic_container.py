"""OS::Barbican::GenericContainer."""

from heat_lite.common import exception
from heat_lite.resources.openstack.barbican.base import Container
from heat_lite.template.schema import list_, map_, string


class GenericContainer(Container):
    """Secrets that belong together."""

    resource_type = 'OS::Barbican::GenericContainer'
    kind = 'generic'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'secrets': list_(
            'The secrets.',
            map_(
                None,
                {
                    'name': string('What it is called in here.', required=True),
                    'ref': string('The secret, by its address.', required=True, ref='barbican.secret'),
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
            raise exception.StackValidationFailed(f'Secrets of one container have different names; more than one is {", ".join(twice)}.')

    def secrets(self):
        return {each['name']: each['ref'] for each in self.properties['secrets'] or ()}
