"""Who waits for news of which row of the database, in this engine. The news itself is in the database; a bell only says: look again."""

import threading

from heat_lite.engine import scheduler


class Bells:
    """Hang one before looking, yield it if there is nothing yet: then no news is missed between the look and the wait."""

    def __init__(self):
        self._guard = threading.Lock()
        self._hung = {}

    def hang(self, key, patience=scheduler.LONGEST_PAUSE):
        bell = scheduler.Bell(patience)
        self.share(key, bell)
        return bell

    def share(self, key, bell):
        """Let news of something else ring the same bell."""
        with self._guard:
            self._hung.setdefault(key, []).append(bell)

    def take_down(self, key, bell):
        with self._guard:
            hung = self._hung.get(key, [])
            if bell in hung:
                hung.remove(bell)
            if not hung:
                self._hung.pop(key, None)

    def ring(self, key):
        """False where nobody waits."""
        with self._guard:
            hung = self._hung.pop(key, [])
        for bell in hung:
            bell.ring()
        return bool(hung)

    def ring_all(self):
        """News may have been lost: let all look again."""
        with self._guard:
            hung, self._hung = self._hung, {}
        for bells in hung.values():
            for bell in bells:
                bell.ring()

    def __bool__(self):
        """Whether anybody waits."""
        return bool(self._hung)
