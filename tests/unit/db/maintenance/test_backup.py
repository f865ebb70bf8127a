"""Backups: written from each kind of database, and restored into each other kind."""

import gzip
import os
import stat

import pytest
from sqlalchemy import insert

from heat_lite.common.context import RequestContext
from heat_lite.db import migration, models, session, stacks
from heat_lite.db.maintenance import backup
from tests import databases

#: {kind of database: another kind, which gets its rows}
TARGETS = {'sqlite': 'mysql', 'mysql': 'postgresql', 'postgresql': 'sqlite'}
SECRET_TEXT = 'a "secret" with ümlauts\n'


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / 'heat.backup.gz')


@session.writer
def more_rows(stack_id):
    session.execute(
        insert(models.resource), [{'stack_id': stack_id, 'name': f'r{n}'} for n in range(600)]
    )
    event = {'stack_id': stack_id, 'resource_properties': b'\x00\xff', 'resource_name': SECRET_TEXT}
    session.execute(insert(models.event), [event])


def rows_of(file):
    """The lines of a backup after its header, which has its time. PostgreSQL gives no order."""
    return sorted(gzip.open(file, 'rt').read().splitlines()[1:])


def test_restored_rows_are_those_of_the_backup(context, make_stack, file, tmp_path):
    stack_id = make_stack(tags=['one', 'ümlaut'], status='COMPLETE', action='CREATE')
    more_rows(stack_id)
    source = session.engine().url
    counts = backup.write(file, migration.newest())
    assert (counts['stack'], counts['resource'], counts['event']) == (1, 600, 1)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    target = TARGETS[session.dialect()]
    with databases.migrated(target, tmp_path) as url, databases.configured(url):
        restored = backup.read(file, migration.newest())
        assert restored == {name: count for name, count in counts.items() if count}
        assert stacks.get(context, stack_id).name == 'web'
        backup.write(again := str(tmp_path / 'again.gz'), migration.newest())
        assert rows_of(again) == rows_of(file)
        # new rows are numbered after the restored ones
        databases.make_stack(RequestContext(project_id='tenant', overwrite=False), 'second')
        more_rows(stack_id)
        with pytest.raises(ValueError, match='has rows. Restore into a new database'):
            backup.read(file, migration.newest())
    databases.connect(source.render_as_string(hide_password=False))


def test_existing_file_is_not_overwritten(database, file):
    backup.write(file, '001')
    with pytest.raises(FileExistsError, match='exists already'):
        backup.write(file, '001')


def test_damaged_or_foreign_files_change_nothing(make_stack, file, tmp_path):
    make_stack()
    backup.write(file, '001')
    databases.delete_all_rows()
    lines = gzip.open(file, 'rt').read().splitlines(keepends=True)
    cut = str(tmp_path / 'cut.gz')
    with gzip.open(cut, 'wt') as out:
        out.writelines(lines[:-1])
    with pytest.raises(ValueError, match='its end is missing'):
        backup.read(cut, '001')
    with open(cut, 'wb') as raw:
        raw.write(open(file, 'rb').read()[:-30])
    with pytest.raises(ValueError, match='is damaged'):
        backup.read(cut, '001')
    with pytest.raises(ValueError, match='db_sync 001'):
        backup.read(file, '002')
    with gzip.open(cut, 'wt') as out:
        out.write('{}\n')
    with pytest.raises(ValueError, match='is no backup'):
        backup.read(cut, '001')
    assert databases.dump() == ''
