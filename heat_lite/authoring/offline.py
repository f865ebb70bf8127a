"""The commands that need no service. They start without the libraries of databases and clouds."""

import functools
import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

from heat_lite.authoring import time_limit
from heat_lite.startup import lazy_imports

#: Modules of this package that only a running service uses, and that import large libraries.
SERVICE_MODULES = tuple(
    f'heat_lite.{name}'
    for name in (
        *('clients.client_plugin', 'clients.cloud_login', 'clients.errors', 'clients.keystone'),
        *('clients.keystone_session', 'clients.rest', 'clients.trusts', 'common.urlfetch', 'conf'),
        *('db.column_types', 'db.credentials', 'db.encryption', 'db.events', 'db.journal'),
        *('db.revisions', 'db.services'),
        *('db.queries', 'db.resources', 'db.software', 'db.snapshots', 'db.stack_creation'),
        *('db.stacks', 'db.sync_points', 'db.templates', 'db.traversals'),
    )
)
#: seconds for the warnings of another command
WARNING_SECONDS = 10
#: Libraries that their users import as a whole
LIBRARIES = ('croniter', 'oslo_db.exception', 'regex', 'requests', 'yaql')


def _import(name: str) -> ModuleType:
    lazy_imports.install((*SERVICE_MODULES, *LIBRARIES))
    return importlib.import_module(name)


def run(module: str, argv: list[str]) -> int:
    """Run ``main`` of a module. Return its exit status. Editors need the package pygls."""
    if module.endswith('.lsp') and importlib.util.find_spec('pygls') is None:
        print(
            "heat-lite lsp: the package pygls is missing: pip install 'heat-lite[lsp]'",
            file=sys.stderr,
        )
        return 2
    return _import(module).main(argv)


def show_warnings(names: Sequence[str], texts: Mapping[str, str]) -> None:
    """Show the warnings of the linter about files with these texts."""
    work = functools.partial(_import('heat_lite.authoring.lint').show_warnings, names, texts)
    time_limit.exit_status('heat-lite lint', WARNING_SECONDS, work)


def template_graph(name: str, environments: Sequence[str], depth: int) -> list:
    """Return the nodes of the graph of a template (see ``authoring.template_graph``)."""
    return _import('heat_lite.authoring.template_graph').nodes(name, environments, depth)
