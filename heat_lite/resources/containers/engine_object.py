"""The base class of resource types whose objects are in a container engine."""

import contextlib
import threading
import time

from heat_lite.clients import errors
from heat_lite.common import container_labels, exception, installation
from heat_lite.resources.base import live_state
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.containers import container_body
from heat_lite.template import checks
from heat_lite.template.schema import map_, string

#: data: the name of an adopted object, which is that of its former resource
NAME = 'object_name'
#: seconds between two looks at a request that runs in a thread of its own
THREAD_DELAYS = (0.02, 0.05, 0.1, 0.2, 0.5)


#: the schema of the container engine that an object is in
ENDPOINT_PROPERTY = string(
    'URL of the container engine, such as unix:///run/docker.sock, tcp://HOST:2376 or '
    'ssh://USER@HOST. The operator has to allow it. If omitted, the engine of the service '
    'is used.'
)


#: the schema of labels
LABELS_PROPERTY = map_(
    'Labels of the object, beside those that name its stack and resource.', default={}
)


class EngineObject(ServiceResource):
    """A resource that represents one object of a container engine.

    Each object has a label with the unique physical name of its resource. By this label an object
    is found again whose create was interrupted.
    """

    default_client_name = 'docker'
    repeatable = True
    #: what the methods of the client call the object
    noun: str
    #: {property: path of its value in what the engine shows}; none for a type that imports none
    shown_at: dict[str, str] = {}
    #: maps whose values may be maps and lists: the type checks them
    structured: tuple[str, ...] = ()

    # ------------------------------------------------------------ the engine

    def container_engine(self):
        """Return the client of the container engine of this resource."""
        return self.client_plugin().at(self.stored_property('docker_endpoint'))

    def validate(self):
        super().validate()
        endpoint = self.properties['docker_endpoint']
        try:
            self.client_plugin().at(endpoint)
        except (errors.ServiceError, errors.NoCloud) as error:
            raise exception.StackValidationFailed(message=f'{self.name}: {error}') from error
        self.require_rights()
        checks.require_scalars(
            self.properties_schema,
            self.properties,
            [name for name in self.properties_schema if name not in self.structured],
        )

    def host_uses(self):
        """Yield pairs (option, what) of what the object uses of the host of its engine."""
        return ()

    def require_rights(self):
        """Raise StackValidationFailed unless the operator allows what the object uses.

        Values that a validation does not know yet are checked before the create.
        """
        for option, what in self.host_uses():
            if not self.client_plugin().allows(option):
                raise exception.StackValidationFailed(
                    message=f'{self.name}: {what}, which is allowed only with '
                    f'[clients_docker] allow_{option} = true in the configuration of the service'
                )

    def request(self, method, *args, **options):
        """Generator: return the result of a method of the client, with retries."""
        call = self.container_engine().call
        return (yield from self.call_with_retry(call, method, *args, **options))

    def request_in_thread(self, method, *args, **options):
        """Generator: return the result of a method that may take long, such as a stop or a pull.

        It runs in a thread of its own, so that it does not hold one of the task pool.
        """
        work = ThreadedCall(self.container_engine().call, method, *args, **options)
        return (yield from work.wait())

    def request_if_found(self, method, *args, **options):
        """Generator: return the result of a method; None if there is no such object."""
        try:
            return (yield from self.request(method, *args, **options))
        except errors.NotFound:
            return None

    def request_if_present(self, method, *args, **options):
        """Generator: call a method that deletes. Return False if there is no such object."""
        return (
            yield from self.delete_if_present(
                self.container_engine().call, method, *args, **options
            )
        )

    # ------------------------------------------------------------ names and labels

    def object_name(self):
        """Return the name of an adopted object, or the given name, or the generated one."""
        known = self.data().get(NAME) or self.stored_property('name')
        return known or self.physical_resource_name()

    def handle_adopt(self, resource_data):
        self.require_project(resource_data.get('resource_id'))
        super().handle_adopt(resource_data)
        with contextlib.suppress(errors.NotFound):
            name = self.name_of(self.inspect())
            if name:
                self.data_set(NAME, name)

    @staticmethod
    def name_of(shown):
        """Return the name of an object that the engine shows, without a leading slash."""
        return (shown.get('Name') or '').lstrip('/')

    def labels(self):
        """Return the labels of the object."""
        return {
            **container_body.map_of_texts(self.given_labels()),
            container_labels.MARK: '1',
            container_labels.OBJECT: self.physical_resource_name(),
            container_labels.STACK_ID: self.stack.id,
            container_labels.STACK_NAME: self.stack.name,
            container_labels.RESOURCE: self.name,
            container_labels.PROJECT: self.context.project_id or '',
            container_labels.SERVICE: installation.service_id(self.stack.runtime.secret),
        }

    def given_labels(self):
        """Return the labels of the template."""
        return self.properties['labels'] if 'labels' in self.properties_schema else {}

    def is_own(self, labels):
        """Return whether the labels of an object are those of this resource."""
        return (labels or {}).get(container_labels.OBJECT) == self.physical_resource_name()

    def own_filter(self):
        """Return the filter of a list that only the object of this resource passes."""
        return container_labels.named(self.physical_resource_name())

    def own_id(self, listed, key='Id'):
        """Return the id of the object of this resource in such a list; None without one."""
        return next((each[key] for each in listed if self.is_own(each.get('Labels'))), None)

    def create_once(self, method, *args, **options):
        """Generator: create the object and return its id, also if an earlier request has made it.

        Raises Conflict if another object has its name.
        """
        try:
            return self.id_of((yield from self.request(method, *args, **options)))
        except errors.Conflict:
            found = self.find_existing()
            if found is None:
                raise
            return found

    @staticmethod
    def id_of(made):
        """Return the id in the answer of a create."""
        return made['Id']

    # ------------------------------------------------------------ states

    def inspect(self):
        """Return the object as the engine shows it. Raises errors.NotFound."""
        return self.container_engine().call(f'inspect_{self.noun}', self.resource_id)

    def show(self):
        return None if self.resource_id is None else self.inspect()

    def require_project(self, object_id):
        """Raise Forbidden for an object that the project may not take: one that no stack of it has
        made, unless the operator allows the rights of the host.
        """
        with contextlib.suppress(errors.NotFound):
            found = self.container_engine().call(f'inspect_{self.noun}', object_id)
            owner = container_body.labels(found).get(container_labels.PROJECT)
            is_own = owner is not None and owner == self.context.project_id
            if not is_own and not self.client_plugin().allows('privileged'):
                raise exception.Forbidden(
                    message=f'No stack of the project has made the {self.noun} {object_id}: it is '
                    'imported only with [clients_docker] allow_privileged = true in the '
                    'configuration of the service'
                )

    def described(self, found):
        """Return the properties of an object, as far as its engine shows them."""
        values = {name: container_body.at_path(found, path) for name, path in self.shown_at.items()}
        values['name'] = self.name_of(found)
        labels = container_body.labels(found)
        values['labels'] = {
            name: text for name, text in labels.items() if name.partition('.')[0] != 'heat_lite'
        }
        return values

    def importable_state(self):
        if not self.shown_at:
            return None
        self.require_project(self.resource_id)
        return live_state.observed_values(
            self.properties_schema,
            {},
            self.stored_properties(),
            self.described(self.inspect()),
            fixed=self.properties_schema,
        )

    def live_properties(self):
        if not self.shown_at:
            return None
        self.require_project(self.resource_id)
        found = live_state.described_values(
            self.properties_schema, {}, self.described(self.inspect())
        )
        endpoint = self.stored_property('docker_endpoint')
        return {**found, 'docker_endpoint': endpoint} if endpoint else found

    def handle_check(self):
        self.require_object()
        yield
        self.inspect()

    def delete_object(self):
        yield from self.request_if_present(f'remove_{self.noun}', self.resource_id)


class ThreadedCall:
    """A call in a thread of its own."""

    def __init__(self, call, *args, **options):
        self._result = self._error = None
        self._work = lambda: call(*args, **options)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            self._result = self._work()
        except BaseException as error:  # the waiting task raises it
            self._error = error

    def has_ended(self, seconds=float('inf')):
        """Generator: wait for the end of the call. Return False if it takes longer."""
        until = time.monotonic() + seconds
        delays, delay = iter(THREAD_DELAYS), 0.0
        while self._thread.is_alive():
            if time.monotonic() > until:
                return False
            delay = next(delays, delay)
            yield delay
        return True

    def wait(self):
        """Generator: return the result of the call, or raise its error."""
        yield from self.has_ended()
        if self._error is not None:
            raise self._error
        return self._result
