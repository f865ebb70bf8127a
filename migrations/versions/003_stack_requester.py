"""A stack keeps, sealed, who has asked for the action at work. Of actions that began before nobody knows."""

import sqlalchemy as sa
from alembic import op

revision = '003'
down_revision = '002'


def upgrade():
    op.add_column('stack', sa.Column('asker', sa.Text()))
