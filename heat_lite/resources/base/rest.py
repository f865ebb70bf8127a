"""Rest: the REST conventions of one type of object, and the translation of properties to
requests.
"""

import dataclasses
from collections.abc import Mapping

from heat_lite.template.constraints import LIST, MAP


@dataclasses.dataclass(frozen=True)
class Rest:
    """The location, the envelope and the life cycle of an object in the API of its service.

    ``service``: the name of the client.
    ``path``: the path of the collection, below the version of the API. ``{policy}`` in the path
    stands for the property of that name.
    ``key``: the key that wraps the object in requests and responses; None if nothing wraps it.
    ``status``: the field of the object that holds its status.
    ``ready``: the statuses that end a create or an update. Without them, the object is ready as
    soon as the service has responded.
    ``failed``: the statuses that make the wait fail.
    ``retry_conflict``: a conflict (409) means that the object is busy, so that the request is
    retried.
    ``deletes_async``: a delete is waited for until the service answers 404.
    ``delete_failed``: the statuses that make this wait fail.
    ``extension``: the API extension without which the type is unavailable.
    ``update``: the HTTP method of an update.
    ``id``: the field of the object that holds its id.
    ``list_path``: the path of a list with the details of each object. When several objects are
    waited for, one request for the list replaces the requests for single objects.
    ``list_filter``: the field by which this list can be filtered for some objects; None if it
    cannot.
    ``mark``: the field into which a create with a name of the template writes the generated name,
    so that the object can be told from others with its name; None if there is no such field.
    """

    service: str
    path: str
    key: str | None
    status: str = 'status'
    ready: tuple[str, ...] = ()
    failed: tuple[str, ...] = ('ERROR',)
    retry_conflict: bool = False
    deletes_async: bool = False
    delete_failed: tuple[str, ...] = ()
    extension: str | None = None
    update: str = 'PUT'
    id: str = 'id'
    list_path: str | None = None
    list_filter: str | None = None
    mark: str | None = None

    @property
    def list_key(self):
        """The key that wraps the objects of a list."""
        return f'{self.key}s'


def to_wire(schema, value):
    """Return the value of a property as a request holds it.

    Keys have their names on the wire. Values that are not given are left out.
    """
    if isinstance(value, Mapping) and schema.type == MAP and schema.schema:
        return map_to_wire(schema.schema, value)
    if isinstance(value, list | tuple) and schema.type == LIST and schema.schema:
        return [to_wire(schema.schema, item) for item in value]
    return value


def map_to_wire(schemata, values):
    """Return a map of properties as a request holds it (see ``to_wire``)."""
    return {
        schema.key(name): to_wire(schema, values[name])
        for name, schema in schemata.items()
        if schema.sent and not schema.alias_of and values.get(name) is not None
    }
