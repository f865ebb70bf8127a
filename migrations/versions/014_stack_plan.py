"""Add the plans of updates."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = '014'
down_revision = '013'


def upgrade():
    op.create_table(
        'stack_plan',
        sa.Column('id', sa.String(36), primary_key=True),
        sa.Column(
            'stack_id', sa.String(36), sa.ForeignKey('stack.id', ondelete='CASCADE'), nullable=False
        ),
        sa.Column(
            'raw_template_id',
            sa.Integer(),
            sa.ForeignKey('raw_template.id', ondelete='CASCADE'),
            nullable=False,
        ),
        sa.Column('content', sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')),
        sa.Column('user_id', sa.String(64)),
        sa.Column('username', sa.String(256)),
        sa.Column('approver', sa.String(256)),
        sa.Column('approved_at', sa.DateTime()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('expires_at', sa.DateTime()),
        mysql_engine='InnoDB',
        mysql_charset='utf8mb4',
        mysql_collate='utf8mb4_bin',
    )
    for name in ('stack_id', 'raw_template_id', 'expires_at'):
        op.create_index(f'ix_stack_plan_{name}', 'stack_plan', [name])
