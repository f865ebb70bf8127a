"""Properties as they were at a time: kept once for a resource and the events that tell of it."""

from collections.abc import Collection

from sqlalchemy import delete, select

from heat_lite.db import models, session

_P = models.resource_properties_data
# that many ids in one statement are no trouble to any database
CHUNK = 500


def sweep(ids: Collection[int | None]) -> int:
    """Within a transaction: delete those of these that no resource and no event points at any more."""
    named = sorted(number for number in set(ids) if number is not None)
    used = [
        select(column.table.c.id).where(column == _P.c.id).exists()
        for column in (models.resource.c.rsrc_prop_data_id, models.resource.c.attr_data_id, models.event.c.rsrc_prop_data_id)
    ]
    gone = 0
    for start in range(0, len(named), CHUNK):
        query = delete(_P).where(_P.c.id.in_(named[start : start + CHUNK]), *(~exists for exists in used))
        gone += session.execute(query).rowcount
    return gone
