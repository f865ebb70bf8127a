"""Add the engine that handles the signals to a resource. At first none does."""

import sqlalchemy as sa
from alembic import op

revision = '007'
down_revision = '006'


def upgrade():
    op.add_column('resource', sa.Column('signal_engine', sa.String(36)))
