"""Add the number of times that a stack lock was used to decide. Locks that exist have zero."""

import sqlalchemy as sa
from alembic import op

revision = '010'
down_revision = '009'


def upgrade():
    uses = sa.Column('uses', sa.Integer(), nullable=False, server_default='0')
    op.add_column('stack_lock', uses)
