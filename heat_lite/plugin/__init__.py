"""The plug-in API: bases of resource types, custom constraints, clients and template versions.

The names are those of Heat: ``from heat_lite.plugin import attributes, properties, scheduler``. See
docs/plugins.md. The service itself imports nothing from this package, and no other package of the
service is a stable interface.
"""

from heat_lite.common import exception
from heat_lite.engine import scheduler
from heat_lite.plugin import (
    attributes,
    client_plugin,
    constraints,
    properties,
    resource,
    signal_responder,
    stack_resource,
    support,
    template,
    translation,
)

#: the translation function of Heat's plug-ins; messages are not translated here
_ = str

__all__ = [
    'attributes',
    'client_plugin',
    'constraints',
    'exception',
    'properties',
    'resource',
    'scheduler',
    'signal_responder',
    'stack_resource',
    'support',
    'template',
    'translation',
]
