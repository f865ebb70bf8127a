"""The take-over of a large database of Heat, and the program that measures it."""

import re

import pytest

from heat_lite.db.heat_database import heat_rows
from heat_lite.operate.heat_database import reader
from tests import databases, engines, heat_database
from tests.heat_database import __main__ as measuring


@pytest.mark.parametrize('backend', heat_database.BACKENDS)
def test_copies_of_the_recorded_stacks_are_taken_over_and_given_back(backend, tmp_path, capsys):
    with heat_database.loaded(backend, tmp_path) as url:
        stacks, resources = measuring.grow(url, 60)
        statuses = [measuring.measure(url, tmp_path, words) for words in measuring.COMMANDS]
    assert (stacks, resources) == (72, 210)
    # the recorded actions in progress are those of engines that were killed
    assert statuses == [0, 0, 1, 0], capsys.readouterr().out
    output = (tmp_path / 'output').read_text()
    assert re.search('72 stacks with 210 resources read, parsed and planned', output)
    assert '0 cannot be carried over completely' in output


def test_batch_with_more_parents_than_are_kept_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, 'PARENTS', 2)
    version = 'heat_template_version: 2021-04-16\n'
    files = {
        'outer.yaml': f'{version}resources: {{inner: {{type: inner.yaml}}}}',
        'inner.yaml': f'{version}resources: {{r: {{type: OS::Heat::RandomString}}}}',
    }
    with databases.migrated('sqlite', tmp_path) as url, engines.running(url) as driver:
        for name in 'abc':
            driver.create({'resources': {'outer': {'type': 'outer.yaml'}}}, name, files=files)
        stacks = reader.Reader(driver.service.runtime)
        (ids,) = heat_rows.living_ids(500)
        for _ in range(2):
            assert [finding.reasons for finding in stacks.read(ids)] == [[]] * 9
