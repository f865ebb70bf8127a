"""Suggestions for misspelt names."""

import gc
import itertools
import tracemalloc

import pytest

from heat_lite.template.suggest import (
    closest_match,
    suggest,
    with_keyword_suggestion,
    with_suggestion,
)
from tests.effort import count_calls

KNOWN = [
    'OS::Heat::TestResource',
    'get_param',
    'get_resource',
    'get_attr',
    'list_join',
    'str_replace',
    'OS::Heat::Value',
    'r1',
]


@pytest.mark.parametrize(
    ('written', 'meant'),
    [
        ('get_parm', 'get_param'),
        ('get_resouce', 'get_resource'),
        ('lst_join', 'list_join'),
        ('Get_Param', 'get_param'),
        ('OS::Heat::Valeu', 'OS::Heat::Value'),
        ('os::heat::value', 'OS::Heat::Value'),
    ],
)
def test_suggest_misspelt_name_returns_the_known_name(written, meant):
    assert closest_match(written, KNOWN) == meant
    assert suggest(written, KNOWN) == f' Did you mean "{meant}"?'


@pytest.mark.parametrize(
    'written',
    ['r2', 'nothing', '', None, 7, [], 'x' * 5000, 'OS::Nova::Flavor', 'OS::Heat::ResourceGroup'],
)
def test_suggest_unrelated_name_returns_nothing(written):
    assert closest_match(written, KNOWN) is None
    assert suggest(written, KNOWN) == ''


def test_suggest_known_name_is_not_suggested_for_itself():
    assert closest_match('get_param', KNOWN) is None


@pytest.mark.parametrize(
    ('written', 'declared', 'hint'),
    [
        ('False', 'false', ' YAML reads no, off and false as false unless they are in quotes.'),
        ('no', 'false', ' YAML reads no, off and false as false unless they are in quotes.'),
        ('False', 'No', ' YAML reads no, off and false as false unless they are in quotes.'),
        ('True', 'on', ' YAML reads yes, on and true as true unless they are in quotes.'),
        ('True', 'false', ''),
        ('norway', 'false', ''),
    ],
)
def test_suggest_name_that_yaml_reads_as_a_boolean_says_to_quote_it(written, declared, hint):
    assert suggest(written, ['web', declared]) == hint


def test_suggest_result_is_independent_of_the_order():
    names = ['disk_a', 'disk_b', 'disk_c']
    assert closest_match('disk_x', names) == closest_match('disk_x', reversed(names))


def test_suggest_many_long_names_take_little_time():
    names = [f'{number:04}' + 'n' * 96 for number in range(100_000)]
    assert count_calls(lambda: closest_match('m' * 100, names)) < 800_000


def test_suggest_for_many_misspelt_names_takes_little_time():
    names = [f'OS::Service{number}::Thing{number}' for number in range(400)]

    def look():
        for number in range(5000):
            assert closest_match(f'OS::Service{number % 400}::Thng{number % 400}', names)

    assert count_calls(look) < 6_000_000


def test_suggest_among_many_similar_names_takes_little_time():
    names = [f'param_{number}' for number in range(5000)]

    def look():
        for number in range(2000):
            assert closest_match(f'parm_{number}', names)

    assert count_calls(look) < 3_000_000


def hostile_names(number, length):
    """Return names of letters that each occur once."""
    letters = (chr(code) for code in itertools.cycle(range(0x4E00, 0x9FFF)))
    return [''.join(itertools.islice(letters, length)) for _ in range(number)]


@pytest.mark.parametrize(('number', 'length'), [(20_000, 12), (20_000, 100), (60_000, 3)])
def test_suggest_among_hostile_names_keeps_little_memory(number, length):
    tracemalloc.start()
    try:
        for salt in 'ab':
            names = [name[:-1] + salt for name in hostile_names(number, length)]
            for name in names[:300]:
                closest_match(name[1:] + name[0], names)
        del names
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 6_000_000, f'{kept:,} bytes'


def test_suggest_among_very_many_letters_finds_the_similar_name():
    names = hostile_names(60, 12)
    for name in names:
        assert closest_match(name[:-1] + 'x', names) == name


def test_suggest_among_too_many_names_finds_one_of_the_first():
    names = [f'{number:05}{"n" * 60}' for number in range(20_000)]
    assert closest_match(names[7] + 'x', names) == names[7]


def test_suggest_among_long_names_and_others_finds_the_similar_name():
    assert closest_match('get_parm', ['x' * 200_000, None, 7, [], *KNOWN]) == 'get_param'


def test_with_suggestion_appends_a_sentence():
    assert (
        with_suggestion('No such thing', 'get_parm', KNOWN)
        == with_suggestion('No such thing.', 'get_parm', KNOWN)
        == 'No such thing. Did you mean "get_param"?'
    )
    assert with_suggestion('No such thing', 'else', KNOWN) == 'No such thing'


@pytest.mark.parametrize(
    ('word', 'hint'),
    [('DependsOn', ''), ('Type', ''), ('depend_on', '. Did you mean "depends_on"?'), (7, '')],
)
def test_keyword_suggestion_ignores_keywords_of_the_other_dialect(word, hint):
    assert with_keyword_suggestion('Bad', word, ['depends_on', 'type']) == f'Bad{hint}'
