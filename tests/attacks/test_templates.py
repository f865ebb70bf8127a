"""Templates that are short and cost much: each is refused with the name of a limit, and soon."""

import time

import pytest

from heat_lite.template import environment, members, merge, reader
from heat_lite.template.function import Function, Scope, resolve
from heat_lite.template.functions import budget, lists_and_maps, refs, replacement, strings, yaql
from tests.attacks import bystander
from tests.functional import shapes

VERSION = '2018-08-31'
SECONDS = 10  # of the test machine, which may be busy
# of work of the service during one request of another project; the aim is 1
BYSTANDER_SECONDS = 2
LONG = 'x' * 2047 + ','
FOUR_MB = strings.JoinLists('list_join', ['', [LONG * 64] * 31])


def expression(text, data=None):
    return yaql.Yaql('yaql', {'expression': text, 'data': data or {}})


#: what one request asks for, and what the error says
GREEDY = {
    'repeat with growth in its values': (
        [
            lists_and_maps.Repeat(
                'repeat',
                {'template': 'a', 'for_each': {'a': ['b' * 1000] * 300, 'b': ['c' * 100] * 300}},
            )
        ],
        'would give a text',
    ),
    'many list_joins': ([FOUR_MB] * 400, r'exceeds a limit .* characters'),
    'many str_splits': (
        [strings.StrSplit('str_split', [',', FOUR_MB])] * 200,
        r'exceeds a limit .* characters',
    ),
    'a str_split of many parts': (
        [strings.StrSplit('str_split', ['x', FOUR_MB])],
        'would give .* values',
    ),
    'str_replace of 9,000 keys in a long text': (
        [
            strings.Replace(
                'str_replace',
                {
                    'template': FOUR_MB,
                    'params': {f'k{n}' * (1 + n % 90): '' for n in range(9_000)},
                },
            )
        ],
        'exceeds a limit .* steps',
    ),
    'str_replace of many short parts': (
        [
            strings.Replace(
                'str_replace',
                {
                    'template': strings.JoinLists('list_join', ['', ['ab' * 50_000] * 40]),
                    'params': {letter: '-' for letter in 'abcdefghijklmnopqrstuvwxyz'},
                },
            )
        ],
        'exceeds a limit .* steps',
    ),
    'map_replace that repeats a long value': (
        [
            lists_and_maps.MapReplace(
                'map_replace', [{f'k{n}': 'v' for n in range(2000)}, {'values': {'v': FOUR_MB}}]
            )
        ],
        r'exceeds a limit .* characters',
    ),
    'get_file of a long file 20,000 times': (
        [[refs.GetFile('get_file', 'f')] * 20_000],
        r'"get_file" exceeds a limit .* characters',
    ),
    'get_param of a long text 20,000 times': (
        [[refs.GetParam('get_param', 'p')] * 20_000],
        r'"get_param" exceeds a limit .* characters',
    ),
    'get_param of a long list 20,000 times': (
        [[refs.GetParam('get_param', 'l')] * 20_000],
        r'"get_param" exceeds a limit .* values',
    ),
    'digests': (
        [strings.Digest('digest', ['sha512', FOUR_MB])] * 100,
        r'exceeds a limit .* characters',
    ),
    'yaql: a power': ([expression('pow(7, 6000000)')], 'would compute a number'),
    'yaql: a modular power': (
        [expression('pow(7, shiftBitsLeft(1, 20000), shiftBitsLeft(1, 20000) + 1)')],
        'would compute a number',
    ),
    'yaql: a shift': ([expression('shiftBitsLeft(1, 8589934592)')], 'would compute a number'),
    'yaql: rounding': ([expression('round(5, -1000000000)')], 'rounds to at most'),
    'yaql: many values': (
        [expression('range(200).select(range(200).select(range(200).select(range(200))))')],
        'would give .* values',
    ),
    'yaql: nested ranges': (
        [
            expression(
                'range(200).select(range(200).select(range(200).select(1).sum()).sum()).sum()'
            )
        ],
        'exceeds a limit of the whole request: 2 seconds',
    ),
}


@pytest.fixture
def host(monkeypatch):
    """The clock that engines use, and less time than they give."""
    monkeypatch.setattr(budget, 'host', budget.Host(time.process_time, time.monotonic))
    monkeypatch.setattr(budget.limits, 'seconds', 2.0)


class LongScope(Scope):
    """A scope with a long file and long parameters."""

    def file(self, name):
        return 'x' * 400_000

    def parameter(self, name):
        return 'x' * 100_000 if name == 'p' else [1] * 100_000


@pytest.mark.parametrize('name', GREEDY)
def test_request_over_a_limit_is_refused(name, host):
    nodes, reason = GREEDY[name]
    begun = time.process_time()
    with budget.fresh(), pytest.raises(ValueError, match=reason):
        for node in nodes:
            resolve(node, LongScope())
    assert time.process_time() - begun < SECONDS


