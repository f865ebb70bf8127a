"""The properties of a resource: what its definition gives, read through the schemas of its type."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from heat_lite.common import exception
from heat_lite.template import function, translation, values
from heat_lite.template.constraints import LIST, MAP
from heat_lite.template.function import ARGUMENT_ERRORS, Function, omitted
from heat_lite.template.schema import PropertySchema
from heat_lite.template.suggest import say

_UNREAD = object()


def _as_is(snippet):
    return snippet


class Properties(Mapping):
    """A map of all properties of a type, read lazily: a value is resolved, converted and checked when it is asked for.

    Values without functions are kept; those with functions are made anew each time, for what they refer to may have changed.

    ``data`` is the parsed section of the definition. ``resolve`` makes values of its functions, ``lookup(kind, value)`` checks cloud names
    (see ``constraints``), ``find(kind, value)`` gives the ids of what properties with a ``ref`` name. ``pending(snippet)`` tells whether a
    part waits for resources that do not exist yet: then its type is checked, but not its constraints; without ``strict`` that
    goes for all values.

    Errors are StackValidationFailed. ``validate`` puts ``(section, ...)`` into their path, for the caller to say of which resource; a
    failing read says it itself: ``(name, Section, ...)``.
    """

    def __init__(
        self,
        schemata: Mapping[str, PropertySchema],
        data: Mapping[str, Any] | None = None,
        resolve: Callable[[Any], Any] = _as_is,
        name: str = '',
        section: str = 'properties',
        lookup: Callable[[str, Any], str | None] | None = None,
        *,
        find: Callable[[str, Any], Any] | None = None,
        pending: Callable[[Any], bool] | None = None,
        strict: bool = True,
        rules: tuple[translation.Rule, ...] = (),
    ):
        self.schemata = schemata
        self.data = data or {}
        self.name = name
        self.section = section
        self._resolve = resolve
        self._find = find
        self._pending = pending
        self._rules = rules
        self._strict = values.Checks(True, lookup) if strict else values.LENIENT
        self._aliases = values.aliases_of(schemata)
        self._values: dict[str, Any] = {}
        self._translated = None

    def with_rules(self, rules):
        """The same, translated by further rules (see ``translation``)."""
        self._rules = (*self._rules, *rules)
        return self

    # ------------------------------------------------------------ reading

    def __getitem__(self, key):
        value = self._values.get(key, _UNREAD)
        if value is not _UNREAD:
            return value
        try:
            checks = self._checks_for(key)
            value = self._read(key, checks)
            if self._find is not None and checks.strict and self.schemata[key].names_objects:
                value = _find_in(self.schemata[key], value, self._find)
        except exception.StackValidationFailed as error:
            raise error.prefixed(self.name, self.section.title(), key) from error.__cause__
        if self._is_constant(key):
            self._values[key] = value
        return value

    def __iter__(self):
        return iter(self.schemata)

    def __len__(self):
        return len(self.schemata)

    def __contains__(self, key):
        return key in self.schemata

    def resolved(self):
        """The values of all properties."""
        with self._one_translation():
            return {key: self[key] for key in self.schemata}

    def given(self):
        """The values of those properties that the definition sets to something, older names not among them."""
        return {key: self[key] for key in self.schemata if self.is_given(key)}

    def is_given(self, key):
        """Whether the definition sets it to something."""
        source = self._source(key)
        return source is not None and not omitted(self.data.get(source)) and self._raw(source) is not None

    def user_value(self, key):
        """What the definition gives, resolved but neither converted nor defaulted."""
        if key not in self.schemata:
            raise self._invalid(key)
        return self._value(key)

    def unsought(self, key):
        """The value, but for the objects of the cloud that it names: what a template only checks may not be there yet."""
        return self._read(key, values.LENIENT)

    # ------------------------------------------------------------ checking

    def validate(self, with_value: bool = True):
        """Raise for what is wrong: unknown names; with values also missing ones, types and constraints."""
        for key in self.data:
            if key not in self.schemata:
                raise values.refuse(say(f'Unknown Property {key}', key, values.shown(self.schemata)), (self.section,))
            if not self.schemata[key].implemented:
                raise values.refuse(f'Property {key} not implemented yet', (self.section,))
        if with_value:
            with self._one_translation():
                for key in self.schemata:
                    self._validate(key)

    def _validate(self, key):
        if key in self._values:
            return
        try:
            self._read(key, self._checks_for(key))
        except exception.StackValidationFailed as error:
            path = (self.section, key) if self._source(key) is not None else (self.section,)
            raise error.prefixed(*path) from error.__cause__

    # ------------------------------------------------------------ inside

    def _read(self, key, checks):
        schema = self.schemata.get(key)
        if schema is None:
            raise self._invalid(key)
        source = self._source(key)
        if source is None or omitted(self.data.get(source)):
            return values.absent(key, schema, checks)
        try:
            return values.convert(schema, self._value(source), checks)
        except values.Conflict as conflict:
            raise _conflict(conflict.within(key)) from None
        except (exception.UserParameterMissing, exception.InvalidTemplateReference, *ARGUMENT_ERRORS) as error:
            raise values.refuse(str(error), ()) from error  # a function inside of it cannot be resolved

    def _is_constant(self, key):
        """Whether no function has a part in the value. Where names are translated it may come from anywhere."""
        return _plain_data(self.data if self._aliases or self._rules else self.data.get(key))

    def _source(self, key):
        """The name under which the definition gives a property; None when it does not."""
        if not self._aliases and not self._rules:
            return key if key in self.data else None
        try:
            return values.pick(key, self._aliases, self._translation())
        except values.Conflict as conflict:
            raise _conflict(conflict) from None

    def _translation(self):
        """The given values after the rules; without rules, as they were given."""
        if not self._rules:
            return self.data
        if self._translated is not None:
            return self._translated
        given = {key: self._plain(value) for key, value in self.data.items()}
        try:
            return translation.translate(self._rules, given)
        except values.Conflict as conflict:
            raise _conflict(conflict) from None

    @contextlib.contextmanager
    def _one_translation(self):
        """Within it the rules are applied once for all properties."""
        if self._rules:
            self._translated = self._translation()
        try:
            yield
        finally:
            self._translated = None

    def _raw(self, source):
        return self._translation()[source]

    def _value(self, source):
        given = self._translation()
        return given.get(source) if self._rules else self._plain(given.get(source))

    def _plain(self, snippet):
        return self._resolve(snippet) if isinstance(snippet, Function | dict | list) else snippet

    def _checks_for(self, key):
        given = self.data.get(self._source(key)) if self._pending is not None else None
        return values.LENIENT if isinstance(given, Function | dict | list) and self._pending(given) else self._strict

    def _invalid(self, key):
        return KeyError(f'{self.name}: Invalid Property {key}')


def _plain_data(snippet):
    if not isinstance(snippet, Function | dict | list):
        return True
    return next(function.nodes(snippet), None) is None


def _conflict(conflict):
    return exception.ResourcePropertyConflict(
        message=f'Cannot define the following properties at the same time: {", ".join(conflict.names)}'
    )


def _find_in(schema, value, find):
    """The value with the names of cloud objects replaced by ids."""
    if value is None or value == '' or not schema.names_objects:
        return value
    if schema.ref:
        return [find(schema.ref, item) for item in value] if isinstance(value, list | tuple) else find(schema.ref, value)
    if schema.schema is None:
        return value
    if schema.type == LIST and isinstance(value, list | tuple):
        return [_find_below(number, schema.schema, item, find) for number, item in enumerate(value)]
    if schema.type == MAP and isinstance(value, Mapping):
        return {key: _find_below(key, schema.schema[key], item, find) if key in schema.schema else item for key, item in value.items()}
    return value


def _find_below(step, schema, value, find):
    try:
        return _find_in(schema, value, find)
    except exception.StackValidationFailed as error:
        raise error.prefixed(step) from error.__cause__


def changed(before, after):
    """The names of the properties whose values differ between two ``Properties`` of one type, or two maps of resolved values."""
    return {key for key in {**before, **after} if before.get(key) != after.get(key)}
