"""Rows that transactions lock and do not write, found by PostgreSQL's extension pgrowlocks.

Nodes of a Galera cluster compare what transactions write, not what they lock: a transaction that
decides by a row writes it.
"""

import contextlib
import re
import sys

from sqlalchemy import event

LOCKS = re.compile(r'\bFROM (\w+)\b.* FOR (?:NO KEY )?UPDATE\b', re.DOTALL)
#: functions of heat_lite.db -> why they may leave rows as they are that they have locked
ALLOWED = {
    '_due': 'rules beyond the budget of an evaluation wait for the next one',
    '_purge_shared': 'rows that have come into use stay',
    '_batch': 'secrets that are encrypted by the new key already stay',
    '_move_events': 'properties that cannot be read stay',
}


@contextlib.contextmanager
def unwritten(engine):
    """Yield a set that gets (function of heat_lite.db, table) of such transactions of the block.

    A transaction that writes nothing is a read. ``engine`` is that of the database's writers; other
    databases than PostgreSQL tell nothing, nor does a user that must not create extensions.
    """
    found, locked, writing = set(), {}, set()
    if engine.dialect.name != 'postgresql':
        yield found
        return
    with engine.begin() as connection:
        connection.exec_driver_sql('CREATE EXTENSION IF NOT EXISTS pgrowlocks')

    def note(connection, cursor, statement, *_):
        if statement.startswith(('INSERT', 'UPDATE', 'DELETE')):
            writing.add(connection)
        elif table := LOCKS.search(statement):
            locked.setdefault(connection, {})[table[1]] = _function()

    def check(connection):
        for table, function in locked.get(connection, {}).items():
            if connection in writing and _locked_only(connection, table):
                found.add((function, table))
        forget(connection)

    def forget(connection):
        locked.pop(connection, None)
        writing.discard(connection)

    listeners = {'after_cursor_execute': note, 'commit': check, 'rollback': forget}
    for name, listener in listeners.items():
        event.listen(engine, name, listener)
    try:
        yield found
    finally:
        for name, listener in listeners.items():
            event.remove(engine, name, listener)


def _locked_only(connection, table):
    """Return the number of rows of a table that the present transaction has locked to write them,
    and has not written.
    """
    query = f"""SELECT count(*) FROM pgrowlocks('{table}')
        WHERE '{{For Update,For No Key Update}}' && modes
        AND locker::text = mod(txid_current(), 4294967296)::text"""
    return connection.exec_driver_sql(query).scalar()


def _function():
    """Return the name of the innermost function of heat_lite.db, but for those of the session."""
    frame = sys._getframe()
    while frame is not None:
        module = frame.f_globals.get('__name__', '')
        if module.startswith('heat_lite.db.') and module != 'heat_lite.db.session':
            return frame.f_code.co_name
        frame = frame.f_back
    return None
