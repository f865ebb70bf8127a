"""The sample file in etc/heat_lite against the options: ``make sample`` writes it anew."""

import re
from pathlib import Path

import pytest

from heat_lite import conf as options

SAMPLE = Path(__file__).resolve().parents[3] / 'etc' / 'heat_lite' / 'heat-lite.conf.sample'
OURS = [(group, option.name) for group, opts in options._groups().items() for option in opts]


@pytest.fixture(scope='module')
def groups():
    """Group -> its part of the file."""
    parts = re.split(r'^\[(.+)\]$', SAMPLE.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize('group, name', OURS)
def test_every_option_is_there_with_its_help(groups, group, name):
    option = next(option for option in options._groups()[group] if option.name == name)
    assert re.search(rf'^#{re.escape(name)} =( |$)', groups[group], re.M)
    assert ' '.join(option.help.split()) in ' '.join(groups[group].replace('\n#', ' ').split())


@pytest.mark.parametrize('group', ['database', 'keystone_authtoken', 'oslo_messaging_rabbit', 'oslo_policy', 'cors'])
def test_what_the_libraries_need_is_there(groups, group):
    assert '\n#' in groups[group]


def test_nothing_is_set(groups):
    assert [line for line in SAMPLE.read_text().splitlines() if line and not line.startswith(('#', '['))] == []
