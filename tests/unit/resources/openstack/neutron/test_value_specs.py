"""The entries of value_specs that an update sends."""

import pytest

from heat_lite.resources.openstack.neutron.base import PROFILE, changed_specs

SLOT = {'pci_slot': '0000:03:00.1'}


def test_changed_specs_are_those_that_differ():
    before, after = {'mtu': 1400, 'a': 1}, {'mtu': 1400, 'a': 2, 'b': None}
    assert changed_specs(before, after, dict) == {'a': 2, 'b': None}


@pytest.mark.parametrize(
    ('before', 'after', 'shown', 'sent'),
    [
        ({'a': 1}, {'a': 1, 'b': 2}, {'a': 1, **SLOT}, {'a': 1, **SLOT, 'b': 2}),
        ({'a': 1}, {'b': 2}, {'a': 1, **SLOT}, {**SLOT, 'b': 2}),
        ({'a': 1, 'b': 1}, {'a': 1, 'b': 2}, {'a': 'changed', 'b': 1}, {'a': 'changed', 'b': 2}),
        (None, {}, SLOT, SLOT),
        ({'a': 1}, None, {'a': 1, **SLOT}, SLOT),
    ],
)
def test_profile_is_merged_into_that_of_the_port(before, after, shown, sent):
    specs = [{} if each is None else {PROFILE: each} for each in (before, after)]
    assert changed_specs(*specs, lambda: {PROFILE: shown}) == {PROFILE: sent}


def test_profile_that_neutron_hides_is_sent_as_a_whole():
    before, after = {PROFILE: {'a': 1}}, {PROFILE: {'a': 1, 'b': 2}}
    assert changed_specs(before, after, dict) == after


def test_unchanged_profile_is_not_sent():
    assert changed_specs({PROFILE: {'a': 1}}, {PROFILE: {'a': 1}}, dict) == {}
