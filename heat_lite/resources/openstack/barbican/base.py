"""What the types of the key manager share: objects are known by their whole address."""

from heat_lite.resources.cloud import CloudResource


class BarbicanResource(CloudResource):
    """The physical id is the address; the last part of it is what the service tells objects apart by."""

    def object_path(self):
        return f'{self.collection()}/{self.resource_id.rstrip("/").rpartition("/")[2]}'


class Container(BarbicanResource):
    """Secrets under names. ``kind`` is what the service calls such a container."""

    kind: str

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
