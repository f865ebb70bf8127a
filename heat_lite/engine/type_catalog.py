"""The resource types of a registry, in the form that the linter uses.

Tests: tests/unit/template/test_json_schema.py.
"""

import fnmatch
import functools
import inspect
from collections.abc import Iterable

from heat_lite.engine.registry import Registry
from heat_lite.engine.resource import resource
from heat_lite.template import constraints
from heat_lite.template.environment import RESOURCE_REGISTRY, Environment
from heat_lite.template.lint.type_info import TypeInfo


class TypeCatalog:
    """All resource types of a registry.

    ``base``: its mappings, without the templates, which are types here. ``foreign`` are patterns
    of types whose schemas are unknown.
    """

    def __init__(self, registry: Registry, foreign: Iterable[str] = ()) -> None:
        self.registry = registry
        self.base = Environment({RESOURCE_REGISTRY: registry.aliases()})
        self._foreign = tuple(foreign)
        self._names = frozenset(registry.names())

    def names(self) -> list[str]:
        return self.registry.names()

    def constraint_names(self) -> list[str]:
        """Return the names of custom constraints, those of plug-ins included."""
        return [*constraints.FORMATS, *self.registry.constraint_names()]

    def knows(self, name: str) -> bool:
        """Whether a type exists, be it a class or a template of the package."""
        return name in self._names or self._is_foreign(name)

    def full_name(self, word: str) -> str:
        """Return the type whose name ends with ``word``: ``Server`` is OS::Nova::Server.

        A word that ends several types, or none, is returned as it is.
        """
        ends = [each for each in self._names if each.rpartition('::')[2].lower() == word.lower()]
        native = [each for each in ends if each.startswith('OS::')] or ends
        return native[0] if len(native) == 1 else word

    def _is_foreign(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self._foreign)

    @functools.cache  # noqa: B019 - lives as long as the program
    def get(self, name: str) -> TypeInfo:
        if name not in self._names:
            return TypeInfo(name, None)
        cls = self.registry.get(name)
        # A type that overrides has_attribute has attributes that are in no schema. A placeholder
        # of a hidden type accepts any property.
        attributes = properties = None
        if cls.has_attribute is resource.Resource.has_attribute:
            attributes = cls.all_attributes_schema()
        if not getattr(cls, 'accepts_any_property', False):
            properties = cls.properties_schema
        return TypeInfo(
            name,
            properties,
            attributes,
            cls.update_policy_schema,
            cls.support_status,
            inspect.getdoc(cls) or '',
        )
