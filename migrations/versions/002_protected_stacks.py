"""Add the protection of stacks from deletion. Existing stacks are not protected."""

import sqlalchemy as sa
from alembic import op

revision = '002'
down_revision = '001'


def upgrade():
    op.add_column('stack', sa.Column('protected', sa.Boolean()))
