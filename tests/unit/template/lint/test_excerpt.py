import pytest

from heat_lite.template.lint.excerpt import WIDTH, excerpt


def test_excerpt_is_the_line_with_a_mark():
    assert excerpt('a\n  b: c\n', 2, 3) == ['    2 |   b: c', '      |   ^']


@pytest.mark.parametrize('text, line', [('a\n', 0), ('a\n', 3), ('a\n  \n', 2), ('', 1)])
def test_excerpt_of_a_missing_or_empty_line_is_nothing(text, line):
    assert excerpt(text, line, 1) == []


def test_excerpt_of_a_long_line_is_the_part_around_the_column():
    first, second = excerpt('x' * 500 + 'HERE' + 'x' * 500, 1, 501)
    assert len(first) <= WIDTH + 8
    assert first[second.index('^') :].startswith('HERE')


def test_excerpt_counts_the_columns_of_a_terminal():
    first, second = excerpt('名: x\u0301y', 1, 6)
    assert first == '    1 | 名: x\u0301y' and second.index('^') == len('    1 | ') + 5


@pytest.mark.parametrize('character', ['\x1b', '\x9b', '\u202e', '\r'])
def test_excerpt_replaces_characters_that_a_terminal_obeys(character):
    assert character not in ''.join(excerpt(f'a{character}b', 1, 1))
