"""Strategies of function calls in templates, with right and with wrong arguments.

The names of the functions come from the table of the service.
"""

from hypothesis import strategies as st

from heat_lite.template import versions
from tests.attacks.fuzz.values import (
    keys,
    lists,
    maps,
    mostly,
    nested,
    numbers,
    scalars,
    texts,
    values,
)

names = mostly(st.sampled_from(['r', 's', 'p', 'q', 'c', 'f.yaml', 'value']), keys)
HOT_FUNCTIONS = sorted(
    {name for each in versions.TABLE.values() for v in each.values() for name in v.functions}
)
CONDITIONS = [
    'and',
    'or',
    'not',
    'equals',
    'contains',
    'yaql',
    'get_param',
    'Fn::And',
    'Fn::Or',
    'Fn::Not',
    'Fn::Equals',
    'Ref',
]
YAQL = [
    'regex("(")',
    '$.data',
    '$.a.b.c',
    '$',
    '',
    '$.select($.select($))',
    'range(10000000000)',
    'range(1, 100).select(range($))',
    'pow(9, 99999999)',
    '1 / 0',
    '"a" * 1000000000',
    'generate(0, true, $ + 1)',
    'sequence()',
    'repeat(1)',
    '[1].cycle()',
    'int("x")',
    'float("nan") + int("9" * 5000)',
    'datetime("x")',
    'timespan(days => 999999999999)',
    'format("{0.__class__}", 1)',
    '"{0:999999999}".format(1)',
    'let(a => 1) -> $a.b',
    'def(f, f($)) -> f(1)',
    'dict(1 => 2).get([])',
    '{[1] => 2}',
    'assert(false)',
    'switch(true => $undefined)',
    'call("range", [10], {})',
    'str($).matches("(a+)+$")',
    'regex("a").replace("a", "\\\\9")',
    '(' * 500,
    '[' * 3000,
    '-' * 3000 + '1',
    '1' + '+1' * 2000,
    '$' + '.a' * 3000,
    'not ' * 2000,
]
YAQL_WORDS = (
    '$ $.a . ( ) [ ] { } , => -> + - * / mod = != < in and or not =~ !~ 1 0 -1 1.5 "a" \'\' ` null '
    'true 10000000000 range select where len join split regex replace matches search format int '
    'float str dict list sum max min orderBy groupBy toDict flatten zip slice insert delete set '
    'datetime timespan now random randint let call bitwiseNot shiftBitsLeft substring indexOf '
    'toUpper trim hex characters aggregate accumulate skip take first last any all distinct '
    'reverse keys mergeWith isList'
).split()
yaql_expressions = (
    st.sampled_from(YAQL)
    | st.lists(st.sampled_from(YAQL_WORDS), max_size=8).map(' '.join)
    | st.builds(
        '$.a.{}({})'.format,
        st.sampled_from([word for word in YAQL_WORDS if word.isalpha() and len(word) > 2]),
        st.sampled_from(
            ['', '1', '$', '"("', '$ + 1', '-1', '10000000000', 'null', '$, $', '[1], {}']
        ),
    )
    | texts
)


def calls(inner):
    """Function calls with arguments of the expected shape, which hold ``inner`` values."""
    some = st.lists(inner, max_size=4)
    named = st.dictionaries(names, inner, max_size=3)
    path = st.lists(names | st.integers(-2, 3), max_size=4)
    shapes = {
        'get_param': names | path,
        'get_attr': path,
        'get_resource': names,
        'get_file': names | inner,
        'list_join': st.tuples(texts, some) | st.tuples(inner, some, some),
        'str_replace': st.fixed_dictionaries({'template': texts | inner, 'params': named | inner}),
        'repeat': st.fixed_dictionaries(
            {'template': inner, 'for_each': st.dictionaries(keys, some | inner, max_size=3)},
            optional={'permutations': scalars},
        ),
        'digest': st.tuples(st.sampled_from(['md5', 'sha512', 'shake_128', 'x']) | inner, inner),
        'str_split': st.tuples(texts, inner) | st.tuples(texts, inner, numbers | texts),
        'map_merge': some,
        'map_replace': st.tuples(
            named | inner,
            st.fixed_dictionaries({}, optional={'keys': named, 'values': named | inner}),
        ),
        'if': st.tuples(names | inner, inner) | st.tuples(names | inner, inner, inner),
        'yaql': st.fixed_dictionaries(
            {'expression': yaql_expressions | inner, 'data': named | inner}
        ),
        'filter': st.tuples(some, some | inner),
        'contains': st.tuples(inner, some | texts | inner),
        'list_concat': st.lists(some | inner, max_size=3),
        'make_url': st.dictionaries(
            st.sampled_from(
                ['scheme', 'username', 'password', 'host', 'port', 'path', 'query', 'fragment']
            ),
            inner | numbers,
            max_size=8,
        ),
        'equals': st.tuples(inner, inner),
        'not': inner,
        'and': some,
        'resource_facade': st.sampled_from(['metadata', 'deletion_policy', 'update_policy'])
        | inner,
        'Fn::Select': st.tuples(numbers | texts, some | named | texts),
        'Fn::FindInMap': st.tuples(inner, inner, inner),
        'Fn::Split': st.tuples(texts, inner),
        'Fn::MemberListToMap': st.tuples(inner, inner, some),
    }
    alike = {
        'str_replace_strict': 'str_replace',
        'str_replace_vstrict': 'str_replace',
        'Fn::Replace': 'str_replace',
        'list_concat_unique': 'list_concat',
        'Fn::Join': 'list_join',
        'Fn::GetAtt': 'get_attr',
        'Fn::If': 'if',
        'or': 'and',
        'Fn::And': 'and',
        'Fn::Or': 'and',
        'Fn::Not': 'and',
        'Fn::Equals': 'equals',
        'Ref': 'get_resource',
    }

    def arguments(name):
        return mostly(shapes.get(alike.get(name, name), inner), inner)

    return st.sampled_from([*HOT_FUNCTIONS, *CONDITIONS]).flatmap(
        lambda name: st.builds(lambda argument: {name: argument}, arguments(name))
    )


snippets = st.recursive(scalars | maps | lists | nested, calls, max_leaves=6)
conditions = mostly(st.recursive(names | st.booleans() | scalars, calls, max_leaves=4), values)
