"""The commands that need no service. They start without the libraries of databases and clouds."""

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


def lint(argv=None):
    """Run ``heat-lite lint``. Return its exit status."""
    return _run('heat_lite.authoring.lint', argv)


def test(argv=None):
    """Run ``heat-lite test``. Return its exit status."""
    return _run('heat_lite.authoring.template_tests.command', argv)


def schema(argv=None):
    """Run ``heat-lite schema``. Return its exit status."""
    return _run('heat_lite.authoring.schema', argv)


def lsp(argv=None):
    """Run ``heat-lite lsp``, which needs the package pygls. Return its exit status."""
    if importlib.util.find_spec('pygls') is None:
        print(
            "heat-lite lsp: the package pygls is missing: pip install 'heat-lite[lsp]'",
            file=sys.stderr,
        )
        return 2
    return _run('heat_lite.authoring.lsp', argv)


def fmt(argv=None):
    """Run ``heat-lite fmt``. Return its exit status."""
    return _run('heat_lite.authoring.fmt', argv)


def docs(argv=None):
    """Run ``heat-lite docs``. Return its exit status."""
    return _run('heat_lite.authoring.docs', argv)


def init(argv=None):
    """Run ``heat-lite init``. Return its exit status."""
    return _run('heat_lite.authoring.init', argv)


def convert(argv=None):
    """Run ``heat-lite convert``. Return its exit status."""
    return _run('heat_lite.authoring.convert', argv)


def template_graph(name, environments, depth):
    """Return the nodes of the graph of a template (see ``authoring.template_graph``)."""
    lazy_imports.install((*SERVICE_MODULES, *LIBRARIES))
    module = importlib.import_module('heat_lite.authoring.template_graph')
    return module.nodes(name, environments, depth)


def _run(module, argv):
    lazy_imports.install((*SERVICE_MODULES, *LIBRARIES))
    return importlib.import_module(module).main(sys.argv[1:] if argv is None else argv)
