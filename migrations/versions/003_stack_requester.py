"""Add the encrypted requester of the current action. Actions in progress have no requester."""

import sqlalchemy as sa
from alembic import op

revision = '003'
down_revision = '002'


def upgrade():
    op.add_column('stack', sa.Column('asker', sa.Text()))
