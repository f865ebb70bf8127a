"""The base of resource types that can be signalled, in the words of Heat's plug-ins."""

from heat_lite.plugin import resource
from heat_lite.resources import signal


class SignalResponder(signal.SignalResponder, resource.Resource):
    """Its ``handle_signal(details)`` is told what was signalled; ``signed_url()`` is where to."""
