"""Objects that exist at most once for a key, for a name that is the id, or for two others.

Tests: tests/functional/test_cloud_types.py.
"""

import functools
from urllib.parse import quote

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource, ServiceResource

#: key in the data of a resource whose replacement has, or needs, what its object had
RELEASED = 'released'


class DeletedFirst(CloudResource):
    """An object that is deleted before its replacement, as the service refuses both together.

    ``sole`` are the properties whose value no second object can have. With ``unique_by``, no second
    object can have the same values of all properties in it.
    """

    sole: tuple[str, ...] = ('name',)
    released_key = RELEASED

    def blocks(self, wanted):
        """Return whether this object is in the way of one with the properties ``wanted``."""
        held = {name: self.stored_property(name) for name in self.unique_by or self.sole}
        if self.unique_by:
            return all(held[name] == wanted[name] for name in held)
        return any(held[name] and held[name] == wanted[name] for name in held)

    def prepare_for_replace(self, definition):
        if self.resource_id is not None and self.blocks(self.properties_of(definition)):
            yield from self.delete_object()
            self.data_set(RELEASED, 'true')

    def handle_delete(self):
        if RELEASED not in self.data():
            yield from super().handle_delete()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if RELEASED not in self.data():
            yield from super().handle_update(definition, tmpl_diff, prop_diff)
            return
        self.resource_id_set(None)
        yield from self.handle_create()
        self.data_delete(RELEASED)


class UniqueObject(CloudResource):
    """An object that its service has at most once for some properties."""

    def needs_replace_failed(self):
        """Return whether there is no object: beside one there cannot be another."""
        return self.resource_id is None or not self.object_exists()


class NamedObject(DeletedFirst, UniqueObject):
    """An object whose id is the name that its create gives it.

    The schema of the name has the field of the id as ``wire``.
    """

    def create_object(self, values):
        path = self._path_of(values.pop(self.rest.id))
        create = functools.partial(self.client().create, path, self.rest.key, values, 'PUT')
        return (yield from self.create_once(create))

    def list_by_name(self, name):
        """Return the objects whose id is the name."""
        try:
            found = self.client().show(self._path_of(name), self.rest.key)
        except errors.NotFound:
            return []
        return [found or {self.rest.id: name}]  # some answers have no content

    def _path_of(self, name):
        return f'{self.collection()}/{quote(name, safe="")}'


class Setting(CloudResource):
    """A setting of another object: a PUT of its path replaces it, a DELETE resets it.

    ``rest.id`` is the property that names the other object.
    """

    repeatable = True
    always_replace_on_check_failed = False

    def needs_replace_failed(self):
        """Return False for one that is reset: the delete of a replaced one would reset both."""
        return self.resource_id is None

    def object_path(self):
        return self.collection()

    def setting_id(self):
        return self.stored_property(self.rest.id)

    def create_object(self, values):
        yield from self.update_object(values)
        return {self.rest.id: self.setting_id()}

    def find_existing(self):
        """Return the id if what is set is what the create sets, so that a delete resets it."""
        return None if self.drift(self.fetch()) else self.setting_id()

    def changes(self, changed, diff):
        """Return all values: the service replaces them together."""
        return self.request_values()

    def objects(self):
        """Return None: no list has the settings of all objects."""
        return None


#: key in the data of a relation: its replacement is the same relation
LEFT = 'left_to_replacement'


class Relation(ServiceResource):
    """A relation of two objects: a PUT of ``path`` makes it, a DELETE ends it.

    ``{role}`` in the path stands for the property of that name. The id is that of the relation:
    ``role=ID:implied_role=ID``.
    """

    path: str
    repeatable = True
    released_key = LEFT

    def relation_path(self, values):
        """Return the path of the relation of these values of properties."""
        return self.path.format_map(values)

    def stored_path(self):
        return self.relation_path(self.stored_properties() or self.properties)

    def connect(self):
        """Generator: make the relation."""
        yield from self.send('PUT', self.relation_path(self.properties))

    def disconnect(self):
        """Generator: end the relation, if there is one."""
        yield from self.delete_path(self.stored_path())

    def require_relation(self, path):
        """Raise errors.NotFound if there is no relation of this path."""
        self.client().request('HEAD', path)

    def handle_create(self):
        yield from self.connect()
        given = {name: self.properties[name] for name in sorted(self.properties_schema)}
        self.resource_id_set(':'.join(f'{name}={given[name]}' for name in given if given[name]))

    def live_properties(self):
        """Return what the id names. Raises NotFound without the relation."""
        schemata, given = self.properties_schema, self._named()
        required = {name for name, schema in schemata.items() if schema.required}
        if not required <= given.keys() <= schemata.keys():
            form = ':'.join(f'{name}=ID' for name in sorted(schemata))
            raise exception.Error(f'the id of an {self.type()} has the form {form}')
        self.require_relation(self.relation_path({**dict.fromkeys(schemata), **given}))
        return given

    def _named(self):
        """Return the properties that the id names; older ids name none."""
        parts = [each.partition('=') for each in self.resource_id.split(':')]
        return {name: value for name, _, value in parts if value}

    def handle_check(self):
        self.require_object()
        yield from self.call_with_retry(self.require_relation, self.stored_path())

    def get_live_state(self, resource_properties):
        self.require_relation(self.stored_path())
        return {**self.stored_properties(), **self._named()}

    def prepare_for_replace(self, definition):
        """Generator: leave the relation to a replacement that is the same."""
        if self.relation_path(self.properties_of(definition)) == self.stored_path():
            self.data_set(LEFT, 'true')
        return
        yield  # makes this hook a generator

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.connect()
        self.data_delete(LEFT)

    def delete_object(self):
        if LEFT not in self.data():
            yield from self.disconnect()
