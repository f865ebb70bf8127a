"""The settings of the linter, from ``.heat-lint.yaml`` and the command line."""

import dataclasses
import fnmatch
from collections.abc import Iterable, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import reader
from heat_lite.template.lint.finding import ERROR, LEVELS, OFF
from heat_lite.template.lint.rules import RULES
from heat_lite.template.lint.rules.properties import check_not_in_heat
from heat_lite.template.suggest import with_suggestion

_RULES = [rule.name for rule in RULES]
_LISTS = ('environments', 'ignore', 'resource_types', 'plugin_dirs')


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of one run.

    ``levels`` is ``{rule: level or OFF}``. ``ignore`` are patterns of paths that folders leave out,
    ``environments`` are files that each run includes, ``resource_types`` are patterns of types that
    exist and are not checked, ``plugin_dirs`` are folders of plug-ins.
    """

    levels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    resource_types: tuple[str, ...] = ()
    plugin_dirs: tuple[str, ...] = ()

    def off(self) -> list[str]:
        """Return the rules that do not run."""
        return [rule for rule, level in self.levels.items() if level == OFF]

    def is_ignored(self, path: str) -> bool:
        """Whether a path, relative to the file of the settings, matches a pattern or is below it.

        ``*`` matches slashes, too.
        """
        return any(
            fnmatch.fnmatchcase(path, pattern) or path.startswith(pattern.rstrip('/') + '/')
            for pattern in self.ignore
        )

    def without_rules(self, rules: Iterable[str]) -> 'Settings':
        """Return the same settings with further rules off."""
        return dataclasses.replace(self, levels={**self.levels, **dict.fromkeys(rules, OFF)})

    def for_heat(self) -> 'Settings':
        """Return the same settings, with what Heat does not have as an error."""
        return dataclasses.replace(self, levels={**self.levels, check_not_in_heat.name: ERROR})


def parse(text: str, name: str) -> Settings:
    """Return the settings in a text. Raises ValueError, which names the file and the mistake."""
    try:
        data = reader.parse(text, name=name) if text.strip() else {}
        return _settings(data)
    except ValueError as error:
        raise ValueError(f'{name}: {error}') from None


def _settings(data: Mapping[str, Value]) -> Settings:
    known = ('rules', *_LISTS)
    for key in data:
        if key not in known:
            raise ValueError(with_suggestion(f'There is no setting "{key}"', str(key), known))
    lists = {key: _strings(key, data.get(key)) for key in _LISTS}
    return Settings(levels=_levels(data.get('rules') or {}), **lists)


def _strings(key: str, value: Value) -> tuple[str, ...]:
    values = [] if value is None else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise ValueError(f'The setting "{key}" must be a list of strings')
    return tuple(values)


def _levels(rules: Value) -> dict[str, Value]:
    if not isinstance(rules, dict):
        raise ValueError('The setting "rules" must map rules to levels')
    return {rule: _level(rule, level) for rule, level in rules.items()}


def _level(rule: str, level: bool | str) -> str:
    if rule not in _RULES:
        raise ValueError(with_suggestion(f'There is no rule "{rule}"', str(rule), _RULES))
    level = OFF if level is False else level  # YAML reads off as false
    if level not in (OFF, *LEVELS):
        raise ValueError(f'The level of "{rule}" must be one of {OFF}, {", ".join(LEVELS)}')
    return level
