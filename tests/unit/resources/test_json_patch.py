"""Changes as lists of steps."""

from heat_lite.resources import json_patch


def test_what_is_there_is_replaced_and_what_is_not_is_added():
    assert json_patch.steps({'a': 1}, {'a': 2, 'b': 3}) == [
        {'op': 'replace', 'path': '/a', 'value': 2},
        {'op': 'add', 'path': '/b', 'value': 3},
    ]


def test_what_is_none_goes_if_it_is_there():
    assert json_patch.steps({'a': 1, 'c': None}, {'a': None, 'b': None, 'c': None}) == [{'op': 'remove', 'path': '/a'}]
