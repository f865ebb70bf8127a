"""Add the calls during which engines died to the locks of stacks. Locks that exist have none."""

import sqlalchemy as sa
from alembic import op

revision = '004'
down_revision = '003'


def upgrade():
    op.add_column('stack_lock', sa.Column('quarantine', sa.Text()))
