"""Clients of services, in the words of Heat's plug-ins."""

from heat_lite.clients.errors import Conflict, NoCloud, NotFound, OverLimit, ServiceError
from heat_lite.clients.plugged import ClientPlugin

__all__ = ['ClientPlugin', 'Conflict', 'NoCloud', 'NotFound', 'OverLimit', 'ServiceError']
