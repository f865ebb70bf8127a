"""Rules that bring older ways of writing properties into the present one, in the words of Heat's plug-ins."""

import dataclasses

from heat_lite.template import translation

ADD, REPLACE, DELETE, RESOLVE = RULE_KEYS = 'Add', 'Replace', 'Delete', 'Resolve'


class TranslationRule:
    """One rule; a type gives those it has in ``translation_rules(properties)``."""

    ADD, REPLACE, DELETE, RESOLVE, RULE_KEYS = ADD, REPLACE, DELETE, RESOLVE, RULE_KEYS

    def __init__(
        self,
        properties,
        rule,
        translation_path,
        value=None,
        value_name=None,
        value_path=None,
        client_plugin=None,
        finder=None,
        entity=None,
        custom_value_path=None,
    ):
        if rule not in RULE_KEYS:
            raise ValueError(f'There is no rule {rule}. List of allowed rules is: {", ".join(RULE_KEYS)}.')
        self.rule, self.path = rule, tuple(translation_path)
        self.value = value
        self.source = (value_name,) if value_name else tuple(value_path or ())
        self.find = _finder(client_plugin, finder, entity)

    def as_ours(self):
        """The rule as the template library knows it."""
        if self.rule == ADD:
            return translation.Add(self.path, self.value or [])
        if self.rule == DELETE:
            return translation.Delete(self.path)
        if self.rule == RESOLVE:
            return Resolve(self.path, self.find)
        common = self.path[:-1] == self.source[:-1]
        return translation.Replace(self.path, self.source[-1:] if common else self.source, self.value)


def _finder(plugin, finder, entity):
    """What gives the id of what a value names."""
    if finder is None:
        return lambda value: value
    find = getattr(plugin, finder) if isinstance(finder, str) else finder
    return (lambda value: find(entity, value)) if entity else find


@dataclasses.dataclass(frozen=True)
class Resolve(translation.Rule):
    """A name gives way to the id of what it names; of a list, each of them."""

    path: tuple
    find: object

    def _change(self, level):
        name = self.path[-1]
        value = level.get(name)
        if value is None:
            return level
        return {**level, name: [self.find(each) for each in value] if isinstance(value, list) else self.find(value)}
