"""Alembic's environment: run the migrations.

The connection is that of ``heat_lite.db.migration``, or the URL of ``alembic -x url=...``.
"""

import sqlalchemy
from alembic import context

from heat_lite.db import connections, models


def run(connection):
    context.configure(
        connection=connection, target_metadata=models.metadata, transaction_per_migration=True
    )
    with context.begin_transaction():
        context.run_migrations()
    # SQLite and MariaDB leave the transaction of the last statements open.
    if connection.in_transaction():
        connection.commit()


def main():
    connection = context.config.attributes.get('connection')
    if connection is not None:
        return run(connection)
    engine = sqlalchemy.create_engine(
        connections.full_url(context.get_x_argument(as_dictionary=True)['url'])
    )
    with engine.connect() as connection:
        return run(connection)


main()
