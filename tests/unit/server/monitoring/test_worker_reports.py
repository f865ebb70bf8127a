"""The reports of the workers of a program, and what they say together."""

import subprocess
import tempfile

import pytest

from heat_lite.server.monitoring import worker_reports

OK = {'status': 'ok', 'checks': [{'name': 'broker', 'status': 'ok'}]}
FAILING = {
    'status': 'failing',
    'checks': [{'name': 'broker', 'status': 'failing', 'reason': 'refused', 'seconds': 7.0}],
}


@pytest.fixture
def reports(tmp_path):
    return worker_reports.Reports(tmp_path, 2)


def test_program_is_ready_when_a_worker_is(reports):
    assert worker_reports.readiness(reports.read())[0] is False
    reports.write(0, FAILING)
    ready, body = worker_reports.readiness(reports.read())
    assert not ready and body['status'] == 'failing'
    assert body['workers'][0]['checks'] == FAILING['checks']
    assert body['workers'][1]['status'] == 'starting'
    reports.write(1, OK)
    ready, body = worker_reports.readiness(reports.read())
    assert ready and body['status'] == 'degraded'
    reports.write(0, OK)
    assert worker_reports.readiness(reports.read())[1]['status'] == 'ok'


def test_program_whose_parts_fail_lives(reports):
    for number in range(2):
        reports.write(number, FAILING)
    live, body = worker_reports.liveness(reports.read())
    assert live and body['status'] == 'ok'
    assert 'checks' not in body['workers'][0]


def test_program_whose_workers_are_silent_does_not_live(reports, monkeypatch):
    reports.write(0, OK)
    reports.write(1, OK)
    monkeypatch.setattr(worker_reports, 'SILENT_SECONDS', -1)
    live, body = worker_reports.liveness(reports.read())
    assert not live and {each['status'] for each in body['workers']} == {'silent'}
    assert not worker_reports.readiness(reports.read())[0]


def test_program_that_never_starts_does_not_live(reports, monkeypatch):
    assert worker_reports.liveness(reports.read())[0]
    monkeypatch.setattr(worker_reports, 'START_SECONDS', -1)
    assert not worker_reports.liveness(reports.read())[0]


def test_folder_is_that_of_the_first_process(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    monkeypatch.delenv(worker_reports.VARIABLE, raising=False)
    ended = subprocess.Popen(['true'])
    ended.wait()
    abandoned = tmp_path / f'{worker_reports.PREFIX}{ended.pid}-x'
    abandoned.mkdir()
    folder = worker_reports.open_folder()
    assert worker_reports.open_folder() == folder and not abandoned.exists()
    worker_reports.close_folder(folder)
    assert not folder.exists()


def test_report_that_cannot_be_written_is_followed_by_the_next(reports, tmp_path):
    """An error would end the thread that reports, e.g. while the disk is full."""
    obstacle = tmp_path / 'worker-0.new'
    obstacle.mkdir()
    reports.write(0, OK)
    obstacle.rmdir()
    reports.write(0, OK)
    assert reports.read()[0]['status'] == 'ok'
