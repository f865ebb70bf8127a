"""The program that measures the take-over of a large database of Heat."""

import re

import pytest

from tests import heat_database
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
