"""Add the alarms that engines evaluate, and their measurements. There are none yet."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = '006'
down_revision = '005'


def upgrade():
    _rules()
    _data()
    # finds the stacks whose users send a measurement
    op.create_index('ix_stack_user_project', 'stack', ['stack_user_project_id'])


def _rules():
    _table(
        'watch_rule',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'), nullable=False),
        sa.Column('name', sa.String(255)),
        sa.Column('rule', _json()),
        sa.Column('state', sa.String(255)),
        sa.Column('last_evaluated', sa.DateTime()),
        sa.Column('due_at', sa.DateTime()),
        sa.Column('metric_name', sa.String(255)),
    )
    for column in ('stack_id', 'name', 'due_at', 'metric_name'):
        op.create_index(f'ix_watch_rule_{column}', 'watch_rule', [column])


def _data():
    _table(
        'watch_data',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
        sa.Column(
            'watch_rule_id',
            sa.Integer(),
            sa.ForeignKey('watch_rule.id', ondelete='CASCADE'),
            nullable=False,
        ),
        sa.Column('data', _json()),
    )
    op.create_index('ix_watch_data_rule_created', 'watch_data', ['watch_rule_id', 'created_at'])


def _json():
    return sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')


def _table(name, *columns):
    op.create_table(
        name, *columns, mysql_engine='InnoDB', mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin'
    )
