"""Metadata of resources that several may change at the same time, as stored now: signals of many servers arrive at many engines."""

import threading

from heat_lite.common import exception
from heat_lite.db import resources as db_resources

#: changes of one row within this engine go one after the other: engines disturb each other seldom, threads would all the time
_LOCKS = tuple(threading.Lock() for _ in range(64))
ATTEMPTS = 100


def read(context, record):
    """What is stored now, in the record too."""
    if record.id is not None:
        stored = db_resources.metadata(context, record.id)
        if stored is not None:
            record.rsrc_metadata = stored[0] or {}
    return record.rsrc_metadata


def change(context, record, changed):
    """Store ``changed(metadata)``, which may be asked several times until nobody has changed it meanwhile; gives what is stored then."""
    if record.id is None:
        record.set(rsrc_metadata=changed(dict(record.rsrc_metadata)))
        return record.rsrc_metadata
    with _LOCKS[record.id % len(_LOCKS)]:
        for _ in range(ATTEMPTS):
            stored = db_resources.metadata(context, record.id)
            if stored is None:
                raise exception.EntityNotFound(entity='Resource', name=record.name)
            new = changed(dict(stored[0] or {}))
            if db_resources.set_metadata(context, record.id, new, expect=stored[1]):
                record.rsrc_metadata = new
                return new
    raise exception.Error(f'The metadata of {record.name} changes too fast: {ATTEMPTS} attempts to change it failed')
