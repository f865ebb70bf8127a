"""Base of resource types with a nested stack."""

from heat_lite.common.value_types import Value
from heat_lite.plugin import resource
from heat_lite.resources.base import stack_resource


class StackResource(stack_resource.StackResource, resource.Resource):
    """Base; ``child_template()`` and ``child_params()`` define the nested stack."""

    def get_output(self, name: str) -> Value:
        """Return the value of an output of the nested stack."""
        return self.nested_stack.output(name)

    def has_nested(self) -> bool:
        return self.nested() is not None
