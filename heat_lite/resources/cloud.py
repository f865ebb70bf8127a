"""CloudResource: types that stand for one object of a service of the cloud. Most of them only describe it, by a Rest and their schemas."""

import contextlib
import dataclasses
import functools
import time
from collections.abc import Mapping

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.engine import lifecycle
from heat_lite.engine.resource import Resource
from heat_lite.resources import observing
from heat_lite.resources.asking import Asking, pauses
from heat_lite.template.constraints import LIST, MAP

NAME = 'name'
#: the same where a list tells of all that is waited for, and before it is asked again who else asks for it
LONGEST_JOINED, MOMENT = 1.0, 0.1
#: several attributes are often asked for at once: they share what the service told, for so many seconds
SHARED_SECONDS = 1.0


@dataclasses.dataclass(frozen=True)
class Rest:
    """Where and how a service keeps an object.

    ``path`` is its collection, below the version of the API; ``{policy}`` in it stands for the property of that name. ``key`` is what the
    object is wrapped in. An object is waited for until ``status`` is one of ``ready``; without ``ready`` it is there at once. One of
    ``failed`` ends the waiting. ``vanishes``: a delete takes its time, too, and one of ``stuck`` ends that. ``retry_conflict``: a conflict
    (409) means that the object is busy, and passes by itself. ``extension`` is what the service must have for the type. ``update`` is the
    method of a change. ``joined`` is the path of a list that tells all of each object: where several are waited for, it is asked for
    instead of each of them, by ``joined_by`` (``id``) where the service can be asked for some objects of a list only.
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
    joined: str | None = None
    joined_by: str | None = None

    @property
    def list_key(self):
        """What the objects of a list are wrapped in."""
        return f'{self.key}s'


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
        """A generator: the answer of ``call``. Where the service has too much to do, is away, or is busy with the object, it is asked
        again (see ``asking``)."""
        return (yield from Asking(self, self.retry_conflict).until_answered(call, *args, **options))

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

    def held_properties(self):
        """All of them, as they were then."""
        return self.record.properties or {}


class ServiceObject(ServiceResource):
    """What stands for one object of a service: where that is, and how it is waited for."""

    rest: Rest

    # ------------------------------------------------------------ where it is

    def collection(self):
        return self.rest.path.format_map(_Held(self))

    def object_path(self):
        return f'{self.collection()}/{self.resource_id}'

    def look(self):
        """The object as it is now. Raises errors.NotFound."""
        return self.client().show(self.object_path(), self.rest.key)

    # ------------------------------------------------------------ waiting

    def until_ready(self, found):
        """A generator: waits until the object is as it should be; ``found`` is what is known of it already."""
        if not self.rest.ready:
            return
        begun = time.monotonic()
        for pause in self.pauses():
            if found is None:
                found = yield from self.watched(begun)
            if self._is_ready(found):
                return
            found = None
            yield pause

    def pauses(self):
        """Those between two looks at the object."""
        return pauses(LONGEST_JOINED) if self.rest.joined else pauses()

    def watched(self, since):
        """A generator: the object as it has been at some time after ``since``, by a list where several of its kind are waited for."""
        rest = self.rest
        if rest.joined:
            joined = self.stack.clients().joined(rest.service, rest.joined)
            told, found = False, None
            while not told:
                listed = (self.client(), rest.joined, rest.list_key, self.resource_id, since, rest.joined_by)
                told, found = yield from self.ask(joined.look, *listed)
                if not told:
                    yield MOMENT
            if found is not None and found.get(rest.status) not in rest.failed:
                return found
        return (yield from self.ask(self.look))

    def _is_ready(self, found):
        state = found.get(self.rest.status)
        if state in self.rest.failed:
            reason = found.get('status_reason') or found.get('fault') or 'Unknown'
            raise exception.ResourceInError(resource_status=state, status_reason=reason)
        return state in self.rest.ready

    def until_gone(self):
        """A generator: waits until the object is not there any more."""
        begun = time.monotonic()
        with contextlib.suppress(errors.NotFound):
            for pause in self.pauses():
                if self._is_gone((yield from self.watched(begun))):
                    return
                yield pause

    def _is_gone(self, found):
        """Whether what is still shown is gone all the same."""
        if found.get(self.rest.status) in self.rest.stuck:
            raise exception.ResourceInError(resource_status=found[self.rest.status], status_reason='it could not be deleted')
        return False


class CloudResource(ServiceObject):
    """An object of a service. Overridden where it is not as simple as that: ``body``, ``changes`` and ``after``."""

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
        """A generator: the object, as the service made it. Only by a name of ours it can be told whether a request was heard."""
        client, path, key = self.client(), self.collection(), self.rest.key
        create = functools.partial(client.create, path, key, values)
        if not (self._has_name() and self.held(NAME) in (None, self.physical_resource_name())):
            return (yield from self.ask(create))
        asking = Asking(self, self.retry_conflict)
        return (yield from asking.until_made(create, self.find_existing, lambda made: client.show(f'{path}/{made}', key)))

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
        yield from self.ask(self._update, values)

    def _update(self, values):
        """To tell it the same values twice does no harm."""
        try:
            return self.client().update(self.object_path(), self.rest.key, values, self.rest.update)
        except errors.ServiceError as error:
            error.passing = error.code in errors.PASSING
            raise

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

    def handle_delete(self):
        if self.resource_id is None:
            return
        there = yield from self.take_away(self.client().delete, self.object_path())
        if there and self.rest.vanishes:
            yield from self.until_gone()

    def handle_check(self):
        if self.resource_id is None:
            raise errors.NotFound('there is no such object: it has never been made')
        found = yield from self.ask(self.look)
        state, ready = found.get(self.rest.status), list(self.rest.ready)
        if ready and state not in ready:
            raise exception.Error(f"'{self.rest.status}': expected '{ready[0] if len(ready) == 1 else ready}', got '{state}'")
        return self.drift(found)

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

    #: properties that are not in requests, but shown by the service: their keys there
    shown: dict[str, str] = {}

    def as_told(self, found):
        """What the service shows, where it puts properties in other words than requests do."""
        return found

    def get_live_state(self, resource_properties):
        return observing.live(self.properties_schema, self.shown, self.held_properties(), self.as_told(self.look()))

    def drift(self, found):
        """The Drift; None where nothing is known to have changed."""
        held = self.held_properties()
        words = observing.drift(held, observing.live(self.properties_schema, self.shown, held, self.as_told(found)))
        return words and lifecycle.Drift(words)


class _Held(dict):
    """The properties of a resource, as parts of a path."""

    def __init__(self, resource):
        super().__init__()
        self._resource = resource

    def __missing__(self, name):
        return self._resource.held(name)
