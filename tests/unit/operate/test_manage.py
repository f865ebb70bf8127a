"""``heat-lite-manage`` as a process, on an SQLite file."""

import os
import subprocess
import sys

import pytest

from heat_lite.db import migration


@pytest.fixture(scope='module')
def manage(tmp_path_factory):
    folder = tmp_path_factory.mktemp('manage')
    file = folder / 'heat-lite.conf'
    file.write_text(f'[database]\nconnection = sqlite:///{folder}/heat.sqlite\n')
    environ = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}

    def run(*arguments, config=file, stdin=''):
        command = [sys.executable, '-W', 'ignore', '-m', 'heat_lite.operate.manage']
        command += ['--config-file', str(config)] if config else []
        return subprocess.run(
            [*command, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env=environ,
            cwd=folder,
        )

    return run


@pytest.fixture(scope='module')
def synced(manage):
    before = manage('db_version')
    assert (before.returncode, before.stdout.strip()) == (0, 'none: db_sync has not run')
    done = manage('db_sync')
    assert done.returncode == 0, done.stderr
    return manage


def test_db_version_after_db_sync_is_the_newest(synced):
    assert synced('db_version').stdout.strip() == migration.newest()


def test_db_sync_to_an_unknown_revision_is_refused_with_a_line(synced):
    done = synced('db_sync', 'nonsense')
    assert done.returncode == 1 and 'Traceback' not in done.stderr
    assert "Can't locate revision identified by 'nonsense'" in done.stderr


def test_db_sync_again_and_to_a_revision(synced):
    assert synced('db_sync').returncode == 0
    assert synced('db_sync', '001').returncode == 0
    assert synced('db_sync', '999').returncode != 0


def test_service_without_engines_lists_headers_and_cleans_none(synced):
    listed = synced('service', 'list')
    assert listed.returncode == 0
    assert listed.stdout.split() == [
        'hostname',
        'binary',
        'engine_id',
        'host',
        'topic',
        'status',
        'updated_at',
    ]
    cleaned = synced('service', 'clean')
    assert (cleaned.returncode, cleaned.stdout.strip()) == (0, 'Dead engines removed: 0')


def test_purge_deleted_with_and_without_options_succeeds(synced):
    assert synced('purge_deleted').returncode == 0
    assert synced('purge_deleted', '1', '-g', 'hours', '-p', 'p1', '-b', '5').returncode == 0


def test_update_params_encrypt_and_decrypt_succeed(synced):
    done = synced('update_params', 'encrypt', '-b', '7')
    assert (done.returncode, done.stdout) == (
        0,
        'Set encrypt_parameters_and_properties = true; otherwise new data will not be encrypted.\n',
    )
    done = synced('update_params', 'decrypt', 'the key before', '--verbose-update-params')
    assert (
        done.returncode == 0
        and 'user_creds: 0 rows changed\n' in done.stdout
        and 'raw_template: 0 rows changed\n' in done.stdout
    )


@pytest.mark.parametrize(
    'arguments',
    [
        ['update_params', 'seal'],
        ['purge_deleted', '-g', 'years'],
        ['purge_deleted', '--', '-1'],
        ['purge_deleted', 'old'],
        [],
        ['bake'],
    ],
)
def test_wrong_arguments_print_the_usage(synced, arguments):
    done = synced(*arguments)
    assert done.returncode == 2
    assert 'usage:' in done.stderr


def test_migrate_properties_data_without_former_rows_moves_none(synced):
    done = synced('migrate_properties_data')
    assert (done.returncode, done.stdout) == (
        0,
        'Moved the properties of 0 resources and 0 events.\n',
    )


def test_missing_rows_are_named_in_the_error(synced):
    for arguments, stdin, words in (
        (['resource_data_list', '7'], '', 'The Resource (7) could not be found.'),
        (
            ['resource_data_list', 'web'],
            '',
            "The id of a resource is the number of its row, not 'web'.",
        ),
        (['reset_stack_status', 'gone'], 'y\n', 'The Stack (gone) could not be found.'),
    ):
        done = synced(*arguments, stdin=stdin)
        assert (done.returncode, done.stderr.strip()) == (1, f'heat-lite-manage: {words}')


def test_reset_stack_status_without_confirmation_changes_nothing(synced):
    done = synced('reset_stack_status', 'gone', stdin='n\n')
    assert done.returncode == 0 and 'Continue ? [y/N]' in done.stdout


def test_unreachable_database_is_reported_in_one_line(manage, tmp_path):
    bad = tmp_path / 'bad.conf'
    bad.write_text('[database]\nconnection = sqlite:////nowhere/at/all.sqlite\n')
    for verb in ('db_sync', 'db_version', 'purge_deleted'):
        done = manage(verb, config=bad)
        assert done.returncode == 1
        assert done.stderr.startswith(
            'heat-lite-manage: The database of [database] connection failed: '
            '(sqlite3.OperationalError) unable to open'
        )
        assert len(done.stderr.splitlines()) == 1


def test_missing_connection_option_is_reported(manage, tmp_path):
    empty = tmp_path / 'empty.conf'
    empty.write_text('')
    done = manage('db_version', config=empty)
    assert done.returncode == 1
    assert 'connection is not set' in done.stderr


def test_config_check_needs_no_database(manage, tmp_path):
    file = tmp_path / 'heat.conf'
    file.write_text('[DEFAULT]\nnum_engine_worker = 3\n')
    done = manage('config_check', str(file), config=None)
    assert done.returncode == 1
    assert f'{file}:2: unknown: [DEFAULT] num_engine_worker: ' in done.stdout
    assert 'num_engine_workers' in done.stdout
    missing = manage('config_check', str(tmp_path / 'absent.conf'), config=None)
    assert missing.returncode == 1 and 'absent.conf' in missing.stderr
