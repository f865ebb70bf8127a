"""Exchange the index of times of deletion for one in the order of lists, and add one of states.

Each step looks at what is there, so that all can be repeated after a failure; MariaDB commits each
statement by itself. Engines go on meanwhile.
"""

import sqlalchemy as sa
from alembic import op

revision = '013'
down_revision = '012'

OLD = 'ix_stack_deleted_at'
NEW = {
    'ix_stack_newest': ['deleted_at', 'created_at', 'id'],
    'ix_stack_status': ['status'],
}


def upgrade():
    with op.get_context().autocommit_block():
        for name, columns in NEW.items():
            is_unfinished = indexes().get(name)  # what PostgreSQL keeps of an interrupted build
            if is_unfinished:
                op.drop_index(name, 'stack', postgresql_concurrently=True)
            if is_unfinished is not False:
                op.create_index(name, 'stack', columns, postgresql_concurrently=True)
        if OLD in indexes():
            op.drop_index(OLD, 'stack', postgresql_concurrently=True)


def indexes():
    """Return whether an index is unfinished by the name of each."""
    return {
        each['name']: bool(each.get('dialect_options', {}).get('postgresql_invalid'))
        for each in sa.inspect(op.get_bind()).get_indexes('stack')
    }
