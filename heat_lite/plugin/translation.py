"""Rules that translate deprecated properties into their replacements."""

import dataclasses
from collections.abc import Callable, Sequence

from heat_lite.clients.client_plugin import ErrorClassifier
from heat_lite.common.value_types import Value, Values
from heat_lite.template import translation

ADD, REPLACE, DELETE, RESOLVE = RULE_KEYS = 'Add', 'Replace', 'Delete', 'Resolve'


class TranslationRule:
    """One rule; a type returns its rules from ``translation_rules(properties)``."""

    ADD, REPLACE, DELETE, RESOLVE, RULE_KEYS = ADD, REPLACE, DELETE, RESOLVE, RULE_KEYS

    def __init__(
        self,
        properties: Value,
        rule: str,
        translation_path: Sequence[str],
        value: Value = None,
        value_name: str | None = None,
        value_path: Sequence[str] | None = None,
        client_plugin: ErrorClassifier | None = None,
        finder: str | Callable[..., Value] | None = None,
        entity: str | None = None,
        custom_value_path: Sequence[str] | None = None,
    ) -> None:
        if rule not in RULE_KEYS:
            raise ValueError(
                f'There is no rule {rule}. List of allowed rules is: {", ".join(RULE_KEYS)}.'
            )
        self.rule, self.path = rule, tuple(translation_path)
        self.value = value
        self.source = (value_name,) if value_name else tuple(value_path or ())
        self.find = _finder(client_plugin, finder, entity)

    def template_rule(self) -> translation.Rule:
        """Return the rule as an object of the template library."""
        if self.rule == ADD:
            return translation.Add(self.path, self.value or [])
        if self.rule == DELETE:
            return translation.Delete(self.path)
        if self.rule == RESOLVE:
            return Resolve(self.path, self.find)
        common = self.path[:-1] == self.source[:-1]
        return translation.Replace(
            self.path, self.source[-1:] if common else self.source, self.value
        )


def _finder(
    plugin: ErrorClassifier | None, finder: str | Callable[..., Value] | None, entity: str | None
) -> Callable[[Value], Value]:
    """Return the function that returns the id of an object by its name or id."""
    if finder is None:
        return lambda value: value
    find = getattr(plugin, finder) if isinstance(finder, str) else finder
    return (lambda value: find(entity, value)) if entity else find


@dataclasses.dataclass(frozen=True)
class Resolve(translation.Rule):
    """Rule that replaces a name, or each name of a list, by the id of the object."""

    path: tuple
    find: Callable[[Value], Value]

    def _change(self, level: Values) -> Values:
        name = self.path[-1]
        value = level.get(name)
        if value is None:
            return level
        return {
            **level,
            name: [self.find(each) for each in value]
            if isinstance(value, list)
            else self.find(value),
        }
