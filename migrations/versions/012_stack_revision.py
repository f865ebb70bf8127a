"""Add the revisions of stacks. There are none before the next change of a stack."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = '012'
down_revision = '011'


def upgrade():
    op.create_table(
        'stack_revision',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column(
            'stack_id', sa.String(36), sa.ForeignKey('stack.id', ondelete='CASCADE'), nullable=False
        ),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column(
            'raw_template_id',
            sa.Integer(),
            sa.ForeignKey('raw_template.id', ondelete='CASCADE'),
            nullable=False,
        ),
        sa.Column('options', sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')),
        sa.Column('username', sa.String(256)),
        sa.Column('message', sa.String(255)),
        sa.Column('action', sa.String(255)),
        sa.Column('status', sa.String(255)),
        sa.Column('status_reason', sa.Text()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
        sa.UniqueConstraint('stack_id', 'number', name='uniq_stack_revision0stack_id0number'),
        mysql_engine='InnoDB',
        mysql_charset='utf8mb4',
        mysql_collate='utf8mb4_bin',
    )
    op.create_index('ix_stack_revision_raw_template_id', 'stack_revision', ['raw_template_id'])
