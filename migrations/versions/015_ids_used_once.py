"""Let SQLite use no id of a signal or an event again, as the other databases do.

What still knows a deleted row by its id would take another one for it.
"""

from alembic import op

revision = '015'
down_revision = '014'


def upgrade():
    if op.get_bind().dialect.name == 'sqlite':
        for name in ('resource_signal', 'event'):
            with op.batch_alter_table(
                name, recreate='always', table_kwargs={'sqlite_autoincrement': True}
            ):
                pass
