"""Templates that are short and cost much: each is refused with the name of a limit, and soon."""

import time

import pytest

from heat_lite.template import constraints, environment, members, merge, reader
from heat_lite.template.function import Function, Scope, resolve
from heat_lite.template.functions import (
    budget,
    cfn,
    lists_and_maps,
    refs,
    replacement,
    strings,
    yaql,
)
from tests.attacks import bystander
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

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
    # each level contains the one below twice: what reads all of it would never end
    **{
        f'yaql: lists in lists, {name}': (
            [expression(text.format('range(60).aggregate([$1, $1], [])'))],
            'would compute .* values',
        )
        for name, text in {
            'compared': '{0} = {0}',
            'ordered': '[{0}, {0}].orderBy($)',
            'distinct': '[{0}, {0}].distinct()',
            'as a key': '{{{0} => 1}}.len()',
            'in a set': 'set({0}).len()',
            'as a text': 'str({0}).len()',
            'flat': '{0}.flatten().len()',
            'searched': '1 in {0}',
        }.items()
    },
    'yaql: maps in maps, compared': (
        [expression('{0} = {0}'.format('range(60).aggregate({a => $1, b => $1}, {})'))],
        'would compute .* values',
    ),
    'yaql: maps in maps, merged': (
        [expression('{0}.mergeWith({0})'.format('range(60).aggregate({a => $1, b => $1}, {})'))],
        'would compute .* values',
    ),
    # a list of arguments is copied for each further one
    'yaql: 100,000 numbers': (
        [expression('[' + '1,' * 100_000 + '1].len()')],
        'more than 10000 words and signs',
    ),
    'yaql: 100,000 signs': ([expression('-' * 100_000 + '1')], 'more than 10000 words and signs'),
    'yaql: nested ranges': (
        [
            expression(
                'range(200).select(range(200).select(range(200).select(1).sum()).sum()).sum()'
            )
        ],
        'exceeds a limit of the whole request: 2 seconds',
    ),
}


#: the same with low limits, since the work up to the limits takes long
GREEDY_WITH_LOW_LIMITS = {
    'repeat of many texts with many keys': (
        [
            lists_and_maps.Repeat(
                'repeat',
                {'template': ['a'] * 2000, 'for_each': {f'k{n}': ['v'] for n in range(1000)}},
            )
        ],
        'exceeds a limit .* steps',
    ),
    'Fn::Select in a long JSON text': (
        [cfn.CfnSelect('Fn::Select', ['0', '[' + '[],' * 90_000 + '0]'])] * 60,
        'exceeds a limit .* values',
    ),
    'Fn::Select in JSON of many brackets': (
        [cfn.CfnSelect('Fn::Select', ['0', '[' * 100_000])],
        'nested too deeply',
    ),
    'URLs of many blanks': (
        [strings.MakeUrl('make_url', {'path': ' ' * 400_000})] * 40,
        'exceeds a limit .* steps',
    ),
}


@pytest.fixture
def host(monkeypatch):
    """The clock that engines use, and less time than they give."""
    monkeypatch.setattr(budget, 'host', budget.Host(time.process_time, time.monotonic))
    monkeypatch.setattr(budget.limits, 'seconds', 2.0)


@pytest.fixture
def low_limits(host, monkeypatch):
    monkeypatch.setattr(budget.limits, 'steps', 500_000)
    monkeypatch.setattr(budget.limits, 'values', 500_000)


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


def lists_with_one_hash(count):
    """Return pairs of numbers that have the same hash as tuples, by the formula of CPython."""
    size, found, first = 2**64, [], 0
    while len(found) < count:
        first += 2**40 + 3
        sum_of_first = (2870177450012600261 + first * 14029467366897019727) % size
        rotated = (sum_of_first << 31 | sum_of_first >> 33) % size
        second = (5 - rotated * 11400714785074694791) * pow(14029467366897019727, -1, size) % size
        second -= size if second >> 63 else 0
        if abs(second) < 2**60 and second not in (0, -1):
            found.append([first, second])
    assert len(set(map(hash, map(tuple, found)))) == 1
    return found


PAIRS = lists_with_one_hash(5000)


@pytest.mark.parametrize('name', GREEDY_WITH_LOW_LIMITS)
def test_request_over_a_low_limit_is_refused(name, low_limits):
    nodes, reason = GREEDY_WITH_LOW_LIMITS[name]
    with budget.fresh(), pytest.raises(ValueError, match=reason):
        for node in nodes:
            resolve(node, LongScope())


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
    'filter of lists with one hash': lambda: lists_and_maps.Filter('filter', [PAIRS, PAIRS[::-1]]),
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


