"""Names that somebody may have meant."""

import time

import pytest

from heat_lite.template.suggest import closest, say, say_word, suggest

KNOWN = ['OS::Heat::TestResource', 'get_param', 'get_resource', 'get_attr', 'list_join', 'str_replace', 'OS::Heat::Value', 'r1']


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
def test_slips_of_the_pen(written, meant):
    assert closest(written, KNOWN) == meant
    assert suggest(written, KNOWN) == f' Did you mean "{meant}"?'


@pytest.mark.parametrize('written', ['r2', 'nothing', '', None, 7, [], 'x' * 5000, 'OS::Nova::Flavor', 'OS::Heat::ResourceGroup'])
def test_nothing_is_made_up(written):
    assert closest(written, KNOWN) is None
    assert suggest(written, KNOWN) == ''


def test_a_name_is_not_suggested_for_itself():
    assert closest('get_param', KNOWN) is None


def test_the_answer_does_not_depend_on_the_order_of_the_names():
    names = ['disk_a', 'disk_b', 'disk_c']
    assert closest('disk_x', names) == closest('disk_x', reversed(names))


def test_many_long_names_cost_little():
    names = [f'{number:04}' + 'n' * 96 for number in range(100_000)]
    begun = time.process_time()
    closest('m' * 100, names)
    assert time.process_time() - begun < 2


def test_a_sentence_follows_the_text():
    assert say('No such thing', 'get_parm', KNOWN) == say('No such thing.', 'get_parm', KNOWN) == 'No such thing. Did you mean "get_param"?'
    assert say('No such thing', 'else', KNOWN) == 'No such thing'


@pytest.mark.parametrize(('word', 'hint'), [('DependsOn', ''), ('Type', ''), ('depend_on', '. Did you mean "depends_on"?'), (7, '')])
def test_words_of_the_other_dialect_are_meant(word, hint):
    assert say_word('Bad', word, ['depends_on', 'type']) == f'Bad{hint}'
