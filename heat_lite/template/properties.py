"""The properties of a resource, read from its definition through the schemas of its type."""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Self, TypeAlias

from heat_lite.common import exception, lru_cache
from heat_lite.common.value_types import Value
from heat_lite.template import checks, coercion, function, translation
from heat_lite.template.checks import raise_first
from heat_lite.template.coercion import CheckOptions
from heat_lite.template.constraints import LIST, MAP, Convert, Lookup
from heat_lite.template.function import ARGUMENT_ERRORS, Function, is_omitted
from heat_lite.template.schema import PropertySchema, SchemaMap
from heat_lite.template.unknown import Unknown

#: returns the id of the object of a kind that a value names
Find: TypeAlias = Callable[[str, Value], Value]
_UNREAD = object()
#: types whose schemata are looked at once
MAX_FACTS = 500


def _as_is(snippet: Value) -> Value:
    return snippet


class Properties(SchemaMap):
    """A map of all properties of a type; reading a value resolves, converts and checks it.

    Values without functions are cached. Values with functions are resolved at each read, since
    the referenced resources may have changed.

    ``data`` is the parsed section of the definition. ``resolve(snippet)`` resolves functions.
    ``lookup(kind, value)`` checks names of cloud objects (see ``constraints``). ``find(kind,
    value)`` returns the id of the cloud object that a property with a ``ref`` names.
    A value that is not known yet is an Unknown.

    Errors are StackValidationFailed. The path of an error is ``(section, ...)`` from ``validate``,
    where the caller prepends the resource, and ``(name, Section, ...)`` from a read.
    """

    def __init__(
        self,
        schemata: Mapping[str, PropertySchema],
        data: Mapping[str, Value] | None = None,
        resolve: Convert = _as_is,
        name: str = '',
        section: str = 'properties',
        lookup: Lookup | None = None,
        *,
        find: Find | None = None,
        rules: tuple[translation.Rule, ...] = (),
    ) -> None:
        self.schemata = schemata
        self.data: Mapping[Value, Value] = data or {}
        self.name = name
        self.section = section
        self.resolve = resolve
        self._find: Any = find
        self._rules = rules
        self.options = coercion.CheckOptions(True, lookup)
        self._facts = _facts_of(schemata)
        self._values: dict[str, Value] = {}
        self._translated = None
        #: whether an invalid value is read as one that is not known
        self.forgives = False

    def with_rules(self, rules: Iterable[translation.Rule]) -> Self:
        """Add translation rules (see ``translation``) and return self."""
        self._rules = (*self._rules, *rules)
        self._values.clear()  # the rules may have been made of values read before
        return self

    # ------------------------------------------------------------ reading

    def __getitem__(self, key: str) -> Value:
        value = self._values.get(key, _UNREAD)
        if value is not _UNREAD:
            return value
        try:
            value = self._read(key, self.options)
            if self._find is not None and self.schemata[key].names_objects:
                value = replace_names(self.schemata[key], value, self._find)
        except exception.StackValidationFailed as error:
            raise error.prefixed(self.name, self.section.title(), key) from error.__cause__
        if self._is_constant(key):
            self._values[key] = value
        return value

    def resolved(self) -> dict[str, Value]:
        """Return the values of all properties."""
        with self.translated_once():
            return {key: self[key] for key in self.schemata}

    def given(self) -> dict[str, Value]:
        """Return the values of the properties that the definition sets, without aliases."""
        return {key: self[key] for key in self.schemata if self.is_given(key)}

    def preview(self, required: bool = True) -> dict[str, Value]:
        """Return the values of all properties, with names of cloud objects as they are given.

        Unless they are ``required``, others than the given are defaults.
        """
        return {
            key: self.value_without_lookup(key) if required or self.is_given(key) else each.default
            for key, each in self.schemata.items()
        }

    def is_given(self, key: str) -> bool:
        """Return whether the definition sets the property to a value."""
        source = self._source(key)
        return (
            source is not None
            and not is_omitted(self.data.get(source))
            and self._raw(source) is not None
        )

    def raw_values(self, without: Collection[str] = ()) -> dict[str, Value]:
        """Return the given values by property: resolved, but not converted and without ids."""
        if not self._rules and not self._facts.aliases:
            return {
                key: self._resolve_nested(value)
                for key, value in self.data.items()
                if key in self.schemata and key not in without and not is_omitted(value)
            }
        with self.translated_once():
            sources = {key: self._source(key) for key in self.schemata if key not in without}
            return {
                key: self._value(source)
                for key, source in sources.items()
                if source is not None and not is_omitted(self.data.get(source))
            }

    def given_values(self) -> dict[str, Value]:
        """Return the values as the definition gives them: resolved, without rules and defaults."""
        return {
            name: self._resolve_nested(value)
            for name, value in self.data.items()
            if not is_omitted(value)
        }

    def user_value(self, key: str) -> Value:
        """Return the value in the definition, resolved, but without conversion and default."""
        if key not in self.schemata:
            raise self._invalid(key)
        return self._value(key)

    def value_without_lookup(self, key: str) -> Value:
        """Return the value without looking up the cloud objects that it names.

        Validation needs it: the objects may not exist yet.
        """
        return self._read(key, coercion.LENIENT)

    # ------------------------------------------------------------ checking

    def validate(self, with_value: bool = True) -> None:
        """Raise StackValidationFailed for unknown properties.

        With ``with_value``, also for missing values, wrong types and violated constraints.
        """
        raise_first(checks.property_names(self.schemata, self.data, (self.section,)))
        if with_value:
            with self.translated_once():
                for key in self._facts.to_validate(self):
                    self._validate(key)

    def _validate(self, key: str) -> None:
        if key in self._values:
            return
        try:
            self._read(key, self.options)
        except exception.StackValidationFailed as error:
            path = (self.section, key) if self._source(key) is not None else (self.section,)
            raise error.prefixed(*path) from error.__cause__

    # ------------------------------------------------------------ sources of values

    def _read(self, key: str, options: CheckOptions) -> Value:
        schema = self.schemata.get(key)
        if schema is None:
            raise self._invalid(key)
        if not self.forgives:
            return self._converted(key, schema, options)
        try:
            return self._converted(key, schema, options)
        except (exception.HeatException, *ARGUMENT_ERRORS):
            return Unknown(schema.type)

    def _converted(self, key: str, schema: PropertySchema, options: CheckOptions) -> Value:
        source = self._source(key)
        if source is None or is_omitted(self.data.get(source)):
            return coercion.missing_value(key, schema)
        try:
            return coercion.convert(schema, self._value(source), options)
        except coercion.AliasConflict as conflict:
            raise checks.property_conflict(conflict.prefixed(key).names).error from None
        except (
            exception.UserParameterMissing,
            exception.InvalidTemplateReference,
            *ARGUMENT_ERRORS,
        ) as error:
            # the resolution of a function failed
            raise exception.StackValidationFailed.from_error(
                error, error=checks.PROPERTY_ERROR
            ) from error

    def _is_constant(self, key: str) -> bool:
        """Return whether the value contains no function, and so can be cached.

        With aliases or rules the value may come from any property, so all must be constant.
        """
        return _has_no_functions(
            self.data if self._facts.aliases or self._rules else self.data.get(key)
        )

    def _source(self, key: str) -> str | None:
        """Return the key of the definition that holds a property, None if it is not given."""
        if not self._facts.aliases and not self._rules:
            return key if key in self.data else None
        try:
            return coercion.source_name(key, self._facts.aliases, self._translation())
        except coercion.AliasConflict as conflict:
            raise checks.property_conflict(conflict.names).error from None

    def _translation(self) -> Value:
        """Return the given values after translation by the rules."""
        if not self._rules:
            return self.data
        if self._translated is not None:
            return self._translated
        given = {key: self._resolve_nested(value) for key, value in self.data.items()}
        try:
            return translation.translate(self._rules, given)
        except coercion.AliasConflict as conflict:
            raise checks.property_conflict(conflict.names).error from None

    def translated_once(self) -> contextlib.AbstractContextManager[None]:
        """Apply the rules once for all properties that are read within this context."""
        return self._translated_within() if self._rules else contextlib.nullcontext()

    @contextlib.contextmanager
    def _translated_within(self) -> Iterator[None]:
        self._translated = self._translation()
        try:
            yield
        finally:
            self._translated = None

    def _raw(self, source: str) -> Value:
        return self._translation()[source]

    def _value(self, source: str) -> Value:
        given = self._translation()
        return given.get(source) if self._rules else self._resolve_nested(given.get(source))

    def _resolve_nested(self, snippet: Value) -> Value:
        return self.resolve(snippet) if isinstance(snippet, Function | dict | list) else snippet

    def _invalid(self, key: str) -> Exception:
        return KeyError(f'{self.name}: Invalid Property {key}')


