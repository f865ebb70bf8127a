import math

import pytest

from heat_lite.common import value_texts

VALUES = [
    # value, kind, bare, quoted
    ('a "b"', 'a text', 'a "b"', '"a "b""'),
    (5, 'a number', '5', '"5"'),
    (1.5, 'a number', '1.5', '"1.5"'),
    (True, 'a boolean', 'true', 'true'),
    (None, 'null', 'null', 'null'),
    ([None, 'ä'], 'a list', '[null, "ä"]', '[null, "ä"]'),
    ((1,), 'a list', '[1]', '[1]'),
    ({'a': False}, 'a map', '{"a": false}', '{"a": false}'),
]


@pytest.mark.parametrize(('value', 'kind', 'bare', 'quoted'), VALUES)
def test_value_is_shown_in_the_words_of_the_language(value, kind, bare, quoted):
    assert value_texts.kind_of(value) == kind
    assert value_texts.bare(value) == bare
    assert value_texts.quoted(value) == quoted


def test_long_value_is_shown_in_part():
    shown = value_texts.as_json(['x' * 300])
    assert shown == '["' + 'x' * (value_texts.MAX_SHOWN - 2) + '...'


def test_json_has_texts_in_the_place_of_numbers_that_it_does_not_have():
    read = value_texts.from_json('[NaN, -Infinity, 1e999, 1.5, 2]')
    assert read == ['NaN', '-Infinity', '1e999', 1.5, 2]
    assert value_texts.to_json({'a': [math.nan, math.inf], 'b': 1.5}) == (
        '{"a": ["NaN", "Infinity"], "b": 1.5}'
    )
