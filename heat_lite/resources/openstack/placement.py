"""The resource types of Placement: what hosts and devices have, for the choice of a host."""

from heat_lite.resources.base import live_state
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.named_object import NamedObject, UniqueObject
from heat_lite.template.schema import OURS, integer, list_, name_property, number, parent, string

CUSTOM = '^CUSTOM_[A-Z0-9_]+$'
#: the field by which Placement refuses changes of a state that the requester has not seen
GENERATION = 'resource_provider_generation'


class ResourceProvider(CloudResource):
    """A resource provider: a host, a device or a shared store, with its traits."""

    resource_type = 'OS::Placement::ResourceProvider'
    since = OURS
    rest = Rest('placement', '/resource_providers', None, id='uuid')
    observed_keys = {'traits': 'traits', 'aggregates': 'aggregates'}

    properties_schema = {
        'name': name_property(),
        'aggregates': list_(
            'Ids of the aggregates of the provider. Providers of one aggregate can share what they '
            'have.',
            string(),
            update_allowed=True,
            sent=False,
        ),
        'parent': string(
            'Provider that contains it, by name or id.',
            update_allowed=True,
            ref='placement.resource_provider',
            wire='parent_provider_uuid',
        ),
        'traits': list_('Traits of the provider.', string(), update_allowed=True, sent=False),
    }

    def changes(self, changed, diff):
        """Return name and parent together: Placement replaces both."""
        return live_state.map_to_wire(self.properties_schema, self.properties) if changed else {}

    def request_values(self):
        return {'name': self.physical_resource_name(), **super().request_values()}

    def follow_up(self, action, diff):
        """Generator: replace traits and aggregates, in the state that is read just before."""
        for name in self.observed_keys.keys() & diff.keys():
            present = yield from self.call_with_retry(self._part, name)
            values = {name: diff[name] or [], GENERATION: present[GENERATION]}
            yield from self.send('PUT', f'{self.object_path()}/{name}', values)

    def _part(self, name):
        return self.client().show(f'{self.object_path()}/{name}')

    def fetch(self):
        return {**super().fetch(), **{name: self._part(name)[name] for name in self.observed_keys}}


class Inventory(UniqueObject):
    """An inventory: how much of a resource class a provider has."""

    resource_type = 'OS::Placement::Inventory'
    since = OURS
    rest = Rest(
        'placement', '/resource_providers/{provider}/inventories', None, id='resource_class'
    )

    properties_schema = {
        'provider': parent('placement.resource_provider', 'Resource provider, by name or id.'),
        'resource_class': string('Resource class, for example VCPU.', required=True, sent=False),
        'total': integer('Amount.', required=True, update_allowed=True, min=1),
        'allocation_ratio': number(
            'Factor by which the amount is overcommitted.', default=1.0, update_allowed=True
        ),
        'max_unit': integer('Greatest part of one consumer.', update_allowed=True, min=1),
        'min_unit': integer('Least part of one consumer.', default=1, update_allowed=True, min=1),
        'reserved': integer(
            'Amount that is not given to consumers.', default=0, update_allowed=True, min=0
        ),
        'step_size': integer('Step of the parts.', default=1, update_allowed=True, min=1),
    }

    def create_object(self, values):
        kind = {'resource_class': self.properties['resource_class']}
        yield from self._send('POST', self.collection(), kind)
        return kind

    def find_existing(self):
        """Return the resource class if the provider has an inventory for it."""
        kind = self.stored_property('resource_class')
        self.client().show(f'{self.collection()}/{kind}')
        return kind

    def live_properties(self):
        return {**super().live_properties(), 'resource_class': self.resource_id}

    def update_object(self, values):
        yield from self._send('PUT', self.object_path(), {})

    def _send(self, method, path, kind):
        """Generator: send the values, with the state of the provider that is read just before."""
        provider = self.collection().removesuffix('/inventories')
        found = yield from self.call_with_retry(self.client().show, provider)
        values = live_state.map_to_wire(self.properties_schema, self.properties)
        yield from self.send(method, path, {**kind, **values, GENERATION: found['generation']})

    def objects(self):
        """Return None: Nova and Neutron keep most inventories themselves."""
        return None


class PlacementName(NamedObject):
    """A name that Placement knows from then on."""

    def fetch(self):
        """Return the object, also where the answer has no content."""
        return self.client().show(self.object_path()) or {'name': self.resource_id}

    def create_object(self, values):
        name = values['name']
        yield from self.send('PUT', f'{self.collection()}/{name}')
        return {'name': name}


class Trait(PlacementName):
    """A trait: a quality that providers have and flavors require."""

    resource_type = 'OS::Placement::Trait'
    since = OURS
    rest = Rest('placement', '/traits', None, id='name')

    properties_schema = {
        'name': string(
            'Name of the trait: CUSTOM_ and upper case.', required=True, max=255, pattern=CUSTOM
        )
    }

    def objects(self):
        """Return the traits of this cloud: those of all clouds are of the library os-traits."""
        names = self.client().list('/traits', 'traits')
        return {name: {'name': name} for name in names if name.startswith('CUSTOM_')}


class ResourceClass(PlacementName):
    """A resource class: a kind of resource. Providers have an amount for it."""

    resource_type = 'OS::Placement::ResourceClass'
    since = OURS
    rest = Rest('placement', '/resource_classes', None, id='name')

    properties_schema = {
        'name': string(
            'Name of the class: CUSTOM_ and upper case.', required=True, max=255, pattern=CUSTOM
        )
    }

    def is_described(self, found):
        return found['name'].startswith('CUSTOM_')
