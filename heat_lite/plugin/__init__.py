"""What plug-ins of third parties import: resource types, custom constraints, clients and versions of the template language of their own.

The names are those that plug-ins of Heat know: ``from heat_lite.plugin import attributes, constraints, properties, resource``. See
docs/plugins.md. Nothing here is imported by the service itself, and nothing else of the service is a promise.
"""

from heat_lite.common import exception
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

#: messages are in plain English here
_ = str

__all__ = [
    'attributes',
    'client_plugin',
    'constraints',
    'exception',
    'properties',
    'resource',
    'signal_responder',
    'stack_resource',
    'support',
    'template',
    'translation',
]
