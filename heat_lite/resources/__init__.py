"""All built-in resource types, handed to the engine as a Registry: the engine imports none of
them.
"""

import datetime

from heat_lite.engine import registry
from heat_lite.resources.type_table import TYPES
from heat_lite.template import format_constraints


def class_locations():
    """Return ``{type name: (module, class name)}`` of all built-in types, without importing
    them.
    """
    locations = {}
    for type_name, location in TYPES.items():
        module, _, class_name = location.partition(':')
        locations[type_name] = (f'{__name__}.{module}', class_name)
    return locations


def build_registry(mappings=None, files=None):
    """Return the registry of the built-in types.

    ``mappings`` is the operator's TypeRegistry; ``files`` are the templates that it names.
    """
    return registry.Registry(class_locations(), CHECKS, TEMPLATE_TYPE, mappings, files)


def _accept(stack, value):
    """Accept any value: the custom constraint of OS::Heat::TestResource."""
    return None


def _expiration(stack, value):
    """Return why ``value`` is no point in time in the future; None if it is one."""
    return format_constraints.expiration(value, datetime.datetime.now(datetime.UTC))


#: the module and the class of types whose implementation is a template
TEMPLATE_TYPE = ('heat_lite.resources.base.template_resource', 'TemplateResource')
#: custom constraints that need more than the value itself: {name: callable(stack, value)}
CHECKS = {'test_constr': _accept, 'expiration': _expiration}
