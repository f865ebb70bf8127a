"""The other engines: which of them are gone for certain, so that what they had may be taken over."""

from heat_lite.common import context as request_context
from heat_lite.db import services


class Neighbours:
    """``listener`` reaches them (see ``rpc.listener``). ``alone``: all engines are in this process, so that one that does not answer is
    gone."""

    def __init__(self, listener, alone=False):
        self._listener = listener
        self._alone = alone
        self._context = request_context.admin_context()

    def answers(self, engine_id):
        return self._listener.alive(self._context, engine_id)

    def is_gone(self, engine_id, signs=None):
        """Whether it has signed off, or has neither reported for some time nor answers. ``signs``: those of life, where they are known."""
        if not self._alone:
            signs = services.signs_of_life(self._context) if signs is None else signs
            if engine_id not in signs:
                return True
            if signs[engine_id]:
                return False
        return not self.answers(engine_id)
