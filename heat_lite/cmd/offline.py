"""The resource types without a service: what the linter and the schema for editors ask of them, with no database, cloud or network."""

import functools

from heat_lite import resources
from heat_lite.cmd import operator_types
from heat_lite.common import context, exception, paths
from heat_lite.engine import resource, runtime
from heat_lite.engine.stack import Stack
from heat_lite.template import constraints, registry
from heat_lite.template.environment import RESOURCE_REGISTRY, Environment
from heat_lite.template.functions import refs
from heat_lite.template.lint.types import Type
from heat_lite.template.template import Template

REFUSALS = (exception.StackValidationFailed, exception.ResourcePropertyConflict, exception.PropertyUnspecifiedError)


class Offline(Exception):
    """Something can be told with a cloud only."""


class Types:
    """All types of the service, as the linter wants them. ``base`` is the operator's environment that comes with the package."""

    def __init__(self):
        mappings, texts = operator_types.load(paths.data('etc', 'environment.d'), paths.data('etc', 'templates'))
        self.registry = resources.build_registry(mappings, texts)
        self.base = Environment({RESOURCE_REGISTRY: mappings.as_dict()})

    def names(self):
        return self.registry.names()

    def knows(self, name):
        return self.registry.knows(name)

    @functools.cache  # noqa: B019 - lives as long as the program
    def get(self, name):
        kind = self.registry.get(name)
        # a type that decides by itself what it has and takes, decides when it is there
        fixed = kind.has_attribute is resource.Resource.has_attribute
        attributes = kind.all_attributes_schema() if fixed else None
        properties = kind.properties_schema if kind.properties_of is resource.Resource.properties_of else None
        return Type(name, properties, attributes, kind.update_policy_schema, kind.support_status)


class _Registry:
    """The registry, with a cloud in which everything is there."""

    def __init__(self, known):
        self._known = known

    def __getattr__(self, name):
        return getattr(self._known, name)

    def lookup(self, stack, kind, value):
        try:
            return self._known.lookup(stack, kind, value)
        except constraints.UnknownConstraint:
            raise
        except Exception:
            return None  # only a cloud can tell

    def find(self, stack, kind, value):
        return value


class _Cloud:
    """A cloud that has all services, and of which nobody can ask anything."""

    def require(self, service, extension=None):
        return

    def __getattr__(self, name):
        raise Offline('there is no cloud')


def _no_clients(request):
    return _Cloud()


def refusals(types, document):
    """What the types of a template's resources find wrong when each of them is asked: the exceptions that they raise.

    A resource that depends on the value of a parameter that nobody gave is left out, and so is one that would have to ask a cloud.
    """
    template = Template(document.data, _files(document), document.environment)
    world = runtime.Runtime(_Registry(types.registry), None, runtime.Limits(), 'offline', _no_clients)
    stack = Stack(world, context.RequestContext(project_id='offline', overwrite=False), template, name='offline', tenant='offline')
    try:
        definitions = stack.definitions
    except Exception:
        return  # a condition needs what nobody gave; what is wrong with the template other rules say
    for name, definition in definitions.items():
        error = _refusal(stack, name, definition)
        if error is not None:
            yield error


def _refusal(stack, name, definition):
    try:
        if stack.template.environment.registry.resolve(definition.resource_type, name, stack.runtime.registry.knows).kind == registry.TYPE:
            stack.resource_for(name).validate()
    except REFUSALS as error:
        if _needs_a_value(error):
            return None
        return _placed(error, name)
    except Exception:
        return None  # types of all kinds, plug-ins among them, made for a service: what they miss here is no fault of the template
    return None


def _placed(error, name):
    """The error with its whole path; what is inside of a nested stack is told in words, for the text is another one there."""
    path = list(getattr(error, 'path', ()))
    if path[:1] == ['resources']:
        path = path[2:] if path[1:2] == [name] else []
    inside = str(error) if any('<' in str(part) for part in getattr(error, 'path', ())) else None
    return exception.StackValidationFailed(inside or getattr(error, 'error_message', None) or str(error), path=('resources', name, *path))


def _needs_a_value(error):
    """Whether all that is wrong is that a parameter, or a resource, is not there yet."""
    cause = error
    while cause is not None:
        if isinstance(cause, exception.UserParameterMissing | Offline):
            return True
        cause = cause.__cause__
    return False


def _files(document):
    """The files that a template reads, by the names that it uses."""
    found = {}
    for call in document.calls.calls:
        if isinstance(call.node, refs.GetFile) and isinstance(call.node.args, str):
            file = document.files.join(document.name, call.node.args)
            if document.files.has(file):
                found[call.node.args] = document.files.read(file)
    return found
