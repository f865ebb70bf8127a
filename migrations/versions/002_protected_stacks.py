"""Stacks can be protected from being deleted. Those that are there already are not."""

import sqlalchemy as sa
from alembic import op

revision = '002'
down_revision = '001'


def upgrade():
    op.add_column('stack', sa.Column('protected', sa.Boolean()))
