"""Base of client plug-ins, and the errors of services."""

from heat_lite.clients.client_plugin import ClientPlugin
from heat_lite.clients.errors import Conflict, NoCloud, NotFound, OverLimit, ServiceError

__all__ = ['ClientPlugin', 'Conflict', 'NoCloud', 'NotFound', 'OverLimit', 'ServiceError']
