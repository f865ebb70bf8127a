"""The base class of all resources: identity, properties, metadata, attributes and references.

``resource_type`` has the part that types override; ``lifecycle`` runs the handlers.

Tests: tests/functional/test_plugin_contract.py.
"""

import contextlib
import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Self

from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_types import Value, Values
from heat_lite.db import column_types
from heat_lite.engine.resource import attribute_reading, resource_metadata
from heat_lite.engine.resource.record import Record
from heat_lite.engine.resource.resource_type import SHOW, ResourceType
from heat_lite.template import attributes, coercion, properties, stored_properties
from heat_lite.template.attributes import Attributes
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.properties import Properties
from heat_lite.template.schema import AttributeSchema, PropertySchema
from heat_lite.template.unknown import as_heat_shows

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack

LONGEST_ID = 255  # length of the column
#: bytes of a text whose encrypted form fits into a column of MariaDB (65535 bytes)
LONGEST_DATA = 40000


class Resource(ResourceType):
    """One resource of a stack: its definition, its row and its type.

    A type does its work in ``handle_create``, ``handle_update``, ``handle_delete``,
    ``handle_suspend``, ``handle_resume``, ``handle_check``, ``handle_snapshot``. A handler is a
    generator that waits by yielding, or it returns a token, and ``check_X_complete(token)`` is
    polled until it returns True. A handler may run again after a crash, so it must look before it
    creates: a generator is called again with its id set; of a pair only
    ``check_create_complete(id)`` is called. ``find_existing`` looks up an object whose id was lost.
    """

    #: the class of ``properties``
    properties_class = properties.Properties

    def __init__(
        self, name: str, definition: ResourceDefinition, stack: 'Stack', record: Record
    ) -> None:
        self.name = name
        self.definition = definition
        self.stack = stack
        self.record = record
        self._properties: Properties | None = None
        #: the map of the row and its StoredProperties
        self._stored: tuple[Values | None, Value] = None, None
        self._attributes: Attributes | None = None

    @classmethod
    def build(
        cls, name: str, definition: ResourceDefinition, stack: 'Stack', record: Record
    ) -> Self:
        """Return the resource of a record. Plug-ins may construct their types differently."""
        return cls(name, definition, stack, record)

    def __str__(self) -> str:
        physical_id = f' [{self.resource_id}]' if self.resource_id else ''
        return f'{type(self).__name__} "{self.name}"{physical_id} {self.stack}'

    # ------------------------------------------------------------ identity

    @classmethod
    def all_attributes_schema(cls) -> dict[str, AttributeSchema]:
        return {**cls.attributes_schema, **cls.base_attributes_schema}

    def type(self) -> str:
        """Return the type as the template names it: an alias of the environment stays an alias."""
        return self.definition.resource_type

    @property
    def context(self) -> RequestContext:
        return self.stack.context

    @property
    def resource_id(self) -> str | None:
        """The id of the object in its service; None before there is one."""
        return self.record.nova_instance

    def resource_id_set(self, value: str | int | None) -> None:
        """Store the id of the object. Raises Invalid for a value that the column cannot store."""
        given = str(value) if isinstance(value, int) else value
        if given is not None and not column_types.fits(given, LONGEST_ID):
            raise exception.Invalid(
                reason=f'the physical id of the resource "{self.name}" must be a text of at most '
                f'{LONGEST_ID} characters without NUL, not {value!r:.100}'
            )
        self.record.set(nova_instance=value)

    @property
    def action(self) -> str:
        return self.record.action

    @property
    def status(self) -> str:
        return self.record.status

    @property
    def status_reason(self) -> str:
        return self.record.status_reason

    @property
    def state(self) -> tuple[str, str]:
        return self.record.action, self.record.status

    def identifier(self) -> HeatIdentifier:
        return self.stack.identifier().resource(self.name)

    def physical_resource_name(self) -> str:
        """Return ``stack-resource-xxxxxxxxxxxx``, unique and within the length limit."""
        return self.record.physical_name(self.stack.name, self.physical_resource_name_limit)

    def physical_resource_name_or_reference(self) -> str | None:
        return self.physical_resource_name() or self.reference_id()

    # ------------------------------------------------------------ definition

    @property
    def properties(self) -> Properties:
        if self._properties is None:
            self._properties = self.properties_of(self.definition)
        return self._properties

    def properties_of(self, definition: ResourceDefinition) -> Properties:
        """Return the properties by this or another definition of the same type."""
        return self._section_of(definition, 'properties', self.properties_schema)

    def store_properties(self) -> None:
        """Store the properties that the template gives, with functions resolved, as Heat does.

        The resolver is that of the time at which the properties were first read: another action may
        have preempted this one. Raises StackValidationFailed if a property is invalid.
        """
        self.properties.resolved()
        self.record.set_properties(self.properties.given_values())

    def store_observed(self, found: Values) -> None:
        """Store the properties of the object at present where they differ from the stored ones."""
        stored = self.stored_properties()
        changed = {name: value for name, value in found.items() if value != stored.get(name)}
        if changed:
            known = stored.raw_values() if stored else {}
            self.record.set_properties({**known, **changed})

    def stored_properties(self) -> Value:
        """Return all properties as of the last create or update.

        Empty before that, and for an external object.
        """
        values = self.record.properties
        if values is None and self.action == status.INIT or self.definition.external_id is not None:
            return {}
        if self._stored[1] is None or self._stored[0] is not values:
            stored = stored_properties.StoredValues(values or {})
            self._stored = values, self.properties_of(self.definition.with_properties(stored))
        return self._stored[1]

    def stored_property(self, name: str) -> Value:
        """Return a property as of the last create or update; before the first one, the value in the
        template.
        """
        stored = self.stored_properties()
        return stored[name] if name in stored else self.properties[name]

    def update_policy(self) -> Properties:
        return self._section_of(self.definition, 'update_policy', self.update_policy_schema)

    def _section_of(
        self, definition: ResourceDefinition, section: str, schemata: Mapping[str, PropertySchema]
    ) -> Properties:
        stack, registry = self.stack, self.stack.runtime.registry
        if section == 'properties':
            stored = self.record.properties
            definition = stored_properties.with_ignored(definition, stored, schemata)
        given = getattr(definition, section) or {}
        if isinstance(given, stored_properties.StoredValues):
            find = functools.partial(registry.find_stored, stack)
            return stored_properties.StoredProperties(schemata, given, name=self.name, find=find)
        made = self.properties_class(
            schemata,
            given,
            stack.scope.resolve,
            self.name,
            section,
            stack.lookup,
            find=stack.find_object,
        )
        if not stack.checks_values:
            made.options = coercion.LENIENT
        return made

    def ignore_invalid(self) -> None:
        """Read invalid properties as unknown ones."""
        self.properties.forgives = True

    def redefine(self, definition: ResourceDefinition) -> None:
        """Replace the definition."""
        self.definition = definition
        self._properties = self._attributes = None
        self._stored = None, None

    def metadata_get(self, refresh: bool = False) -> Values:
        """Return the metadata; with ``refresh`` from the database, since signals change them
        during an action.
        """
        return (
            resource_metadata.read_metadata(self.record) if refresh else self.record.rsrc_metadata
        ) or {}

    def metadata_change(
        self, changed: Callable[[Values], Values], signals: dict[int, str] | None = None
    ) -> Values:
        """Store ``changed(metadata)`` at once and return it. Concurrent changes are not lost.

        ``changed`` may be called several times, so it must have no side effects. ``signals`` are
        deleted in the same transaction.
        """
        return resource_metadata.change_metadata(self.context, self.record, changed, signals)

    @property
    def batches_signals(self) -> bool:
        """Whether ``merge_signals`` handles several signals at once."""
        return False

    def merge_signals(self, known: Values, several: list[Value]) -> tuple[list, Values]:
        """Return the result of each signal, and the metadata ``known`` with the signals.

        A result is the reason of the signal's event, or the error that it has failed with.
        """
        raise NotImplementedError(f'{type(self).__name__} handles its signals one by one')

    def signal_gate(self, read_waiting: Callable[[], list[Value]]) -> Value:
        """Return what ``SignalTasks`` accepts signals by, or None for a type that takes all.

        ``read_waiting()`` are the details of signals that are not handled yet. The gate has a
        ``weight`` and ``check(details, limits)``, which raises RequestLimitExceeded, or returns a
        function that counts the signal.
        """
        return None

    def metadata_set(self, metadata: Values) -> None:
        self.record.set(rsrc_metadata=metadata)

    def facade(self, key: str) -> Value:
        """Return what the nested stack may read: metadata, deletion_policy or update_policy."""
        if key == 'metadata':
            return self.metadata_get() or self.initial_metadata()
        if key == 'update_policy':
            return self.stack.resolve(self.definition.update_policy) or {}
        return self.definition.deletion_policy

    def external_id(self) -> Value:
        """Return the id of the external object, of a number its text; it may be unknown yet."""
        found = self.stack.resolve(self.definition.external_id)
        return str(found) if isinstance(found, int | float) else found

    def validate_names(self) -> Value:
        """Validate without values: that all properties exist."""
        self.update_policy().validate()
        self.properties.validate(with_value=False)

    def foreseen_properties(self) -> Values:
        """Return the values of all properties before creation, including hidden ones.

        Those of an external object need not be complete: the others have their defaults.
        """
        return self.properties.preview(required=self.definition.external_id is None)

    def shown_properties(self) -> Values:
        """Return the same as Heat's previews show it; None where Heat has no value."""
        shown = self.properties_of(self.definition)
        shown.resolve, shown.forgives = self.stack.shown_scope.resolve, True
        return as_heat_shows(shown.preview(required=self.definition.external_id is None))

    def initial_metadata(self) -> Value:
        """Return the initial metadata."""
        return self.definition.resolved_metadata(self.stack.resolve)

    def validate(self) -> Value:
        """Raise StackValidationFailed if it is invalid. Types that override it call ``super()``."""
        if self.update_policy_schema or self.definition.update_policy:
            self.update_policy().validate()
        self.properties.validate(with_value=self.stack.checks_values)

    def validate_nested(self, run: Value) -> None:
        """Validate the nested stack, if there is one, as a part of a ValidationPass."""

    def standing_for(self, object_id: str) -> Self:
        """Return a resource of this definition that has the object, without a row."""
        record = self.stack.records.blank(self.name)
        record.nova_instance = object_id
        return self.build(self.name, self.definition, self.stack, record)

    def supports_snapshot_delete(self) -> bool:
        """Return whether ``deletion_policy: Snapshot`` is possible."""
        return hasattr(self, 'handle_snapshot_delete')

    def handle_update(
        self, definition: ResourceDefinition, tmpl_diff: Values, prop_diff: Values
    ) -> Value:
        """Update the object in place. ``prop_diff`` holds the new values of changed properties."""
        if prop_diff:
            raise exception.UpdateReplace(self.name)

    def snapshot_data(self) -> Values:
        """Return the entry of the resource in a snapshot."""
        return {
            'name': self.name,
            'resource_id': self.resource_id,
            'type': self.type(),
            'action': self.action,
            'status': self.status,
            'metadata': self.metadata_get(),
            'resource_data': self.data(),
        }

    def prepare_abandon(self) -> Values:
        """Return the entry of the resource in an export.

        Types with a nested stack return its document.
        """
        return self.snapshot_data()

    def handle_adopt(self, resource_data: Values) -> Value:
        """Adopt the object that ``prepare_abandon`` has described."""
        physical_id = resource_data.get('resource_id')
        if physical_id is None and (self.has_object or not resource_data):
            raise Exception('Resource ID was not provided.')  # Heat shows it as a plain Exception
        if physical_id is not None:
            self.resource_id_set(physical_id)
        for key, value in (resource_data.get('resource_data') or {}).items():
            self.data_set(key, str(value), redact=True)  # any of it may be secret
        if resource_data.get('metadata'):
            self.metadata_set(resource_data['metadata'])

    def find_existing(self) -> str | None:
        """Return the id of what an interrupted create has made, found by its unique physical name,
        or None.

        Types that create objects override it; errors.NotFound of a service is None, too. Raises
        Interrupted if a lookup is impossible.
        """
        if self.local or self.repeatable:
            return None
        raise exception.Interrupted(
            f'its engine stopped before the result of the create was known, and {self.type()} '
            f'cannot be looked up; check whether there is a "{self.physical_resource_name()}"'
        )

    # ------------------------------------------------------------ stored data

    def data(self) -> dict[str, str]:
        return dict(self.record.data)

    def data_set(self, key: str, value: str, redact: bool = False) -> None:
        """Store a text. Raises Invalid for one that is too long for the column."""
        if len(str(value).encode()) > LONGEST_DATA:
            raise exception.Invalid(
                reason=f'"{key}" of the resource "{self.name}" is longer than {LONGEST_DATA} bytes'
            )
        self.record.set_data(key, value, redact)

    def data_delete(self, key: str) -> None:
        self.record.delete_data(key)

    # ------------------------------------------------------------ clients

    def client(self, name: str | None = None) -> Value:
        return self.stack.clients().client(name or self.default_client_name)

    def client_plugin(self, name: str | None = None) -> Value:
        """Return the plug-in of a client, which knows its errors: ``ignore_not_found(error)``
        and the like.
        """
        return self.stack.clients().client_plugin(name or self.default_client_name)

    # ------------------------------------------------------------ references and attributes

    def get_reference_id(self) -> str | None:
        """Return the value of ``get_resource``, unless it is an external id."""
        return str(self.name if self.resource_id is None else self.resource_id)

    def has_attribute(self, name: str) -> bool:
        """Return whether ``get_attr`` may read the attribute.

        Types with variable attributes override it.
        """
        return name in self.all_attributes_schema()

    def reference_id(self) -> str | None:
        """Return the value of ``get_resource``."""
        if self.definition.external_id is not None and self.resource_id:
            return self.resource_id
        return self.get_reference_id()

    @property
    def attributes(self) -> Attributes:
        if self._attributes is None:
            self._attributes = attributes.Attributes(
                self.name,
                self.all_attributes_schema(),
                self._attribute_value,
                self.stack.records.attributes_of(self.record),
            )
        return self._attributes

    def store_attributes(self) -> None:
        """Store the attributes that have been read, so that nothing asks the service again until
        the state of the resource changes.
        """
        is_live = self.local or self.has_nested_stack or self.signals_change_attributes
        if is_live or self._attributes is None:
            return
        values = self._attributes.cached()
        if values and values != self.stack.records.attributes_of(self.record):
            self.record.set_attributes(values)

    def read_attributes_now(self) -> None:
        """Read attributes anew, for a request that shows the resource as it is."""
        self._attributes = attributes.Attributes(
            self.name, self.all_attributes_schema(), self._attribute_value
        )

    def forget_read_attributes(self) -> None:
        """Forget what ``read_attributes_now`` has read: a circle that only a collection frees."""
        self._attributes = None

    def clear_stored_attributes(self) -> None:
        """Forget all attributes that have been read: the object may have changed."""
        self.forget_read_attributes()
        self.record.clear_attributes()

    def attribute(self, *path: Value) -> Value:
        """Return the value of ``get_attr``; None in INIT.

        Without a path: all attributes but ``show``.
        """
        if self.action == status.INIT:
            return None
        if not path:
            return {name: self.attribute(name) for name in self.attributes_schema}
        return self.attributes.get(*path)

    def slow_reads(self, names: Collection[str]) -> Iterator[attribute_reading.Read]:
        """Yield reads of attributes that a service answers (see ``AttributeReading.start``)."""
        unknown = [
            name
            for name in names
            if name in self.attributes and not self.attributes.is_cached(name)
        ]
        if unknown and self.answers_slowly():
            # one after another: they may share one response of the service
            yield [self._reading_key(name) for name in unknown], lambda: self._read(unknown)

    def _read(self, names: Collection[str]) -> None:
        for name in names:
            with contextlib.suppress(Exception):  # the thread that needs the value raises it
                self.attribute(name)

    def _reading_key(self, name: str) -> attribute_reading.Key:
        return self.record.uuid, f'{self.name}.{name}'

    def _attribute_value(self, name: str) -> Value:
        read = functools.partial(self.resolve_attribute, name) if name != SHOW else self.show
        return attribute_reading.read_once(self._reading_key(name), read)


class UnknownResource(Resource):
    """A resource whose type is not registered any more. Only its row is known."""

    def has_attribute(self, name: str) -> bool:
        return True

    def handle_delete(self) -> None:
        raise exception.no_resource_type(self.type())

    handle_suspend = handle_resume = handle_check = handle_snapshot = handle_delete


def class_or_unknown(
    class_of: Callable[[ResourceDefinition], type[Resource]], definition: ResourceDefinition
) -> type[Resource]:
    """Return the class of a definition; UnknownResource for an unknown type."""
    try:
        return class_of(definition)
    except exception.StackValidationFailed:
        return UnknownResource
