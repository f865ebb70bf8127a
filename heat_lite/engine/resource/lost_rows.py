"""Rows that other engines have taken, as the journal of a stack has found out (convergence).

A handler that has lost its row must not begin anything more: what it made could not be stored.

Tests: tests/functional/test_convergence_engines.py.
"""


class LostRows:
    """The rows of one stack that this engine has lost, and the new records that replace them."""

    def __init__(self):
        #: new records that were never stored: the row that they replace was lost
        self.dropped = set()
        self._ids = set()

    def add(self, ids, dropped):
        """Note the ids of lost rows, and new records that are not stored."""
        self._ids.update(ids)
        self.dropped.update(dropped)

    def regain(self, records):
        """Note that this engine works on these records again."""
        self._ids.difference_update([record.id for record in records])

    def has(self, records):
        """Return whether one of the records is lost."""
        return any(record.id in self._ids or record in self.dropped for record in records)

    def leave_out(self, changes):
        """Take what was done to records that are not stored out of the changes of a turn."""
        gone = self.dropped
        if not gone:
            return
        for name in ('_changed', '_properties', '_attributes'):
            changes[name] = {key: each for key, each in changes[name].items() if key not in gone}
        for name in ('_data', '_removed_data'):
            changes[name] = {key: each for key, each in changes[name].items() if key[0] not in gone}
        changes['_removed'] = [record for record in changes['_removed'] if record not in gone]
        changes['_events'] = [pair for pair in changes['_events'] if pair[0] not in gone]
