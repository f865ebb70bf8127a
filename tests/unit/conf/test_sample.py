"""The sample file in etc/heat_lite, which ``make sample`` generates from the options."""

import re
from pathlib import Path

import pytest

from heat_lite import conf as options

SAMPLE = Path(__file__).resolve().parents[3] / 'etc' / 'heat_lite' / 'heat-lite.conf.sample'
OURS = [(group, option.name) for group, opts in options.groups().items() for option in opts]


@pytest.fixture(scope='module')
def groups():
    """Return the section of each group in the file."""
    parts = re.split(r'^\[(.+)\]$', SAMPLE.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize('group, name', OURS)
def test_sample_has_every_option_with_its_help(groups, group, name):
    option = next(option for option in options.groups()[group] if option.name == name)
    assert re.search(rf'^#{re.escape(name)} =( |$)', groups[group], re.M)
    assert ' '.join(option.help.split()) in ' '.join(groups[group].replace('\n#', ' ').split())


@pytest.mark.parametrize(
    'group', ['database', 'keystone_authtoken', 'oslo_messaging_rabbit', 'oslo_policy', 'cors']
)
def test_sample_has_the_options_of_a_library(groups, group):
    assert '\n#' in groups[group]


def test_sample_sets_no_option(groups):
    assert [
        line for line in SAMPLE.read_text().splitlines() if line and not line.startswith(('#', '['))
    ] == []
