"""The resource types without a service, for the linter and the JSON Schema."""

from collections.abc import Iterable

from heat_lite import resources
from heat_lite.common import installation
from heat_lite.engine.type_catalog import TypeCatalog
from heat_lite.startup import global_environment, plugins


class OfflineTypes(TypeCatalog):
    """The resource types of the package and of ``plugin_dirs``, folders of plug-ins."""

    def __init__(self, plugin_dirs: Iterable[str] = (), foreign: Iterable[str] = ()) -> None:
        mappings, texts = global_environment.load(
            installation.data_path('etc', 'environment.d'),
            installation.data_path('etc', 'templates'),
        )
        registry = resources.build_registry(mappings, texts)
        if plugin_dirs:
            plugins.install(registry, plugin_dirs)
        super().__init__(registry, foreign)
