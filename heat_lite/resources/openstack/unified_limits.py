"""The resource types of Keystone for unified limits, the quotas of all services in one place."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.named_object import UniqueObject
from heat_lite.resources.base.property_rules import conflict, one_of
from heat_lite.template.schema import OURS, description_property, integer, reference, string


def _rest(kind):
    return Rest('keystone', f'/{kind}s', kind, update='PATCH')


def _limit_property(description):
    return integer(
        f'{description}; -1 means unlimited.', required=True, update_allowed=True, min=-1
    )


def _place(**options):
    """Return the properties that tell what is limited."""
    return {
        'resource_name': string(
            'What is limited, as its service names it, for example "servers".',
            required=True,
            min=1,
            max=255,
            **options,
        ),
        'service': reference(
            'keystone.service', 'Service that limits it, by name or id.', required=True, **options
        ),
        'description': description_property(),
        'region': reference(
            'keystone.region',
            'Region of the service, by id. If omitted, the limit holds in each region.',
            **options,
        ),
    }


class UnifiedLimit(UniqueObject):
    """A limit of Keystone, which creates limits by lists."""

    def create_object(self, values):
        kinds = self.rest.list_key
        return (yield from self.send('POST', self.collection(), {kinds: [values]}))[kinds][0]

    def find_existing(self):
        """Return the limit of the same service, region, resource and owner, which is unique."""
        schemata, stored = self.properties_schema, self.stored_properties()
        wanted = {
            schemata[name].key(name): stored.get(name)
            for name in ('resource_name', 'service', 'region', 'project', 'domain')
            if name in schemata
        }
        found = self.client().list(
            self.collection(), self.rest.list_key, resource_name=wanted['resource_name']
        )
        return next((each['id'] for each in found if wanted.items() <= each.items()), None)


class RegisteredLimit(UnifiedLimit):
    """A registered limit: the default limit of each project."""

    resource_type = 'OS::Keystone::RegisteredLimit'
    since = OURS
    rest = _rest('registered_limit')

    properties_schema = {
        **_place(update_allowed=True),
        'default_limit': _limit_property('Limit of a project without one of its own'),
    }


class Limit(UnifiedLimit):
    """A limit of one project or domain, in the place of the registered one."""

    resource_type = 'OS::Keystone::Limit'
    since = OURS
    rest = _rest('limit')

    properties_schema = {
        **_place(),
        'resource_limit': _limit_property('Limit'),
        'domain': reference('keystone.domain', 'Domain that is limited, by name or id.'),
        'project': reference('keystone.project', 'Project that is limited, by name or id.'),
    }
    property_rules = (one_of('project', 'domain'), conflict('project', 'domain'))

    def implied_dependencies(self, others):
        """Return the registered limits: Keystone refuses a limit without one."""
        kind = RegisteredLimit.resource_type
        return [name for name, each in others.items() if each.resource_type == kind]
