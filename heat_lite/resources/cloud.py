"""CloudResource: types that stand for one object of a service of the cloud. Most of them only describe it, by a Rest and their schemas."""

import contextlib
import dataclasses
import time
from collections.abc import Mapping

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.engine.resource import Resource
from heat_lite.template.constraints import BOOLEAN, INTEGER, LIST, MAP, NUMBER, STRING

NAME = 'name'
FIRST_PAUSE, LONGEST_PAUSE, GROWTH = 0.2, 10.0, 1.6
#: how long a service may keep on asking us to wait, in seconds
PATIENCE = 600
#: several attributes are often asked for at once: they share what the service told, for so many seconds
SHARED_SECONDS = 1.0
PLAIN_TYPES = (STRING, INTEGER, NUMBER, BOOLEAN)


@dataclasses.dataclass(frozen=True)
class Rest:
    """Where and how a service keeps an object.

    ``path`` is its collection, below the version of the API; ``{policy}`` in it stands for the property of that name. ``key`` is what the
    object is wrapped in. An object is waited for until ``status`` is one of ``ready``; without ``ready`` it is there at once. One of
    ``failed`` ends the waiting. ``vanishes``: a delete takes its time, too, and one of ``stuck`` ends that. ``retry_conflict``: a conflict
    (409) means that the object is busy, and passes by itself. ``extension`` is what the service must have for the type. ``update`` is the
    method of a change.
    """

    service: str
    path: str
    key: str | None
    status: str = 'status'
    ready: tuple[str, ...] = ()
    failed: tuple[str, ...] = ('ERROR',)
    retry_conflict: bool = False
    vanishes: bool = False
    stuck: tuple[str, ...] = ()
    extension: str | None = None
    update: str = 'PUT'
    id: str = 'id'


