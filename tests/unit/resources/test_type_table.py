"""The table of resource types and the classes in the package agree."""

import importlib
import pkgutil

from heat_lite import resources
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.base import hidden_types
from heat_lite.resources.type_table import TYPES


def scanned_types():
    """Return ``{type name: (module, class name)}`` of the classes in all modules of the package."""
    found = {}
    for each in pkgutil.walk_packages(resources.__path__, f'{resources.__name__}.'):
        module = importlib.import_module(each.name)
        for name, kind in vars(module).items():
            if (
                isinstance(kind, type)
                and issubclass(kind, Resource)
                and kind.__module__ == module.__name__
                and 'resource_type' in vars(kind)
            ):
                assert kind.resource_type not in found, f'{kind.resource_type} is defined twice'
                found[kind.resource_type] = (module.__name__, name)
    return found


def hidden():
    return {
        type_name: location
        for type_name, location in resources.class_locations().items()
        if location[0] == hidden_types.__name__
    }


def test_type_table_lists_each_class_of_the_package():
    assert {**scanned_types(), **hidden()} == resources.class_locations()


def test_type_table_lists_each_hidden_type():
    rows = {row[0]: hidden_types.class_name(row[0]) for row in hidden_types.ROWS.values()}
    assert rows == {type_name: name for type_name, (_, name) in hidden().items()}


def test_type_table_is_sorted():
    assert list(TYPES) == sorted(TYPES)


def test_type_table_entry_resolves_to_a_class():
    registry = resources.build_registry()
    assert all(issubclass(registry.get(type_name), Resource) for type_name in TYPES)