SHARED = [[1] * 100_000, 'x' * 500_000]
#: what is made for each of 900 members of a group
MEMBERS = {
    'numbers': lambda name: members.render_member({'value': [1] * 100_000}, '%index%', name),
    'empty lists': lambda name: members.render_member({'value': [[]] * 100_000}, '%index%', name),
    'a definition in common': members.charge_of({'numbers': SHARED[0]}),
    'a text in common': members.charge_of({'text': SHARED[1]}),
}


@pytest.mark.parametrize('name', MEMBERS)
def test_group_whose_template_would_be_large_is_refused(name, low_limits):
    make = MEMBERS[name]
    with budget.fresh(), pytest.raises(budget.LimitExceeded, match='members of the group'):
        for number in range(900):
            make(*[str(number)] * (name in ('numbers', 'empty lists')))


@pytest.mark.parametrize('kind', [members.attribute_list, members.attribute_map])
def test_thousands_of_attributes_of_all_members_are_refused(kind, low_limits):
    names = [str(number) for number in range(900)]
    with budget.fresh(), pytest.raises(budget.LimitExceeded, match='outputs of the group'):
        for number in range(5000):
            kind(names, ['value', f'k{number}'])
    with budget.fresh():
        for number in range(40):
            kind(names, ['value', f'k{number}'])


def test_names_and_batches_of_large_groups_are_computed_soon():
    begun = time.process_time()
    removed = [str(number) for number in range(50_000)]
    assert members.first_names(2, removed) == ['50000', '50001']
    names = members.first_names(900)
    batches = members.index_batches(names, 900, members.RollingPolicy(1))
    assert len(batches) == 900 and batches[-1].changed == frozenset(names)
    assert time.process_time() - begun < 4


def test_allowed_values_of_long_lists_are_compared_soon():
    begun = time.process_time()
    allowed = [f'v{number}' for number in range(25_000)]
    constraint = constraints.AllowedValues(allowed)
    constraint.check(allowed[::-1])
    with pytest.raises(ValueError, match='is not an allowed value'):
        constraint.check([*allowed, 'other'])
    constraints.AllowedValues([1, [2], {'a': True}]).check([1.0, [2], {'a': 1}])
    assert time.process_time() - begun < 4


def many(section, entry):
    return f'{section}: {{{",".join(map(entry.format, range(30_000)))}}}'


@pytest.mark.parametrize(
    ('first', 'then'),
    [
        (many('resource_registry', 'A{}: b'),
         'resource_registry: {a: b}'),
        ('encrypted_param_names: [' + 'a,' * 10_000 + 'a]', 'encrypted_param_names: [b]'),
        (many('parameters', 'p{}: b'), 'parameters: {a: b}'),
    ],
)  # fmt: skip
def test_environment_that_many_files_copy_is_refused(first, then, low_limits):
    files = {'first': first, 'then': then}
    with budget.fresh(), pytest.raises(budget.LimitExceeded, match='merge of'):
        merge.merge_environments({}, files, ['first', *['then'] * 10_000], {})
    with budget.fresh():
        merge.merge_environments({}, files, ['first', 'then'], {})


def test_event_sinks_beyond_the_limit_are_refused():
    sinks = [{'type': 'zaqar-queue', 'target': str(n)} for n in range(merge.MAX_SINKS + 1)]
    merge.merge_environments({'event_sinks': sinks[1:]}, {}, None, {})
    with pytest.raises(ValueError, match='the limit is 20'):
        merge.merge_environments({'event_sinks': sinks}, {}, None, {})


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


def test_merge_key_repeated_often_is_read_soon():
    begun = time.process_time()
    reader.parse('a: &a {x: 1}\nb:\n' + '  <<: *a\n' * 50_000)
    assert time.process_time() - begun < SECONDS


def test_sexagesimal_number_beyond_floats_is_refused():
    with pytest.raises(reader.FormatError, match='could not read this'):
        reader.parse('description: 1' + ':59' * 600 + '.5')


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
        greedy = {'stack_name': 'greedy', **body}
        answer = service.ask('POST', '/stacks', greedy, timeout=WAIT_SECONDS)
    assert answer.status_code == 400, answer.text[:500]
    assert reason in answer.json()['error']['message']
    assert waits.longest < BYSTANDER_SECONDS