def pauses():
    """Growing ones: what takes long is not asked for all the time."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(pause * GROWTH, LONGEST_PAUSE)


def wired(schema, value):
    """The value of a property as a request wants it: keys by their names on the wire, without what is not given."""
    if isinstance(value, Mapping) and schema.type == MAP and schema.schema:
        return wired_map(schema.schema, value)
    if isinstance(value, list | tuple) and schema.type == LIST and schema.schema:
        return [wired(schema.schema, item) for item in value]
    return value


def wired_map(schemata, given):
    """The same for a map of properties."""
    return {
        schema.key(name): wired(schema, given[name])
        for name, schema in schemata.items()
        if schema.sent and not schema.alias_of and given.get(name) is not None
    }


class ServiceResource(Resource):
    """A type that needs a service of the cloud. It is refused where that is missing."""

    #: the extension of the service without which the type is of no use
    extension: str | None = None
    #: whether a conflict means that something is busy, and passes by itself
    retry_conflict = False

    def validate_names(self):
        self.require_service(self.stack.clients(), self.type())
        super().validate_names()

    def validate(self):
        self.require_service(self.stack.clients(), self.type())
        super().validate()

    @classmethod
    def require_service(cls, clients, type_name):
        name = cls.default_client_name
        try:
            clients.require(name, cls.extension)
        except errors.NoCloud as error:
            raise exception.ResourceTypeUnavailable(service_name=name, resource_type=type_name, reason=f'{error}.') from error

    def ask(self, call, *args, **options):
        """A generator: the answer of ``call``. Where the service has too much to do, or is busy with the object, it is asked again."""
        until = time.monotonic() + PATIENCE
        for pause in pauses():
            try:
                return call(*args, **options)
            except errors.ServiceError as error:
                wait = self._wait(error, pause)
                if wait is None or time.monotonic() + wait > until:
                    raise
            yield wait

    def _wait(self, error, pause):
        """Seconds after which it is worth another try; None where it is not."""
        if isinstance(error, errors.TooManyRequests):
            return pause if error.retry_after is None else error.retry_after
        if isinstance(error, errors.Unavailable):
            return error.retry_after
        return pause if self.retry_conflict and isinstance(error, errors.Conflict) else None

    def take_away(self, call, *args, **options):
        """A generator: the answer of ``call``; what is gone already is as good as taken away. Tells whether it was there."""
        try:
            yield from self.ask(call, *args, **options)
        except errors.NotFound:
            return False
        return True

    def held(self, name):
        """A property as it was when the resource was last made or changed; before that, as the template says."""
        stored = self.record.properties or {}
        return stored[name] if name in stored else self.properties[name]


class CloudResource(ServiceResource):
    """An object of a service. Overridden where it is not as simple as that: ``body``, ``changes`` and ``after``."""

    rest: Rest

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        rest = vars(cls).get('rest')
        if rest is not None:
            cls.default_client_name = rest.service
            cls.extension = rest.extension
            cls.retry_conflict = rest.retry_conflict
            if 'entity' not in vars(cls):
                cls.entity = rest.key

    # ------------------------------------------------------------ what a type may say of itself

    def body(self, values):
        """What is sent to make the object; ``values`` are the properties that are given, under their names on the wire."""
        return values

    def changes(self, changed, diff):
        """What is sent to change the object; ``changed`` are new values under their names on the wire, ``diff`` those of properties."""
        return changed

    def after(self, action, diff):
        """A generator: further requests after a create or an update. ``diff`` holds the properties that are given, or have changed."""
        return
        yield  # it is a generator like those that override it

    # ------------------------------------------------------------ where it is

    def collection(self):
        return self.rest.path.format_map(_Held(self))

    def object_path(self):
        return f'{self.collection()}/{self.resource_id}'

    def look(self):
        """The object as it is now. Raises errors.NotFound."""
        return self.client().show(self.object_path(), self.rest.key)

    # ------------------------------------------------------------ life

    def handle_create(self):
        made = None
        if self.resource_id is None:
            made = yield from self.make(self.body(self._given()))
            self.resource_id_set(str(made[self.rest.id]))
        yield from self.after(status.CREATE, self.properties.given())
        yield from self.until_ready(made)

    def find_existing(self):
        """Looked for by its name. One that we did not make up may be that of somebody else's object: then nobody can tell whose it is."""
        if not self._has_name():
            return super().find_existing()
        key = self.properties_schema[NAME].key(NAME)
        name = self.held(NAME) or self.physical_resource_name()
        found = [str(each[self.rest.id]) for each in self._all(name) if each.get(key) == name]
        if not found or len(found) == 1 and name == self.physical_resource_name():
            return next(iter(found), None)
        raise exception.Interrupted(
            f'its engine stopped before it heard what came of creating it; of {", ".join(found)}, which are called "{name}", '
            'nobody can tell whether they are its own'
        )

    def _all(self, name):
        """The objects of the collection, at least those of that name: services call a collection in their answers as in its path."""
        path = self.collection()
        try:
            return self.client().list(path, path.rpartition('/')[2].replace('-', '_'), name=name)
        except KeyError:
            return super().find_existing()

    def make(self, values):
        """A generator: the object, as the service made it."""
        return (yield from self.ask(self.client().create, self.collection(), self.rest.key, values))

    def _given(self):
        values = wired_map(self.properties_schema, self.properties)
        if self._has_name():
            values.setdefault(self.properties_schema[NAME].key(NAME), self.physical_resource_name())
        return values

    def _has_name(self):
        return NAME in self.properties_schema and self.properties_schema[NAME].sent

    def handle_update(self, definition, tmpl_diff, prop_diff):
        values = self.changes(self._changed(prop_diff), prop_diff)
        if values:
            yield from self.change(values)
        self._shown = None
        yield from self.after(status.UPDATE, prop_diff)
        yield from self.until_ready(None)

    def change(self, values):
        """A generator: the object is told its new values."""
        yield from self.ask(self.client().update, self.object_path(), self.rest.key, values, self.rest.update)

    def _changed(self, diff):
        schemata = self.properties_schema
        values = {
            schemata[name].key(name): wired(schemata[name], value)
            for name, value in diff.items()
            if name in schemata and schemata[name].sent and not schemata[name].alias_of
        }
        key = schemata[NAME].key(NAME) if self._has_name() else None
        if key in values and values[key] is None:
            values[key] = self.physical_resource_name()
        return values

    def until_ready(self, found):
        """A generator: waits until the object is as it should be; ``found`` is what is known of it already."""
        if not self.rest.ready:
            return
        for pause in pauses():
            if found is None:
                found = yield from self.ask(self.look)
            if self._is_ready(found):
                return
            found = None
            yield pause

    def _is_ready(self, found):
        state = found.get(self.rest.status)
        if state in self.rest.failed:
            reason = found.get('status_reason') or found.get('fault') or 'Unknown'
            raise exception.ResourceInError(resource_status=state, status_reason=reason)
        return state in self.rest.ready

    def handle_delete(self):
        if self.resource_id is None:
            return
        there = yield from self.take_away(self.client().delete, self.object_path())
        if there and self.rest.vanishes:
            yield from self.until_gone()

    def until_gone(self):
        """A generator: waits until the object is not there any more."""
        with contextlib.suppress(errors.NotFound):
            for pause in pauses():
                found = yield from self.ask(self.look)
                if found.get(self.rest.status) in self.rest.stuck:
                    raise exception.ResourceInError(resource_status=found[self.rest.status], status_reason='it could not be deleted')
                yield pause

    def handle_check(self):
        found = yield from self.ask(self.look)
        if self.rest.ready and found.get(self.rest.status) not in self.rest.ready:
            raise exception.Error(f'{self.name} is {found.get(self.rest.status)}, not {" or ".join(self.rest.ready)}')

    def needs_replace_failed(self):
        """What is there and was only not ready in time can become so; anything else may be half made."""
        if self.resource_id is None or not self.rest.ready:
            return True
        try:
            return self.look().get(self.rest.status) in self.rest.failed
        except errors.NotFound:
            return True

    # ------------------------------------------------------------ what others read

    _shown = None

    def show(self):
        if self.resource_id is None:
            return None
        if self._shown is None or time.monotonic() > self._shown[0]:
            self._shown = (time.monotonic() + SHARED_SECONDS, self.look())
        return self._shown[1]

    def resolve_attribute(self, name):
        return (self.show() or {}).get(self.attributes_schema[name].key(name))

    def get_live_state(self, resource_properties):
        """The plain values that can be changed, as they are now."""
        found = self.look()
        return {
            name: found[schema.key(name)]
            for name, schema in self.properties_schema.items()
            if self._can_be_observed(schema) and schema.key(name) in found and resource_properties[name] is not None
        }

    @staticmethod
    def _can_be_observed(schema):
        return schema.update_allowed and schema.sent and not schema.alias_of and schema.type in PLAIN_TYPES


class _Held(dict):
    """The properties of a resource, as parts of a path."""

    def __init__(self, resource):
        super().__init__()
        self._resource = resource

    def __missing__(self, name):
        return self._resource.held(name)
