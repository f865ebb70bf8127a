"""All resource types. The engine gets them as a Registry: it imports none of these modules itself."""

import datetime
import pathlib
import re

from heat_lite.engine import registry
from heat_lite.template import formats

_CLASS = re.compile(r'^class (\w+)\(')
_TYPE = re.compile(r"^    resource_type = '([^']+)'")
_RETIRED = re.compile(r'^    (\w+::\w+\S*) +hidden ')


def places():
    """``{type name: (module, class)}`` read off the source text, so that no module is imported before its type is used."""
    found = {}
    root = pathlib.Path(__file__).parent
    for path in sorted(root.rglob('*.py')):
        module = '.'.join((__name__, *path.relative_to(root).with_suffix('').parts))
        name = None
        for line in path.read_text(encoding='utf-8').splitlines():
            if match := _CLASS.match(line):
                name = match.group(1)
            elif match := _TYPE.match(line):
                found[match.group(1)] = (module, name)
            elif match := _RETIRED.match(line):
                found[match.group(1)] = (module, match.group(1).replace('::', ''))
    return found


def build_registry(mappings=None, files=None):
    """The registry of all types, with the operator's mappings of type names and the templates that they name."""
    return registry.Registry(places(), CHECKS, TEMPLATE_TYPE, mappings, files)


def _any_value(stack, value):
    """For the custom constraint of OS::Heat::TestResource: any value will do."""
    return None


def _expiration(stack, value):
    """A point in time that is still to come."""
    return formats.expiration(value, datetime.datetime.now(datetime.UTC))


#: what stands behind types that are templates
TEMPLATE_TYPE = ('heat_lite.resources.template_resource', 'TemplateResource')
#: custom constraints that need more than the text itself
CHECKS = {'test_constr': _any_value, 'expiration': _expiration}
