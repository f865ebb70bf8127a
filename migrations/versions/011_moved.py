"""Add the places to which resources of a stack have moved. No resource has moved yet."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = '011'
down_revision = '010'


def upgrade():
    op.add_column(
        'stack', sa.Column('moved', sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb'))
    )
