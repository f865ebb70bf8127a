"""Each field of the classes of openstacksdk is a property, or has a reason why it is none."""

import functools

import pytest

pytest.importorskip('openstack')

from tests.real import sdk_properties


@functools.cache
def rows():
    return list(sdk_properties.rows())


def test_each_field_of_the_classes_is_decided():
    assert len(rows()) > 1000
    reasons = ('property', 'shown', 'another', 'value_specs', 'not wanted')
    assert [row for row in rows() if not (row[2] or '').startswith(reasons)] == []


def test_each_decision_is_of_a_field_that_is_no_property():
    open_fields = {row[:2] for row in rows() if row[2] != sdk_properties.PROPERTY}
    decided = {
        (name, field)
        for name, fields in sdk_properties.DECISIONS['types'].items()
        for field in fields
        if '*' not in field
    }
    assert decided - open_fields == set()
