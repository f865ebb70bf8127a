"""The base of the Barbican types: objects are identified by their URL."""

from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.openstack.barbican import columns
from heat_lite.template.schema import list_attribute, map_attribute, string, text
from heat_lite.template.unknown import Unknown


def secret_property(description):
    return string(description, ref='barbican.secret', sent=False)


class BarbicanResource(CloudResource):
    """An object whose physical id is its URL. The last segment of the URL is its UUID."""

    def object_path(self):
        return f'{self.collection()}/{self.resource_id.rstrip("/").rpartition("/")[2]}'

    #: converts an object for ``show``
    to_columns = staticmethod(columns.secret)

    def fetched_object(self):
        """Return the object as Barbican shows it."""
        return super().show() or {}

    def show(self):
        found = self.fetched_object()
        return self.to_columns(found) if found else None

    def resolve_attribute(self, name):
        return self.fetched_object().get(self.attributes_schema[name].key(name))


def unique(read_refs):
    """Return the rule that the URLs that ``read_refs(read)`` returns differ."""

    def rule(read, resource):
        refs = [each.shown if isinstance(each, Unknown) else each for each in read_refs(read)]
        given = [each for each in refs if each]
        if len(set(given)) < len(given):
            raise exception.StackValidationFailed('Duplicate refs are not allowed.')

    return rule


class Container(BarbicanResource):
    """A container of secrets. ``kind`` is its type in Barbican."""

    since = '6.0.0'
    rest = Rest('barbican', '/containers', None, ready=('ACTIVE',), id='container_ref')
    entity = 'containers'
    kind: str
    to_columns = staticmethod(columns.container)

    attributes_schema = {
        'consumers': list_attribute('Consumers of the container.'),
        'container_ref': text('URL of the container.'),
        'secret_refs': map_attribute('URLs of the secrets in the container, by name.'),
        'status': text('Status of the container.'),
    }

    def secrets(self):
        """Return ``{name: URL of the secret}``."""
        raise NotImplementedError

    def body(self, values):
        refs = [{'name': name, 'secret_ref': ref} for name, ref in self.secrets().items()]
        return {**values, 'type': self.kind, 'secret_refs': refs}

    def resolve_attribute(self, name):
        value = super().resolve_attribute(name)
        if name == 'secret_refs' and value is not None:
            return {each['name']: each['secret_ref'] for each in value}
        return value


class TypedContainer(Container):
    """A container with one property ``<name>_ref`` for each secret."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        names = [name for name in cls.properties_schema if name.endswith('_ref')]
        cls.property_rules = (unique(lambda read: map(read, names)),)

    def secrets(self):
        return {
            name.removesuffix('_ref'): value
            for name, value in self.properties.given().items()
            if name.endswith('_ref') and value
        }
