"""The other engines: which of them are gone for certain, so that what they had may be taken over."""

import time

from heat_lite.common import context as request_context
from heat_lite.db import services


class Neighbours:
    """``listener`` reaches them (see ``rpc.listener``). ``alone``: all engines are in this process, so that one that does not answer is
    gone. ``patience``: how many seconds a beat of theirs counts."""

    def __init__(self, listener, alone=False, patience=0):
        self._listener = listener
        self.alone = alone
        self._patience = patience
        self._beats = {}
        self._context = request_context.admin_context()

    def answers(self, engine_id):
        return self._listener.alive(self._context, engine_id)

    def is_gone(self, engine_id, signs=None):
        """Whether it has signed off, or has neither reported for some time nor answers. ``signs``: those of life, where they are known."""
        if not self.alone:
            signs = services.signs_of_life(self._context) if signs is None else signs
            if engine_id not in signs:
                return True
            if self._reports(engine_id, signs[engine_id]):
                return False
        return not self.answers(engine_id)

    def living(self):
        """The ids of the engines that report, this one among them."""
        return {engine_id for engine_id, beat in services.signs_of_life(self._context).items() if self._reports(engine_id, beat)}

    def _reports(self, engine_id, beat):
        return beat is not None and self._is_new(engine_id, beat)

    def _is_new(self, engine_id, beat):
        """Their clock may have been wrong when they died: then a beat of theirs seems to be of now, and always the same one."""
        known, since = self._beats.get(engine_id, (None, 0))
        if known != beat:
            self._beats[engine_id] = beat, time.monotonic()
            return True
        return time.monotonic() - since < self._patience
