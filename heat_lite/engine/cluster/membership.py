"""The membership of engines: which are alive, and which are gone, so that their stacks may be
taken over.
"""

import dataclasses
import datetime
import math
import time
from collections.abc import Callable, Mapping

from heat_lite.common import context as request_context
from heat_lite.db import services
from heat_lite.engine.runtime import Listener


@dataclasses.dataclass
class EngineMembership:
    """The other engines, by their heartbeats and by RPC.

    ``listener`` calls them (see ``rpc.listener``). ``alone``: all engines run in this process, so
    one that does not answer is gone. ``timeout``: seconds by ``clock`` that a heartbeat counts.
    ``in_touch``: the seconds since the last gap in the reports of this engine. A database that was
    away for all has kept the others from reporting, too: they have the timeout from then on.
    """

    listener: Listener
    alone: bool = False
    timeout: float = 0
    clock: Callable[[], float] = time.monotonic
    in_touch: Callable[[], float] = lambda: math.inf

    def __post_init__(self) -> None:
        self._heartbeats: dict[str, tuple[datetime.datetime, float]] = {}
        self._context = request_context.admin_context()

    def answers(self, engine_id: str) -> bool:
        """Return whether the engine answers a call."""
        return self.listener.is_alive(self._context, engine_id)

    def is_gone(
        self, engine_id: str, heartbeats: Mapping[str, datetime.datetime | None] | None = None
    ) -> bool:
        """Return whether the engine has deregistered, or neither reports nor answers.

        ``heartbeats`` are those of all engines, ``{engine_id: time}``, if known already.
        """
        if not self.alone:
            heartbeats = services.last_heartbeats() if heartbeats is None else heartbeats
            if engine_id not in heartbeats:
                return True
            if self._reports(engine_id, heartbeats[engine_id]):
                return False
        return not self.answers(engine_id)

    def alive_ids(self) -> set[str]:
        """Return the ids of the engines that report, including this one."""
        return {
            engine_id
            for engine_id, heartbeat in services.last_heartbeats().items()
            if self._reports(engine_id, heartbeat)
        }

    def _reports(self, engine_id: str, heartbeat: datetime.datetime | None) -> bool:
        """Return whether the heartbeat changed within the timeout, by the clock of this engine.

        The clock of a dead engine may have been wrong: then its last heartbeat seems recent
        forever.
        """
        last, since = self._heartbeats.get(engine_id, (None, 0))
        if last != heartbeat and heartbeat is not None:
            self._heartbeats[engine_id] = heartbeat, self.clock()
            return True
        is_recent = heartbeat is not None and self.clock() - since < self.timeout
        return is_recent or self.in_touch() < self.timeout
