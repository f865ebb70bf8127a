"""Add the signals that are accepted and not handled yet. At first there are none."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = '008'
down_revision = '007'


def upgrade():
    op.create_table(
        'resource_signal',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column(
            'resource_id',
            sa.Integer(),
            sa.ForeignKey('resource.id', ondelete='CASCADE'),
            nullable=False,
        ),
        sa.Column('engine_id', sa.String(36), nullable=False),
        sa.Column('token', sa.String(36)),
        sa.Column('details', sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')),
        sa.Column('quarantine', sa.Text()),
        sa.Column('created_at', sa.DateTime()),
        mysql_engine='InnoDB',
        mysql_charset='utf8mb4',
        mysql_collate='utf8mb4_bin',
    )
    op.create_index('ix_resource_signal_resource_id', 'resource_signal', ['resource_id'])
