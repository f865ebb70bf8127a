"""The metadata of a resource, written at once: signals change them from several engines.

Tests: tests/functional/test_engine.py.
"""

import contextlib
import threading
from collections.abc import Callable

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.db import journal, resources as db_resources
from heat_lite.engine.resource.record import Record

#: Changes of one row by threads of this engine are serialized: they conflict far more often than
#: those of two engines.
_METADATA_LOCKS = tuple(threading.Lock() for _ in range(64))
METADATA_ATTEMPTS = 100


def read_metadata(record: Record) -> Values:
    """Return the metadata in the database. The record takes them over."""
    if record.id is not None:
        stored = db_resources.metadata(record.id)
        if stored is not None:
            record.rsrc_metadata = stored[0] or {}
    return record.rsrc_metadata


def change_metadata(
    context: RequestContext,
    record: Record,
    changed: Callable[[Values], Values],
    signals: dict[int, str] | None = None,
) -> Values:
    """Store ``changed(metadata)`` and return it; delete ``signals`` with it (see ``db.signals``).

    ``changed`` is called again after a concurrent change, so it must have no side effects. Raises
    EntityNotFound when the row is gone, Error after METADATA_ATTEMPTS lost races.
    """
    if record.id is None:
        record.set(rsrc_metadata=changed(dict(record.rsrc_metadata)))
        return record.rsrc_metadata
    with _METADATA_LOCKS[record.id % len(_METADATA_LOCKS)]:
        for _ in range(METADATA_ATTEMPTS):
            stored = db_resources.metadata(record.id)
            if stored is None:
                raise exception.no_resource(record.name)
            new = changed(dict(stored[0] or {}))
            if _store(record, new, stored[1], signals):
                record.rsrc_metadata = new
                return new
    raise exception.Error(
        f'The metadata of {record.name} changes too fast: '
        f'{METADATA_ATTEMPTS} attempts to change it failed'
    )


def _store(
    record: Record,
    metadata: Values,
    key: int | None,
    signals: dict[int, str] | None,
) -> bool:
    if not signals:
        return db_resources.set_metadata(record.id, metadata, expect=key)
    changes = journal.ChangeSet(
        record.stack_id, metadata=[(record.id, metadata, key)], signals=signals
    )
    with contextlib.suppress(journal.MetadataChanged):
        journal.save(changes)
        return True
    return False
