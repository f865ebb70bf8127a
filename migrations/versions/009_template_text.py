"""Add the text of templates. Of those stored before only the data are known."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = '009'
down_revision = '008'


def upgrade():
    text = sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')
    op.add_column('raw_template', sa.Column('text', text))
