"""Answers the questions of the template library for one stack: parameters, references, attributes, files, conditions."""

from heat_lite.common import exception
from heat_lite.template import function
from heat_lite.template.suggest import suggest


class StackScope(function.Scope):
    """``nodes.get(name)`` is what is known of a resource: something with ``reference_id()``, ``attribute(name, *path)`` and
    ``all_attributes_schema()``; None for a name that nobody has.

    ``facade`` is the definition of the resource that this stack is the inside of, None for a top-level stack.
    """

    def __init__(self, bound, nodes, facade=None):
        self._bound = bound
        self._nodes = nodes
        self._facade = facade

    def parameter(self, name):
        return self._bound.scope.parameter(name)

    def file(self, name):
        return self._bound.scope.file(name)

    def condition(self, name):
        return self._bound.scope.condition(name)

    def reference(self, resource_name):
        return self._node(resource_name).reference_id()

    def attribute(self, resource_name, *path):
        return self._node(resource_name).attribute(*path)

    def check_attribute(self, resource_name, attribute):
        node = self._node(resource_name)
        if not node.has_attribute(attribute):
            known = node.all_attributes_schema()
            raise exception.InvalidTemplateAttribute(resource=resource_name, key=attribute).with_hint(suggest(attribute, known))

    def facade(self, key):
        if self._facade is None:
            return super().facade(key)
        return self._facade[key]

    def _node(self, name):
        node = self._nodes.get(name)
        if node is None:
            raise exception.InvalidTemplateReference(resource=name, key='unknown')
        return node


class Nodes:
    """What the scope of a stack asks about resources: the resources themselves, found by name."""

    def __init__(self, stack):
        self._stack = stack

    def get(self, name):
        try:
            return self._stack.resource_for(name)
        except exception.ResourceNotFound:
            return None
