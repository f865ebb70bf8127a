"""A world small enough to resolve templates without an engine: resources that only hand back what they were given."""

from heat_lite.common import exception
from heat_lite.template import attributes, dependencies, function
from heat_lite.template.template import Template

#: type -> the attributes it has
TYPES = {'OS::Heat::Value': ('value',), 'OS::Heat::TestResource': ('output',)}
IDENTITY = {'tenant': 'p1', 'stack_name': 'teststack', 'stack_id': 's1', 'path': ''}


class World(function.Scope):
    """The scope of a bound template whose resources are of TYPES."""

    def __init__(self, bound):
        self.bound = bound

    def parameter(self, name):
        return self.bound.scope.parameter(name)

    def file(self, name):
        return self.bound.scope.file(name)

    def condition(self, name):
        return self.bound.conditions.enabled(name)

    def reference(self, resource_name):
        return f'teststack-{resource_name}-abcdefghijkl'

    def check_attribute(self, resource_name, attribute):
        if attribute not in TYPES[self.bound.resources[resource_name].resource_type]:
            raise exception.InvalidTemplateAttribute(resource=resource_name, key=attribute)

    def attribute(self, resource_name, *path):
        definition = self.bound.resources[resource_name]
        value = function.resolve((definition.properties or {}).get('value'), self)
        if not path:
            return {TYPES[definition.resource_type][0]: value}
        if definition.resource_type == 'OS::Heat::TestResource' and value is None:
            value = 'test_string'
        return attributes.select(value, path[1:])


def create(data, files=None, params=None, environment=None):
    """``{output: (value, error)}`` of a stack of such resources; raises what refuses it, in the order in which Heat looks."""
    template = Template(data, files, environment)
    parameters = template.parameters(IDENTITY, params)
    template.validate()
    bound = template.bind(parameters)
    parameters.validate()
    bound.validate()
    names = set(bound.resources)
    for definition in bound.resources.values():
        definition.requires(names)
    world = World(bound)
    outputs = bound.outputs
    for definition in [*bound.resources.values(), *outputs.values()]:
        definition.validate(world)
    for definition in bound.resources.values():
        _resolve_properties(definition, world)
    return {name: _outcome(definition, world) for name, definition in outputs.items()}


def validate(data, files=None):
    """The bound template after all checks that need no resource type; nothing is resolved."""
    template = Template(data, files)
    parameters = template.parameters(IDENTITY)
    template.validate()
    bound = template.bind(parameters)
    parameters.validate()
    bound.validate()
    names = set(bound.resources)
    edges = [(name, other) for name, each in bound.resources.items() for other in each.requires(names) or (None,)]
    dependencies.Dependencies(edges).order()
    for definition in [*bound.resources.values(), *bound.outputs.values()]:
        definition.validate()
    return bound


def _resolve_properties(definition, world):
    for key, snippet in (definition.properties or {}).items():
        try:
            function.resolve(snippet, world)
        except (exception.HeatException, *function.ARGUMENT_ERRORS) as error:
            path = (*definition.path, key)
            raise exception.StackValidationFailed(str(error), error='Property error', path=path) from error


def _outcome(definition, world):
    try:
        return definition.result(world), None
    except (exception.HeatException, *function.ARGUMENT_ERRORS) as error:
        return None, str(error)
