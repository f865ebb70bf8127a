"""JSON Patch operations."""

from heat_lite.resources.base import json_patch


def test_operations_replace_existing_keys_and_add_new_ones():
    assert json_patch.operations({'a': 1}, {'a': 2, 'b': 3}) == [
        {'op': 'replace', 'path': '/a', 'value': 2},
        {'op': 'add', 'path': '/b', 'value': 3},
    ]


def test_operations_remove_existing_keys_without_a_value():
    assert json_patch.operations({'a': 1, 'c': None}, {'a': None, 'b': None, 'c': None}) == [
        {'op': 'remove', 'path': '/a'}
    ]