COLLIDING = [str(number * (2**61 - 1)) for number in range(1, 22_001)]
#: work that a limit need not refuse, since it is linear
LINEAR = {
    'filter': lambda: lists_and_maps.Filter(
        'filter', [[f'a{n}' for n in range(22_000)], [f'b{n}' for n in range(22_000)]]
    ),
    'filter of maps': lambda: lists_and_maps.Filter(
        'filter', [[{'a': n} for n in range(20_000)], [{'a': [n]} for n in range(20_000)]]
    ),
    'filter of numbers with one hash': lambda: lists_and_maps.Filter(
        'filter', [list(map(int, COLLIDING)), [-int(each) for each in COLLIDING]]
    ),
    'list_concat_unique': lambda: lists_and_maps.ListConcatUnique(
        'list_concat_unique', [[{'a': n} for n in range(30_000)]]
    ),
    'str_replace': lambda: strings.Replace(
        'str_replace',
        {
            'template': ' '.join(f'key{n:05}' for n in range(20_000)),
            'params': {f'key{n:05}': 'v' for n in range(20_000)},
        },
    ),
}


@pytest.mark.parametrize('name', LINEAR)
def test_linear_work_is_done_soon(name):
    node: Function = LINEAR[name]()
    begun = time.process_time()
    with budget.fresh():
        node.result(Scope())
    assert time.process_time() - begun < 4


def test_equal_values_are_found_as_before():
    values = [1, True, 1.0, 2**70, float(2**70), 'a', {'x': [1]}, {'x': [True]}, [1], ['1'], None]
    unique = lists_and_maps.ListConcatUnique('list_concat_unique', [values]).result(Scope())
    assert unique == [1, 2**70, 'a', {'x': [1]}, [1], ['1'], None]
    kept = lists_and_maps.Filter('filter', [[True, {'x': [1.0]}], values]).result(Scope())
    assert kept == [2**70, float(2**70), 'a', [1], ['1'], None]


def test_many_keys_are_replaced_as_few_are():
    text = 'abcabcdbcdaab' * 3
    pairs = [('bcd', 'X'), ('ab', 'a'), ('bc', ''), ('ca', 'Y'), ('a', 'Z'), ('z', '-')]
    more = [(f'{n:03}', 'none') for n in range(100)]
    few, unused = replacement.replace(text, pairs, 'str_replace')
    many, unused_many = replacement.replace(text, [*more, *pairs], 'str_replace')
    assert many == few
    assert [key for key in unused_many if not key.isdigit()] == unused == ['bc', 'z']


def test_group_of_large_members_is_refused(host):
    template = {'heat_template_version': VERSION, 'text': '%index%' + 'x' * 300_000}
    with budget.fresh(), pytest.raises(budget.LimitExceeded, match='members of the group'):
        for number in range(300):
            members.render_member(template, '%index%', str(number))


def test_environment_file_named_often_is_read_once(host):
    text = 'parameters:\n  a: ' + 'x' * 400_000
    begun = time.process_time()
    with budget.fresh(), pytest.raises(budget.LimitExceeded, match='environment file e'):
        merge.merge_environments({}, {'e': text}, ['e'] * 3000, {})
    assert time.process_time() - begun < SECONDS
    few = merge.merge_environments({}, {'e': text}, ['e'] * 3, {})
    assert few[environment.PARAMETERS] == {'a': 'x' * 400_000}


def test_aliases_of_small_values_are_refused():
    rows = '  a0: &a0 [~, ~, ~, ~, ~, ~, ~, ~, ~, ~]\n' + ''.join(
        f'  a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 10)}]\n' for n in range(1, 6)
    )
    with pytest.raises(reader.FormatError, match='unfold to too much'):
        reader.parse(f'heat_template_version: {VERSION}\nparameters:\n{rows}')


@pytest.mark.parametrize('number', [':'.join(['1'] * 200_000), '1' + ':59' * 100_000 + '.5'])
def test_sexagesimal_number_is_refused_at_once(number):
    begun = time.process_time()
    with pytest.raises(reader.FormatError, match='a number of .* characters'):
        reader.parse(f'heat_template_version: {VERSION}\ndescription: {number}')
    assert time.process_time() - begun < 2


def of(*values, **sections):
    resources = {
        f'r{number}': {'type': 'OS::Heat::Value', 'properties': {'value': value}}
        for number, value in enumerate(values)
    }
    return {'template': {'heat_template_version': VERSION, 'resources': resources, **sections}}


JOIN = {'list_join': ['', [{'get_file': 'f'}] * 9]}
FILES = {'f': 'x' * 400_000}
NESTED = 'range(200).select(range(200).select(range(200).select(1).sum()).sum()).sum()'
REQUESTS = {
    '60 Values of 4 MB': ({**of(*[JOIN] * 60), 'files': FILES}, 'exceeds a limit'),
    'yaql in yaql': (
        of({'yaql': {'expression': NESTED, 'data': {}}}),
        'seconds of computation',
    ),
    'tags': ({**of(1), 'tags': ','.join(['a'] * 200_000)}, 'the limit of a stack is 1000'),
    'an allowed_pattern': (
        {
            **of(1, parameters={'p': {'type': 'string', 'constraints': [
                {'allowed_pattern': '(a|aa)+'}]}}),
            'parameters': {'p': 'a' * 80 + 'b'},
        },
        'takes too long',
    ),
}  # fmt: skip


@shapes.of('embedded')
@pytest.mark.parametrize('name', REQUESTS)
def test_others_are_answered_while_a_request_is_refused(service, name):
    body, reason = REQUESTS[name]
    with bystander.asking(service) as waits:
        answer = service.ask('POST', '/stacks', {'stack_name': 'greedy', **body})
    assert answer.status_code == 400, answer.text[:500]
    assert reason in answer.json()['error']['message']
    assert waits.longest < BYSTANDER_SECONDS
