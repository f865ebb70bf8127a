"""What was asked for last, kept while it is not too many nor too large: an engine's memory has a bound, whatever its users store."""

import collections
import threading


class Recent:
    """Values by key, for threads; the one that was not asked for longest goes first.

    ``most`` is how many there are at most, ``heaviest`` what all together may weigh by ``weigh(value)``. The last one always stays.
    """

    def __init__(self, most, heaviest, weigh):
        self._most, self._heaviest, self._weigh = most, heaviest, weigh
        self._lock = threading.Lock()
        self._kept = collections.OrderedDict()
        self._weight = 0

    def get(self, key):
        """The value; None where there is none."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key, value):
        """Give the value back, and keep it."""
        weight = self._weigh(value)
        with self._lock:
            self._weight += weight - self._kept.pop(key, (None, 0))[1]
            self._kept[key] = value, weight
            while len(self._kept) > 1 and (len(self._kept) > self._most or self._weight > self._heaviest):
                self._weight -= self._kept.popitem(last=False)[1][1]
        return value


def weight_of(template):
    """Roughly the kilobytes of a parsed template: a resource takes some two, its files lie there as they are."""
    entries = sum(len(section) for section in template.data.values() if isinstance(section, dict | list))
    return 1 + 2 * entries + sum(len(text) for text in template.files.values() if isinstance(text, str)) // 1024
