"""Rearrange the UUIDs of resources, so that the names derived from them stay.

Names of nested stacks and of objects end in a short id of ``resource.uuid``. It is now derived from
the UUID as Heat does it, from other digits than before: ``LLLLLLLL-MMMM-4HHH-rest`` gave the order
L M H, and now gives H M L. Moving the digits keeps each name. No other row refers to a resource by
its UUID.
"""

import sqlalchemy as sa
from alembic import op

revision = '005'
down_revision = '004'


def upgrade():
    resource = sa.table('resource', sa.column('uuid', sa.String(36)))
    digits = resource.c.uuid

    def part(first, length):
        return sa.func.substr(digits, first, length)

    low_end, low_start, low_middle = part(8, 1), part(1, 3), part(4, 4)
    moved = [low_end, part(10, 4), part(16, 3), '-', low_middle, '-4', low_start, part(19, 18)]
    text = sa.cast(moved[0], sa.String(36))
    for piece in moved[1:]:
        text = text.concat(piece)
    op.execute(resource.update().where(sa.func.length(digits) == 36).values(uuid=text))
