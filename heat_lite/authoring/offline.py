"""The commands that need no service. They start without the libraries of databases and clouds."""

import functools
import importlib
import importlib.util
import sys

from heat_lite.startup import lazy_imports

#: Modules of this package that only a running service uses, and that import large libraries.
SERVICE_MODULES = tuple(
    f'heat_lite.{name}'
    for name in (
        *('clients.client_plugin', 'clients.cloud_login', 'clients.errors', 'clients.keystone'),
        *('clients.keystone_session', 'clients.rest', 'clients.trusts', 'common.urlfetch', 'conf'),
        *('db.column_types', 'db.credentials', 'db.encryption', 'db.events', 'db.journal'),
        *('db.queries', 'db.resources', 'db.software', 'db.snapshots', 'db.stack_creation'),
        *('db.stacks', 'db.sync_points', 'db.templates', 'db.traversals'),
    )
)
#: Libraries that their users import as a whole
LIBRARIES = ('croniter', 'oslo_db.exception', 'regex', 'requests', 'yaql')


def _run(module, argv=None):
    """Run a command of this package. Return its exit status."""
    lazy_imports.install((*SERVICE_MODULES, *LIBRARIES))
    return importlib.import_module(f'heat_lite.authoring.{module}').main(
        sys.argv[1:] if argv is None else argv
    )


def lsp(argv=None):
    """Run ``heat-lite lsp``, which needs the package pygls. Return its exit status."""
    if importlib.util.find_spec('pygls') is None:
        print(
            "heat-lite lsp: the package pygls is missing: pip install 'heat-lite[lsp]'",
            file=sys.stderr,
        )
        return 2
    return _run('lsp', argv)


convert = functools.partial(_run, 'convert')
docs = functools.partial(_run, 'docs')
fmt = functools.partial(_run, 'fmt')
init = functools.partial(_run, 'init')
lint = functools.partial(_run, 'lint')
schema = functools.partial(_run, 'schema')
test = functools.partial(_run, 'template_tests.command')


def template_graph(name, environments, depth):
    """Return the nodes of the graph of a template (see ``authoring.template_graph``)."""
    lazy_imports.install((*SERVICE_MODULES, *LIBRARIES))
    module = importlib.import_module('heat_lite.authoring.template_graph')
    return module.nodes(name, environments, depth)
