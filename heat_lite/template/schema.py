"""Schemas of properties and attributes: types, defaults, constraints, nesting, API output.

A schema is built once, with the class that owns it, and shared. Treat schemas as immutable.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from heat_lite.common import exception
from heat_lite.common.value_types import Value, without_none
from heat_lite.template import support as support_status
from heat_lite.template.constraints import (
    ANY,
    BOOLEAN,
    INTEGER,
    LIST,
    MAP,
    NUMBER,
    STRING,
    TYPES,
    AllowedPattern,
    AllowedValues,
    Constraint,
    CustomConstraint,
    Length,
    Range,
)
from heat_lite.template.parameters import parameter_types
from heat_lite.template.parameters.parameter_schema import ParameterSchema

#: the version since which there is what Heat does not have
OURS = support_status.OURS
CACHE_LOCAL, CACHE_NONE = 'cache_local', 'cache_none'
#: the key in requests of an object whose id is sent: the name of the property with _id at its end
ID_OF_NAME = '{}_id'
#: options that stand for a constraint
_CONSTRAINTS = {'allowed': AllowedValues, 'pattern': AllowedPattern, 'custom': CustomConstraint}
#: options that stand for a support status
_SUPPORT = {'since': support_status.since, 'history': support_status.history}


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class PropertySchema:
    """The schema of a property.

    ``schema`` is a dictionary of the keys of a map, or the schema of the items of a list. ``ref``
    is the kind of the cloud object that the value names: validation checks that the object exists,
    and reading the property gives its id. ``resolves`` does only the latter. ``wire`` is the key in
    the request to the cloud (see ``key``), and ``sent`` whether the property is in its body at all.
    ``alias_of`` makes this a hidden, deprecated alias of another property. ``allow_conversion``
    accepts a string or a list for a map, and a comma-separated string for a list.
    """

    type: str
    description: str | None = None
    _: dataclasses.KW_ONLY
    default: Value = None
    required: bool = False
    constraints: Iterable[Constraint] = ()
    update_allowed: bool = False
    immutable: bool = False
    support: support_status.SupportStatus = support_status.DEFAULT
    schema: Value = None
    ref: str | None = None
    resolves: dataclasses.InitVar[str | None] = None
    wire: str | None = None
    sent: bool = True
    alias_of: str | None = None
    allow_conversion: bool = False
    implemented: bool = True
    names_objects: bool = dataclasses.field(init=False)
    looks_up: bool = dataclasses.field(init=False)

    def __post_init__(self, resolves: str | None) -> None:
        existing = (CustomConstraint(self.ref),) if self.ref else ()
        self.constraints = (*self.constraints, *existing)
        if self.alias_of and self.support is support_status.DEFAULT:
            self.support = support_status.history('hidden')
        self.ref = self.ref or resolves
        #: whether this or a nested schema names a cloud object
        self.names_objects = bool(self.ref)
        #: whether a custom constraint of this or a nested schema may ask the cloud
        self.looks_up = any(isinstance(each, CustomConstraint) for each in self.constraints)
        for nested in _nested_schemas(self.schema):
            self.names_objects |= nested.names_objects
            self.looks_up |= nested.looks_up
        self._check()

    def _check(self) -> None:
        if self.type not in TYPES:
            raise exception.InvalidSchemaError(f'Invalid type ({self.type})')
        nesting = {MAP: dict, LIST: PropertySchema}.get(self.type)
        if self.schema is not None and (nesting is None or not isinstance(self.schema, nesting)):
            raise exception.InvalidSchemaError(f'Items contained in {self.type} do not fit')
        if self.update_allowed and self.immutable:
            raise exception.InvalidSchemaError(
                'Options update_allowed and immutable cannot both be True'
            )
        for constraint in self.constraints:
            if self.type not in (*constraint.valid_types, ANY):
                raise exception.InvalidSchemaError(
                    f'{type(constraint).__name__} constraint invalid for {self.type}'
                )

    @property
    def has_default(self) -> bool:
        return self.default is not None

    @property
    def hidden(self) -> bool:
        return self.support.status == support_status.HIDDEN

    def key(self, name: str) -> str:
        """Return the key of the property in the body of a request."""
        if self.wire == ID_OF_NAME:
            return ID_OF_NAME.format(name.removesuffix('_id'))
        return self.wire or name

    def children(self) -> Value:
        """Return the nested schemas by name: those of a map, or of the maps in a list."""
        if self.type == LIST and self.schema is not None:
            return self.schema.schema if self.schema.type == MAP else None
        return self.schema if self.type == MAP else None

    def map_nested(self, value: Value, change: Callable[['PropertySchema', Value], Value]) -> Value:
        """Return a copy of a list or a map with ``change(schema, part)`` of what has a schema.

        Another value is returned as it is. Errors get the key of the part before their path.
        """
        if self.schema is None:
            return value
        if self.type == LIST and isinstance(value, list | tuple):
            return [_change(index, self.schema, part, change) for index, part in enumerate(value)]
        if self.type == MAP and isinstance(value, Mapping):
            return {
                key: _change(key, self.schema[key], part, change) if key in self.schema else part
                for key, part in value.items()
            }
        return value

    @classmethod
    def from_parameter(cls, parameter: ParameterSchema) -> 'PropertySchema':
        """Return the property for a parameter of a template that serves as a resource type.

        The property has no default: without a value, the parameter's own default applies.
        """
        return cls(
            parameter_types.PROPERTY_TYPES[parameter.type],
            parameter.description,
            required=parameter.required,
            constraints=parameter.constraints,
            update_allowed=True,
            immutable=False,
            allow_conversion=parameter.type in (parameter_types.JSON, parameter_types.LIST),
        )

    def to_wire(self) -> dict[str, Value]:
        """Return the schema as GET resource_types/{type} shows it, with all nested properties.

        The caller leaves out hidden properties (see the function ``to_wire``).
        """
        wire = {
            'type': self.type,
            'description': self.description,
            'default': self.default,
            'schema': self._nested_wire() or None,
            'required': self.required,
            'constraints': [constraint.to_wire() for constraint in self.constraints] or None,
            'update_allowed': self.update_allowed,
            'immutable': self.immutable,
        }
        return without_none(wire)

    def _nested_wire(self) -> Value:
        if self.type == LIST:
            return {'*': self.schema.to_wire()} if self.schema is not None else None
        if not self.schema:
            return None
        return {name: schema.to_wire() for name, schema in self.schema.items()}

    def __repr__(self) -> str:
        return f'PropertySchema({self.type}, {self.description!r})'


Change: TypeAlias = Callable[[PropertySchema, Value], Value]


def _change(key: int | str, schema: PropertySchema, value: Value, change: Change) -> Value:
    try:
        return change(schema, value)
    except exception.StackValidationFailed as error:
        raise error.prefixed(key) from error.__cause__


class SchemaMap(Mapping):
    """A map whose keys are those of ``schemata``."""

    schemata: Mapping[str, Value]

    def __iter__(self) -> Iterator:
        return iter(self.schemata)

    def __len__(self) -> int:
        return len(self.schemata)

    def __contains__(self, key: object) -> bool:
        return key in self.schemata


def _nested_schemas(schema: Value) -> Iterable | tuple:
    if isinstance(schema, dict):
        return schema.values()
    return () if schema is None else (schema,)


def to_wire(schemata: Mapping) -> dict:
    """Return the schemas that users may use, by name, as the API shows them."""
    return {name: schema.to_wire() for name, schema in visible(schemata).items()}


def visible(schemata: Mapping) -> dict:
    """Return the schemas that are neither hidden nor of properties that are not implemented."""
    return {
        name: schema
        for name, schema in schemata.items()
        if not schema.hidden and getattr(schema, 'implemented', True)
    }


def _property(type: str, description: str | None = None, **options: Value) -> PropertySchema:
    """Return a schema. Beside its options are ``min`` and ``max`` (of a number, or of a length),
    ``allowed``, ``pattern`` and ``custom`` for constraints, ``ours`` for allowed values that Heat
    does not have, and ``since`` or ``history`` for the support status.
    """
    constraints = [*options.pop('constraints', ())]
    if options.keys() & {'min', 'max'}:
        bounds = Range if type in Range.valid_types else Length
        constraints.append(bounds(options.pop('min', None), options.pop('max', None)))
    more = {'ours': options.pop('ours')} if 'ours' in options else {}
    for name, kind in _CONSTRAINTS.items():
        if name in options:
            constraints.append(kind(options.pop(name), **more))
    return PropertySchema(type, description, constraints=constraints, **_with_support(options))


def _with_support(options: dict[str, Value]) -> dict[str, Value]:
    for name, make in _SUPPORT.items():
        if name in options:
            options['support'] = make(options.pop(name))
    return options


string = functools.partial(_property, STRING)
integer = functools.partial(_property, INTEGER)
number = functools.partial(_property, NUMBER)
boolean = functools.partial(_property, BOOLEAN)
any_ = functools.partial(_property, ANY)
#: the number of a TCP or UDP port
port_number = functools.partial(integer, min=1, max=65535)


def map_(
    description: str | None = None, keys: dict | None = None, **options: Value
) -> PropertySchema:
    """Return the schema of a map; ``keys`` maps names to schemas, None allows any keys."""
    return _property(MAP, description, schema=keys, **options)


def list_(
    description: str | None = None, item: PropertySchema | dict | None = None, **options: Value
) -> PropertySchema:
    """Return the schema of a list; ``item`` is the schema of each item, None allows any.

    A dictionary stands for items that are maps with these keys.
    """
    if isinstance(item, dict):
        item = map_(None, item)
    return _property(LIST, description, schema=item, **options)


def switch(description: str, default: bool = True, **options: Value) -> PropertySchema:
    """Return the schema of a boolean with a default that updates can change."""
    return boolean(description, default=default, update_allowed=True, **options)


def alias(
    target: str, ref: str, history: str = 'hidden 5.0.0, deprecated 2014.2'
) -> PropertySchema:
    """Return the schema of a former name of the property ``target``, which names an object of the
    kind ``ref``.
    """
    return string(ref=ref, history=history, alias_of=target)


def reference(kind: str, description: str, **options: Value) -> PropertySchema:
    """Return the schema of an object of a kind, by name or id; requests have its id as NAME_id."""
    return string(description, ref=kind, wire=ID_OF_NAME, **options)


def parent(kind: str, description: str, **options: Value) -> PropertySchema:
    """Return the schema of an object of a kind, by name or id, that is in the path of requests."""
    return string(description, required=True, ref=kind, sent=False, **options)


def name_property(update_allowed: bool = True, **options: Value) -> PropertySchema:
    """Return the schema of the name of an object."""
    return string(
        'Name of the object. If omitted, a name is generated from the names of the stack and of '
        'the resource.',
        update_allowed=update_allowed,
        **options,
    )


def description_property(update_allowed: bool = True, **options: Value) -> PropertySchema:
    """Return the schema of the description of an object."""
    return string(
        'Human-readable description of the object.', update_allowed=update_allowed, **options
    )


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class AttributeSchema:
    """The schema of an attribute; with ``cache_mode`` CACHE_NONE its value is never cached."""

    description: str | None = None
    type: str | None = None
    _: dataclasses.KW_ONLY
    support: support_status.SupportStatus = support_status.DEFAULT
    cache_mode: str = CACHE_LOCAL
    wire: str | None = None

    def __post_init__(self) -> None:
        if self.type is not None and self.type not in TYPES:
            raise exception.InvalidSchemaError(f'Invalid type ({self.type})')

    @property
    def hidden(self) -> bool:
        return self.support.status == support_status.HIDDEN

    def key(self, name: str) -> str:
        """Return the key of the attribute in the response of the cloud."""
        return self.wire or name

    def to_wire(self) -> Value:
        """Return the schema as GET resource_types/{type} shows it."""
        wire: dict[str, Value] = {'description': self.description}
        if self.type is not None:
            wire['type'] = self.type
        return wire

    def __repr__(self) -> str:
        return f'AttributeSchema({self.description!r}, {self.type})'


def _attribute(
    type: str | None, description: str | None = None, **options: Value
) -> AttributeSchema:
    return AttributeSchema(description, type, **_with_support(options))


#: an attribute without a declared type
any_attribute = functools.partial(_attribute, None)
text = functools.partial(_attribute, STRING)
#: a text that the type is asked for each time
live_text = functools.partial(text, cache_mode=CACHE_NONE)
integer_attribute = functools.partial(_attribute, INTEGER)
number_attribute = functools.partial(_attribute, NUMBER)
boolean_attribute = functools.partial(_attribute, BOOLEAN)
map_attribute = functools.partial(_attribute, MAP)
list_attribute = functools.partial(_attribute, LIST)


def attributes(schemata: Mapping[str, AttributeSchema | str]) -> dict[str, AttributeSchema]:
    """Return schemas of attributes; a description alone stands for that of a text."""
    return {
        name: text(schema) if isinstance(schema, str) else schema
        for name, schema in schemata.items()
    }
