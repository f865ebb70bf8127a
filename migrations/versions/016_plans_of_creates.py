"""Let plans be those of creates: of a project, without a stack."""

import sqlalchemy as sa
from alembic import op

revision = '016'
down_revision = '015'


def upgrade():
    with op.batch_alter_table('stack_plan') as batch:
        batch.alter_column('stack_id', existing_type=sa.String(36), nullable=True)
        batch.add_column(sa.Column('tenant', sa.String(256)))
    op.create_index('ix_stack_plan_tenant', 'stack_plan', ['tenant'])
