"""A scope that resolves templates without an engine.

The attributes of its resources are the values of their properties.
"""

from heat_lite.common import exception
from heat_lite.template import attributes, dependencies, function
from heat_lite.template.template import Template

#: {type: its attributes}
TYPES = {'OS::Heat::Value': ('value',), 'OS::Heat::TestResource': ('output',)}
IDENTITY = {'tenant': 'p1', 'stack_name': 'teststack', 'stack_id': 's1', 'path': ''}


class StaticScope(function.Scope):
    """The scope of a bound template whose resources are of TYPES."""

    def __init__(self, bound):
        self.bound = bound

    def parameter(self, name):
        return self.bound.scope.parameter(name)

    def parameter_names(self):
        return self.bound.scope.parameter_names()

    def file(self, name):
        return self.bound.scope.file(name)

    def condition(self, name):
        return self.bound.conditions.is_enabled(name)

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


def resolve_outputs(data, files=None, params=None, environment=None):
    """Return ``{output: (value, error)}`` of a template with resources of TYPES.

    Checks run in the order of Heat, so that the first error is the same.
    """
    template = Template(data, files, environment)
    parameters = template.parameters(IDENTITY, params)
    template.validate()
    bound = template.bind(parameters)
    parameters.validate()
    bound.validate()
    names = set(bound.resources)
    for definition in bound.resources.values():
        definition.requires(names)
    scope = StaticScope(bound)
    outputs = bound.outputs
    for definition in [*bound.resources.values(), *outputs.values()]:
        definition.validate(scope)
    for definition in bound.resources.values():
        _resolve_properties(definition, scope)
    return {name: _result(definition, scope) for name, definition in outputs.items()}


def validate(data, files=None):
    """Return the bound template after all checks that need no resource types."""
    template = Template(data, files)
    parameters = template.parameters(IDENTITY)
    template.validate()
    bound = template.bind(parameters)
    parameters.validate()
    bound.validate()
    names = set(bound.resources)
    edges = [
        (name, other)
        for name, definition in bound.resources.items()
        for other in definition.requires(names) or (None,)
    ]
    dependencies.Dependencies(edges).order()
    for definition in [*bound.resources.values(), *bound.outputs.values()]:
        definition.validate()
    return bound


def _resolve_properties(definition, scope):
    for key, snippet in (definition.properties or {}).items():
        try:
            function.resolve(snippet, scope)
        except (exception.HeatException, *function.ARGUMENT_ERRORS) as error:
            path = (*definition.path, key)
            raise exception.StackValidationFailed(
                str(error), error='Property error', path=path
            ) from error


def _result(definition, scope):
    try:
        return definition.result(scope), None
    except (exception.HeatException, *function.ARGUMENT_ERRORS) as error:
        return None, str(error)