class _Facts:
    """What reading and validation need of the schemata of a type."""

    def __init__(self, schemata: Mapping[str, Value]) -> None:
        self.schemata = schemata
        self.aliases = coercion.aliases_of(schemata)
        self.order = {key: number for number, key in enumerate(schemata)}
        #: the properties that are validated even if they are not given
        self.demanding = {
            key
            for key, schema in schemata.items()
            if schema.required or (schema.has_default and schema.type in (LIST, MAP))
        }

    def to_validate(self, properties: Properties) -> Iterable[str]:
        """Return the properties whose values can be invalid, in order."""
        if self.aliases or properties._rules:
            return properties.schemata
        given = [key for key in properties.data if key in self.order]
        if not self.demanding and len(given) < 2:
            return given
        return sorted({*given, *self.demanding}, key=self.order.__getitem__)


#: By the id of the schemata, which the value keeps alive. A template that is a type makes new
#: schemata for each resource.
_known_facts = lru_cache.LruCache(MAX_FACTS, MAX_FACTS, lambda facts: 1, is_cheap=True)


def _facts_of(schemata: Mapping[str, Value]) -> _Facts:
    found = _known_facts.get(id(schemata))
    if found is None or found.schemata is not schemata or len(found.order) != len(schemata):
        found = _known_facts.put(id(schemata), _Facts(schemata))
    return found


def _has_no_functions(snippet: Value) -> bool:
    if not isinstance(snippet, Function | dict | list):
        return True
    return next(function.nodes(snippet), None) is None


def replace_names(schema: PropertySchema, value: Value, find: Find) -> Value:
    """Return the value with the names of cloud objects replaced by ids."""
    if value is None or isinstance(value, Unknown) or value == '' or not schema.names_objects:
        return value
    if schema.ref:
        return (
            [item if isinstance(item, Unknown) else find(schema.ref, item) for item in value]
            if isinstance(value, list | tuple)
            else find(schema.ref, value)
        )
    return schema.map_nested(value, lambda nested, part: replace_names(nested, part, find))


def changed(before: Mapping, after: Mapping) -> set[str]:
    """Return the names whose values differ between two ``Properties`` or maps of values."""
    return {key for key in {**before, **after} if before.get(key) != after.get(key)}
