"""Base classes of resource types that represent one object of an OpenStack service."""

import contextlib
import dataclasses
import functools
import time

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import lifecycle
from heat_lite.resources.base import live_state, user_messages
from heat_lite.resources.base.service_retry import ServiceRetry, retry_delays

NAME = 'name'
#: seconds: the longest delay between two polls of a list that several resources share, and the
#: delay before a resource asks again for a list that another resource is polling
MAX_LIST_DELAY, SHARED_POLL_DELAY = 1.0, 0.1
#: seconds for which the attributes of a resource share one response of the service
CACHE_SECONDS = 1.0


@dataclasses.dataclass(frozen=True)
class Rest:
    """The location, the envelope and the life cycle of an object in the API of its service.

    ``service``: the name of the client.
    ``path``: the path of the collection, below the version of the API. ``{policy}`` in the path
    stands for the property of that name.
    ``key``: the key that wraps the object in requests and responses; None if nothing wraps it.
    ``status``: the field of its status.
    ``ready``: the statuses that end a create or an update; by default the response ends it.
    ``failed``: those that make the wait fail.
    ``retry_conflict``: a conflict (409) means that the object is busy, so that the request is
    retried.
    ``deletes_async``: a delete is waited for until the service answers 404.
    ``delete_failed``: the statuses that make this wait fail.
    ``extension``: the API extension without which the type is unavailable.
    ``update``: the HTTP method of an update.
    ``id``: the field of its id.
    ``list_path``: the path of a list with the details of each object, by which several are waited
    for. ``list_filter``: the field by which it can be filtered for some of them, or None.
    ``mark``: the field into which a create without a generated name writes one, so that the object
    can be told from others, or None.
    ``keys``: the key that wraps a list, if it is not the end of its path.
    ``microversion``: the newest one of requests, if it is not that of the service.
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
    keys: str | None = None
    microversion: str | None = None

    @property
    def list_key(self):
        """The key that wraps the objects of a list."""
        return self.keys or live_state.list_key(self.path)


class ServiceResource(Resource):
    """A resource type that needs an OpenStack service. The type is unavailable without it."""

    #: the service that the type needs, if it is not that of its client
    required_service: str | None = None
    #: the extension of the service's API that the type needs
    extension: str | None = None
    #: whether a conflict (409) is temporary, so that the request is retried
    retry_conflict = False
    #: the newest microversion of requests, if it is not that of the client
    microversion: str | None = None
    #: the key in the data of what ``prepare_for_replace`` has released
    released_key: str | None = None

    def client(self, name=None):
        if name is None and self.microversion:
            return self.stack.clients().client(self.default_client_name, self.microversion)
        return super().client(name)

    @classmethod
    def require_service(cls, clients, type_name):
        name = cls.required_service or cls.default_client_name
        try:
            clients.require(name, cls.extension)
        except errors.NoCloud as error:
            raise exception.ResourceTypeUnavailable(
                service_name=name, resource_type=type_name, reason=f'{error}.'
            ) from error

    def needs_update(self, definition):
        """Return True also after a failed replacement: the resource takes back what it released."""
        return self.released_key in self.data() or super().needs_update(definition)

    def template_has_type(self, kind):
        """Return whether the template has a resource of a type."""
        return any(each.resource_type == kind for each in self.stack.definitions.values())

    def call_with_retry(self, call, *args, **options):
        """Generator: return the response of ``call``. While the service is overloaded, unavailable
        or busy with the object, the call is retried (see ``ServiceRetry``).
        """
        retry = ServiceRetry(self, self.retry_conflict)
        return (yield from retry.until_answered(call, *args, **options))

    def send(self, method, path, body=None, **options):
        """Generator: send a request and return its response (see ``call_with_retry``)."""
        request = self.client().request_json
        return (yield from self.call_with_retry(request, method, path, body, **options))

    def _attribute_value(self, name):
        is_missing = self.has_object and self.resource_id is None
        return None if is_missing else super()._attribute_value(name)

    def require_object(self):
        """Raise errors.NotFound if the create failed before there was an object."""
        if self.resource_id is None:
            raise errors.NotFound('the object was never created')

    def check_shown(self):
        """Generator, a ``handle_check`` of types: check that the service shows the object."""
        self.require_object()
        yield from self.call_with_retry(self.show)

    def delete_if_present(self, call, *args, **options):
        """Generator: call ``call``, which deletes an object. Return whether there was one."""
        try:
            yield from self.call_with_retry(call, *args, **options)
        except errors.NotFound:
            return False
        return True

    def importable_state(self):
        return self.get_live_state(self.properties) or None

    def live_properties(self):
        return live_state.describe_listed(self)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.delete_object()

    def delete_object(self):
        """Generator: delete the object, which exists as far as the resource knows."""
        return
        yield  # makes this hook a generator, like the methods that override it

    def delete_path(self, path):
        """Generator: delete the object of this path (see ``delete_if_present``)."""
        return (yield from self.delete_if_present(self.client().delete, path))


class ServiceObject(ServiceResource):
    """A resource that represents one object: its path, and the wait for its status."""

    rest: Rest

    # ------------------------------------------------------------ paths

    @functools.cached_property
    def parents(self):
        return live_state.find_parents(self)

    def collection(self):
        return self.rest.path.format_map(live_state.PathProperties(self))

    def object_path(self):
        return f'{self.collection()}/{self.resource_id}'

    def object_key(self):
        return self.rest.service, self.object_path()

    def fetch(self):
        """Return the object as the service shows it now. Raises errors.NotFound."""
        return self.client().show(self.object_path(), self.rest.key)

    # ------------------------------------------------------------ waiting

    def wait_until_ready(self, found):
        """Generator: wait until the object is ready. ``found`` is the object as known so far, or
        None.
        """
        if not self.rest.ready:
            return
        begun = time.monotonic()
        for pause in self.poll_delays():
            if found is None:
                found = yield from self.poll_object(begun)
            if self.is_ready(found):
                return
            found = None
            yield pause

    def poll_delays(self):
        """Return the delays between two polls of the object."""
        return retry_delays(MAX_LIST_DELAY) if self.rest.list_path else retry_delays()

    def poll_object(self, since):
        """Generator: return the object as it was at some time after ``since`` (monotonic seconds).
        A list is polled for all resources that wait for objects of this type.
        """
        rest = self.rest
        if rest.list_path:
            poller = self.stack.clients().shared_poller(rest.service, rest.list_path)
            polled, found = False, None
            while not polled:
                listed = rest.list_path, rest.list_key, self.resource_id, since, rest.list_filter
                fetch = self.call_with_retry(poller.fetch, self.client(), *listed)
                polled, found = yield from fetch
                if not polled:
                    yield SHARED_POLL_DELAY
            if found is not None and found.get(rest.status) not in rest.failed:
                return found
        return (yield from self.call_with_retry(self.fetch))

    def is_ready(self, found):
        state = found.get(self.rest.status)
        if state in self.rest.failed:
            reason = (
                found.get('status_reason')
                or found.get('fault')
                or user_messages.newest(self.client(), self.rest.service, self.resource_id)
                or 'Unknown'
            )
            raise exception.ResourceInError(resource_status=state, status_reason=reason)
        return state in self.rest.ready

    def wait_until_deleted(self):
        """Generator: wait until the object no longer exists."""
        begun = time.monotonic()
        with contextlib.suppress(errors.NotFound):
            for pause in self.poll_delays():
                if self.is_deleted((yield from self.poll_object(begun))):
                    return
                yield pause

    def is_deleted(self, found):
        """Return whether an object that the service still shows counts as deleted."""
        if found.get(self.rest.status) in self.rest.delete_failed:
            raise exception.ResourceInError(
                resource_status=found[self.rest.status], status_reason='the delete failed'
            )
        return False


class CloudResource(ServiceObject):
    """One object of a service; ``body``, ``changes`` and ``follow_up`` say more than its Rest."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        rest = vars(cls).get('rest')
        if rest is not None:
            cls.default_client_name = rest.service
            cls.extension = rest.extension
            cls.retry_conflict = rest.retry_conflict
            cls.microversion = rest.microversion
            if 'entity' not in vars(cls):
                cls.entity = rest.key

    #: the properties that tell an object from all others of its collection: the service refuses a
    #: second one with their values, so that one without a name can be found again
    unique_by: tuple[str, ...] = ()

    # ------------------------------------------------------------ hooks of types

    def body(self, values):
        """Return the body of the create request. ``values`` are the given properties by their names
        on the wire.
        """
        return values

    def changes(self, changed, diff):
        """Return the body of the update request. ``changed`` are new values by their names on the
        wire; ``diff`` are the new values of properties.
        """
        return changed

    def follow_up(self, action, diff):
        """Generator: send further requests after a create or an update. ``diff`` holds the given or
        the changed properties.
        """
        return
        yield  # makes this hook a generator, like the methods that override it

    # ------------------------------------------------------------ actions

    def handle_create(self):
        made = None
        if self.resource_id is None:
            made = yield from self.create_object(self.body(self.request_values()))
            self.resource_id_set(str(made[self.rest.id]))
        yield from self.follow_up(status.CREATE, self.properties.given())
        yield from self.wait_until_ready(made)

    def find_existing(self):
        """Return the id of the object that an interrupted create has made, found by its name; None
        if there is none. Raises Interrupted if the name was given in the template, so that another
        object may have it, and no object has the mark of this resource.
        """
        if self.unique_by:
            return live_state.find_unique(self)
        if not self.has_name():
            return self._find_marked() if self.can_be_found() else super().find_existing()
        key = self.properties_schema[NAME].key(NAME)
        name = self.stored_property(NAME) or self.physical_resource_name()
        named = [each for each in self.list_by_name(name) if each.get(key) == name]
        generated = self.physical_resource_name()
        field = key if name == generated else self.rest.mark
        own = [each for each in named if each.get(field) == generated]
        if not named or len(own) == 1:
            return next((str(each[self.rest.id]) for each in own), None)
        found = [str(each[self.rest.id]) for each in named]
        raise exception.Interrupted(
            'its engine stopped before the result of the create was known; of '
            f'{", ".join(found)}, which are called "{name}", any may belong to something else'
        )

    def _find_marked(self):
        rest, mark = self.rest, self.mark_text()
        own = (each[rest.id] for each in self.list_by_name(mark) if each.get(rest.mark) == mark)
        return next(map(str, own), None)

    def mark_text(self):
        """Return what the field ``mark`` of the object has."""
        return self.physical_resource_name()

    def list_by_name(self, name):
        """Return the objects of the collection, at least those called or marked ``name``."""
        path = self.collection()
        if self.rest.mark:
            path = self.rest.list_path or path  # only details have the mark
        return self.client().list(path, self.rest.list_key, name=name)

    def create_object(self, values):
        """Generator: create the object and return it. A create is repeated after a lost response
        only if the object can be found again (see ``can_be_found``).
        """
        client, path, key = self.client(), self.collection(), self.rest.key
        return (yield from self.create_once(functools.partial(client.create, path, key, values)))

    def create_once(self, create):
        """Generator: return the object that ``create`` makes (see ``create_object``)."""
        retry, path = ServiceRetry(self, self.retry_conflict), self.collection()
        if not self.can_be_found():
            return (yield from retry.until_made(create))

        def show(made):
            return self.client().show(f'{path}/{made}', self.rest.key)

        return (yield from retry.until_made(create, self.find_existing, show))

    def can_be_found(self):
        """Return whether a search can tell the object of an interrupted create from all others."""
        return self.has_generated_name() or bool(self.rest.mark and not self.has_name())

    def request_values(self):
        values = live_state.map_to_wire(self.properties_schema, self.properties)
        if self.has_name():
            values.setdefault(self.properties_schema[NAME].key(NAME), self.physical_resource_name())
        if self.rest.mark and not self.has_generated_name():
            values.setdefault(self.rest.mark, self.mark_text())
        return values

    def has_generated_name(self):
        given = (None, self.physical_resource_name())
        return self.has_name() and self.stored_property(NAME) in given

    def has_name(self):
        return NAME in self.properties_schema and self.properties_schema[NAME].sent

    def handle_update(self, definition, tmpl_diff, prop_diff):
        values = self.changes(self._changed(prop_diff), prop_diff)
        if values:
            yield from self.update_object(values)
        self.clear_cache()
        yield from self.follow_up(status.UPDATE, prop_diff)
        yield from self.wait_until_ready(None)

    def update_object(self, values):
        """Generator: send the new values of the object."""
        yield from self.call_with_retry(self._update, values)

    def _update(self, values):
        """Send an update request. It is idempotent: it is retried after each transient error."""
        try:
            return self.client().update(self.object_path(), self.rest.key, values, self.rest.update)
        except errors.ServiceError as error:
            error.transient = error.code in errors.TRANSIENT_STATUSES
            raise

    def _changed(self, diff):
        schemata = self.properties_schema
        values = {
            schemata[name].key(name): live_state.to_wire(schemata[name], value)
            for name, value in diff.items()
            if name in schemata and schemata[name].sent and not schemata[name].alias_of
        }
        key = schemata[NAME].key(NAME) if self.has_name() else None
        if key in values and values[key] is None:
            values[key] = self.physical_resource_name()
        return values

    def delete_object(self):
        there = yield from self.delete_path(self.object_path())
        if there and self.rest.deletes_async:
            yield from self.wait_until_deleted()

    def handle_check(self):
        self.require_object()
        found = yield from self.call_with_retry(self.fetch)
        state, ready = found.get(self.rest.status), list(self.rest.ready)
        if ready and state not in ready:
            expected = ready[0] if len(ready) == 1 else ready
            raise exception.Error(f"'{self.rest.status}': expected '{expected}', got '{state}'")
        return self.drift(found)

    def needs_replace_failed(self):
        """Return whether a failed resource is replaced. An object that only was not ready in time
        may become ready, and one that has refused an update is as it was; any other may be
        incomplete.
        """
        if self.resource_id is None or not self.rest.ready and self.action != status.UPDATE:
            return True
        try:
            return self.fetch().get(self.rest.status) in self.rest.failed
        except errors.NotFound:
            return True

    # ------------------------------------------------------------ attributes and live state

    _cached_object = None

    def show(self):
        if self.resource_id is None:
            return None
        if self._cached_object is None or time.monotonic() > self._cached_object[0]:
            self._cached_object = (time.monotonic() + CACHE_SECONDS, self.fetch())
        return self._cached_object[1]

    def clear_cache(self):
        """Make the next ``show()`` request the object again."""
        self._cached_object = None

    def resolve_attribute(self, name):
        return (self.show() or {}).get(self.attributes_schema[name].key(name))

    #: ``{property: key in the object}`` of properties that are shown but not sent
    observed_keys: dict[str, str] = {}

    #: properties that requests of their own show; a drift compares those that the template sets
    parts: tuple[str, ...] = ()

    def fetch_part(self, name):
        """Return the live value of a property in ``parts``."""
        raise NotImplementedError

    def normalize(self, found):
        """Return the object with its values in the form of requests."""
        return found

    def get_live_state(self, resource_properties):
        return self._observed(self.fetch())

    def importable_state(self):
        stored = self.stored_properties()  # none of an external object
        return self._observed(self.fetch(), fixed=stored.raw_values() if stored else ())

    def _observed(self, found, fixed=()):
        return live_state.observe(self, self.normalize(found), fixed)

    def live_properties(self):
        return {**self.described(self.fetch()), **self.parents}

    def described(self, found):
        return live_state.describe(self, self.normalize(found))

    def objects(self):
        return live_state.list_objects(self)

    def is_described(self, found):
        """Return False for an object of another type, or one that its service has made itself."""
        return True

    def drift(self, found):
        """Return the Drift of the object; None if no change is known."""
        stored, ignored = self.stored_properties(), self.definition.ignored_paths
        drift = live_state.describe_drift(stored, self._observed(found), ignored)
        return drift and lifecycle.Drift(drift)
