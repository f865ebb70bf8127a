"""Answers the questions of the template library for one stack: parameters, references, attributes, files, conditions."""

from heat_lite.common import exception
from heat_lite.template import function


class StackScope(function.Scope):
    """``nodes[name]`` is what is known of a resource: something with ``reference_id()`` and ``attribute(name, *path)``.

    ``facade`` is the definition of the resource that this stack is the inside of, None for a top-level stack.
    """

    def __init__(self, parameters, nodes, files=None, conditions=None, facade=None):
        self._parameters = parameters
        self._nodes = nodes
        self._files = files or {}
        self._conditions = conditions
        self._facade = facade

    def parameter(self, name):
        return self._parameters[name]

    def reference(self, resource_name):
        node = self._nodes.get(resource_name)
        return None if node is None else node.reference_id()

    def attribute(self, resource_name, *path):
        node = self._nodes.get(resource_name)
        return None if node is None else node.attribute(*path)

    def file(self, name):
        return self._files[name]

    def condition(self, name):
        return self._conditions.enabled(name)

    def facade(self, key):
        if self._facade is None:
            raise exception.StackValidationFailed('resource_facade is used in a stack that is not nested')
        return self._facade[key]
