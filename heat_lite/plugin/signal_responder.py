"""Base of resource types that accept signals."""

from heat_lite.plugin import resource
from heat_lite.resources.base import signal_responder


class SignalResponder(signal_responder.SignalResponder, resource.Resource):
    """Base with ``handle_signal(details)``; ``signed_url()`` returns the URL for signals."""
