"""What the types of the key manager share: objects are known by their whole address."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.resources.openstack.barbican import columns
from heat_lite.template import support
from heat_lite.template.schema import list_attribute, map_attribute, text


class BarbicanResource(CloudResource):
    """The physical id is the address; the last part of it is what the service tells objects apart by."""

    def object_path(self):
        return f'{self.collection()}/{self.resource_id.rstrip("/").rpartition("/")[2]}'

    #: what becomes of what the service tells, for ``show``
    told = staticmethod(columns.secret)

    def facts(self):
        """What the service tells, as it tells it."""
        return super().show() or {}

    def show(self):
        found = self.facts()
        return self.told(found) if found else None

    def resolve_attribute(self, name):
        return self.facts().get(self.attributes_schema[name].key(name))


class Container(BarbicanResource):
    """Secrets under names. ``kind`` is what the service calls such a container."""

    support_status = support.since('6.0.0')
    rest = Rest('barbican', '/containers', None, ready=('ACTIVE',), id='container_ref')
    entity = 'containers'
    kind: str
    told = staticmethod(columns.container)

    attributes_schema = {
        'consumers': list_attribute('Who uses it.'),
        'container_ref': text('Its address.'),
        'secret_refs': map_attribute('The addresses of its secrets, by their names.'),
        'status': text('Its status.'),
    }

    def secrets(self):
        """The addresses of the secrets by name."""
        raise NotImplementedError(f'{type(self).__name__} does not say what is in it')

    def body(self, values):
        refs = [{'name': name, 'secret_ref': ref} for name, ref in self.secrets().items()]
        return {**values, 'type': self.kind, 'secret_refs': refs}

    def resolve_attribute(self, name):
        value = super().resolve_attribute(name)
        if name == 'secret_refs' and value is not None:
            return {each['name']: each['secret_ref'] for each in value}
        return value


class CertainContainer(Container):
    """One in which each secret has a property of its own: ``<name>_ref``."""

    def secrets(self):
        names = [name for name in self.properties_schema if name.endswith('_ref') and self.properties[name]]
        return {name.removesuffix('_ref'): self.properties[name] for name in names}
