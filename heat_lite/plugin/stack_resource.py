"""The base of resource types with a stack inside, in the words of Heat's plug-ins."""

from heat_lite.plugin import resource
from heat_lite.resources import nested


class StackResource(nested.StackResource, resource.Resource):
    """It says what is inside by ``child_template()`` and ``child_params()``."""

    def get_output(self, name):
        """The value of an output of the stack inside."""
        return self.inside.output(name)

    def has_nested(self):
        return self.nested() is not None
