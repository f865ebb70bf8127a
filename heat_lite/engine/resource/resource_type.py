"""What a resource type declares and overrides: the contract of resource plug-ins, with its
defaults.

Tests: tests/functional/test_plugin_contract.py.
"""

import contextlib
import datetime
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_types import Value, Values
from heat_lite.engine.scheduler import Wait, Work
from heat_lite.template import schema, support
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.unknown import ValueUnknown

if TYPE_CHECKING:
    from heat_lite.clients.clients import Clients
    from heat_lite.engine.stack.stack import Stack

SHOW = 'show'


def check_rules(
    rules: Iterable[Callable[..., None]], read: Callable[[str], Value], resource: Value
) -> None:
    """Raise the error of the first rule that is broken; values that are not known break none."""
    for rule in rules:
        with contextlib.suppress(ValueUnknown):
            rule(read, resource)


class ResourceType:
    """The class attributes and hooks of a type. ``resource.Resource`` does the rest."""

    #: when the handler of the present action first waited; None before, or if unknown
    first_wait: datetime.datetime | None = None
    #: the names of the properties that the present update changes
    changing: tuple[str, ...] = ()

    #: The name in templates. A class with a name of its own in ``heat_lite.resources`` is
    #: registered by it.
    resource_type: str | None = None
    properties_schema: dict[str, schema.PropertySchema] = {}
    #: what a request must keep beyond the schemas (see ``resources/base/property_rules.py``)
    property_rules: tuple[Callable[..., None], ...] = ()
    #: a description alone stands for the schema of a text
    attributes_schema: dict[str, Any] = {}
    update_policy_schema: dict[str, schema.PropertySchema] = {}
    support_status = support.DEFAULT
    #: the release in which a type with nothing else to say about its support began
    since: str | None = None
    #: the client that the type uses and the kind of object that it creates there
    default_client_name: Any = None
    entity: str | None = None
    #: whether the handlers run inside this process only and never block: their states need no
    #: earlier commit
    local = False
    #: whether it is harmless to repeat an interrupted create (see ``find_existing``)
    repeatable = False
    physical_resource_name_limit: int | None = 255
    #: whether a complete resource has a physical id: an export of a wait condition has none, and
    #: the adoption takes it as it is
    has_object = True
    #: whether its reference and attributes are secrets that it has made, as previews must not show
    has_secret_value = False
    #: whether it may act for its user after the request; whether it cannot work without that
    uses_deferred_auth = requires_deferred_auth = False
    #: whether it contains a nested stack, whose needs are unknown
    has_nested_stack = False
    #: whether another action on the stack interrupts its handler instead of waiting for the end
    interruptible = False
    #: why its object cannot be compared with the template, if it cannot
    not_compared = 'Resources of this type cannot be compared.'
    #: the service in whose place it stands: lists leave it out where the cloud has the service
    stands_for: str | None = None
    #: whether its handlers call services: the number of these in parallel is limited
    calls_cloud = True
    always_replace_on_check_failed = True
    #: whether ``get_resource`` in the preview of a create is its name, as of most types of Heat
    named_before_create = True
    #: whether its own ``validate`` reads nothing but the properties
    validates_properties_only = False
    #: whether each update replaces it, even without a change
    always_replaced = False
    #: whether it only finds objects of others: each update asks the cloud again whether it finds
    #: something else, and previews ask before its turn (see ``foreseen_text``)
    is_lookup = False
    #: whether signals are handled at the same time: for types that store each by itself, or refuse
    #: one while they handle another
    signals_in_parallel = False
    #: whether an alarm that repeats itself is ignored while a signal waits or is handled
    ignores_repeated_alarms = False
    #: the id of the signal that its handler works on, and the engine that does
    handled_signal: dict[int, str] | None = None
    #: whether signals change its attributes while no action runs: then outputs that read them are
    #: not stored (nor are those that read a live attribute)
    signals_change_attributes = False
    #: keys of data that tell what a snapshot of the stack has saved of the object
    snapshot_keys: tuple[str, ...] = ()
    #: whether its metadata are resolved again after a signal to another resource of the stack
    refreshes_metadata = False
    no_signal_actions: tuple[str, ...] = (status.SUSPEND, status.DELETE)
    base_attributes_schema = {
        SHOW: schema.map_attribute(
            'All data that the service shows about the resource.', cache_mode=schema.CACHE_NONE
        )
    }

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if version := vars(cls).get('since'):
            cls.support_status = support.since(version)
        if isinstance(schemata := vars(cls).get('attributes_schema'), dict):
            cls.attributes_schema = schema.attributes(schemata)

    # ------------------------------------------------------------ the service

    @classmethod
    def require_service(cls, clients: 'Clients', type_name: str) -> None:
        """Raise ResourceTypeUnavailable if the cloud lacks a service that the type needs."""

    @classmethod
    def is_listed(cls, clients: 'Clients') -> bool:
        """Return whether lists have the type: the cloud lacks the service that it stands for."""
        try:
            if cls.stands_for is not None:
                clients.require(cls.stands_for)
        except errors.NoCloud:
            return True
        return cls.stands_for is None

    def settle(self) -> Work:
        """Wait for what an interrupted action has left running. A generator."""
        return
        yield  # makes this function a generator

    def show(self) -> Value:
        """Return the object as its service shows it, as a map."""
        return None

    def object_exists(self) -> bool:
        """Return whether the object of the resource exists; True if the type cannot tell."""
        try:
            self.show()
        except (exception.NotFound, errors.BadRequest):  # an id of another form is a bad request
            return False
        return True

    def get_live_state(self, resource_properties: Mapping[str, Value]) -> Values:
        """Return the properties of the object at present, as far as known.

        Raises NotFound if it is gone.
        """
        return {}

    def object_key(self) -> Value:
        """Return what tells the object from others with the same id: by default the type."""
        return self.resource_type or type(self).__name__

    def release_member(self, name: str) -> None:
        """Note that a resource of the nested stack has moved away from it."""

    def importable_state(self) -> Values | None:
        """Return the properties of the object at present, also those that no update changes; None
        if the type cannot tell.
        """
        return None

    def live_properties(self) -> Values | None:
        """Return the properties that describe the object as it is; None if the type cannot tell.

        Raises NotFound if it does not exist.
        """
        return None

    def objects(self) -> Values | None:
        """Return all objects of the type that its service shows, by id, without those that the
        service has made itself; None if the type cannot list them.
        """
        return None

    def described(self, found: Values) -> Values:
        """Return the properties that describe an object of ``objects``."""
        raise NotImplementedError(f'{type(self).__name__} must override described')

    # ------------------------------------------------------------ values that other resources and
    # users read

    def resolve_attribute(self, name: str) -> Value:
        """Return the value of an attribute; None if it is unknown."""
        return None

    @classmethod
    def is_live_attribute(cls, path: tuple) -> bool:
        """Return whether ``get_attr`` of the path asks a service each time (CACHE_NONE).

        An empty path reads all attributes.
        """
        if cls.local or cls.has_nested_stack:
            return False
        schemata = cls.attributes_schema
        if path:
            schemata = {**cls.base_attributes_schema, **schemata}
        names = path[:1] or tuple(schemata)
        return any(
            name in schemata and schemata[name].cache_mode == schema.CACHE_NONE for name in names
        )

    def answers_slowly(self) -> bool:
        """Return whether reading an attribute may take long, for example a request to a service."""
        return not self.local

    def metadata_updated(self, metadata: Values) -> None:
        """Called after another request has changed the metadata.

        Types that publish them override it.
        """

    def runs_agent(self) -> bool:
        """Return whether an agent in this server applies deployments that name its UUID."""
        return False

    def access_allowed(self, resource_name: str) -> bool:
        """Return whether a stack user with the id of this resource may read the named resource."""
        return False

    # ------------------------------------------------------------ dependencies and nested stacks

    def implied_dependencies(self, others: Mapping[str, ResourceDefinition]) -> Iterable[str]:
        """Return names of resources that must come first without a reference to them.

        ``others`` is ``{name: definition}``.
        """
        return ()

    def restore_order(self) -> Iterable[tuple[str, str]]:
        """Return pairs of names of resources: a restore changes the second before the first."""
        return ()

    def nested_identifier(self) -> HeatIdentifier | None:
        """Return the identity of the nested stack; None if there is none."""
        return None

    def preview_nested(self, update: bool = False) -> 'Stack | None':
        """Return the future nested stack, for reading only; None for types without one."""
        return None

    def describe_nested(self) -> 'Stack | None':
        """Return a nested stack that shows its parameters, for reading only."""
        return self.preview_nested()

    # ------------------------------------------------------------ updates

    def handler_definition(self, definition: ResourceDefinition) -> Value:
        """Return a definition in the form that the handlers of the type receive."""
        return definition

    def can_update_in_place(self, name: str) -> bool:
        """Return whether the schema allows a change of the property without a replacement."""
        return name in self.properties_schema and self.properties_schema[name].update_allowed

    def needs_update(self, definition: ResourceDefinition) -> bool:
        """Return whether an update must visit the resource although its definition has not
        changed.
        """
        return self.always_replaced

    def is_foreseen(self) -> bool:
        """Return whether a lookup knows what it will find, so that a preview can show it."""
        return False

    def foreseen_text(self) -> str | None:
        """Return what a preview tells about the resource beside its properties."""
        return None

    def needs_replace(self, after_properties: Mapping[str, Value]) -> bool:
        """Return whether the new properties require a replacement."""
        return False

    def needs_replace_with_prop_diff(
        self,
        changed: Collection[str],
        after_properties: Mapping[str, Value],
        before_properties: Mapping[str, Value],
    ) -> bool:
        """Return whether the changed properties, given by name, require a replacement."""
        return False

    def needs_replace_with_tmpl_diff(self, changed: Collection[str]) -> bool:
        """Return whether the changed parts of the definition require a replacement."""
        return False

    def needs_replace_failed(self) -> bool:
        """Return whether a failed resource must be replaced rather than updated."""
        return True

    def prepare_for_replace(self, definition: ResourceDefinition) -> Iterable[Wait]:
        """Release what only one object can hold, before the replacement is created. A generator.

        If the replacement fails, an update of this resource takes it back (see ``needs_update``).
        """
        return
        yield  # makes this function a generator

    # ------------------------------------------------------------ signals, snapshots and adoption

    def check_signal(self, details: Value) -> None:
        """Raise HeatException for a signal that the type does not understand."""

    def handle_signal(self, details: Value = None) -> Value:
        raise exception.ResourceActionNotSupported(action='signal')
