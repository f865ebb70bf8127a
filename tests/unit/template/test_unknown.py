"""Values that are not known yet: an Unknown in place of any part of valid arguments.

The result of a function is then known only where it is the real one, and no error is new.
HEAT_LITE_FUZZ=2000 sets the number of examples of each test.
"""

import dataclasses
import os

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from heat_lite.common import exception
from heat_lite.template import coercion, conditions, constraints, function, schema, versions
from heat_lite.template.unknown import (
    BOOLEAN,
    INTEGER,
    LIST,
    MAP,
    NUMBER,
    STRING,
    Unknown,
    walk,
)

EXAMPLES = int(os.environ.get('HEAT_LITE_FUZZ', '60'))
options = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=EXAMPLES == 60,
)
REFUSALS = (exception.HeatException, *function.ARGUMENT_ERRORS)
#: one version for each set of functions
VERSIONS = {
    tuple(sorted(version.functions)): (key, name, version)
    for key, versions_of_key in versions.TABLE.items()
    for name, version in versions_of_key.items()
}
TEXTS = st.sampled_from(['', 'a', 'b', 'a,b', '%k%', '1', 'a=b'])
KINDS = ((str, STRING), (bool, BOOLEAN), (int, INTEGER), (float, NUMBER), (dict, MAP), (list, LIST))


class Given(function.Scope):
    """Parameters with the given values."""

    def __init__(self, values, conditions_=None):
        self.values = values
        self.conditions = conditions_ or {}

    def parameter(self, name):
        return self.values[name]

    def parameter_names(self):
        return self.values

    def condition(self, name):
        return conditions.is_true(self.conditions[name], self)

    def reference(self, name):
        return f'id-{name}'

    def attribute(self, name, *path):
        return self.values['attribute']

    def file(self, name):
        return f'text of {name}'

    def facade(self, key):
        return {'a': 'b'}

    def availability_zones(self):
        return ['nova']


def type_of(value):
    return next((name for kind, name in KINDS if isinstance(value, kind)), 'any')


def agrees(found, real):
    """Return whether a value is the real one as far as it is known."""
    if isinstance(found, Unknown):
        numeric = {found.type, type_of(real)} <= {INTEGER, NUMBER}
        return (
            real is None or found.type == 'any' or numeric or found.type == type_of(real)
        ) and all(any(agrees(item, each) for each in real or ()) for item in found.known)
    if isinstance(found, dict) and isinstance(real, dict):
        optional = {key for key, part in found.items() if isinstance(part, Unknown)}
        return (
            found.keys() >= real.keys()
            and found.keys() - optional <= real.keys()
            and all(agrees(found[key], part) for key, part in real.items())
        )
    if isinstance(found, list) and isinstance(real, list):
        return len(found) == len(real) and all(map(agrees, found, real))
    return type(found) is type(real) and found == real


# ------------------------------------------------------------ calls that have a result


def calls_of(names, text, items, pairs, condition):
    """Return ``{function: strategy of arguments}`` of the functions of one version.

    ``text``, ``items`` and ``pairs`` are strategies of a string, a list of strings and a map.
    """
    number = st.integers(0, 2)
    parts = st.fixed_dictionaries(
        {},
        optional={
            'scheme': st.sampled_from(['http', 'a:b']) | text,
            'username': text,
            'password': text,
            'host': text,
            'port': st.sampled_from([80, '8080', 0]),
            'path': text,
            'query': pairs,
            'fragment': text,
        },
    )
    replace = st.fixed_dictionaries({'template': text, 'params': pairs})
    each = st.fixed_dictionaries({'%k%': items}, optional={'a': items})
    return {
        'Fn::Base64': text,
        'Fn::Join': st.tuples(text, items).map(list),
        'Fn::MemberListToMap': st.tuples(
            st.just('Name'),
            st.just('Value'),
            st.just(['.member.0.Name=key', '.member.0.Value=door']) | items,
        ).map(list),
        'Fn::Replace': st.tuples(pairs, text).map(list),
        'Fn::Select': st.tuples(number | text, items | pairs).map(list),
        'Fn::Split': st.tuples(text, text).map(list),
        'Fn::ResourceFacade': st.just('Metadata'),
        'Fn::GetAZs': text,
        'resource_facade': st.just('metadata'),
        'get_file': text,
        'list_join': st.tuples(text, items).map(list),
        'str_replace': replace,
        'str_replace_strict': replace,
        'str_replace_vstrict': replace,
        'digest': st.tuples(st.sampled_from(['md5', 'sha1', 'none']), text).map(list),
        'repeat': st.fixed_dictionaries(
            {'template': text | items | pairs, 'for_each': each},
            optional={'permutations': st.booleans()} if 'contains' in names else {},
        ),
        'str_split': st.tuples(st.just(','), text).map(list)
        | st.tuples(st.just(','), text, number).map(list),
        'map_merge': st.lists(pairs, max_size=3),
        'map_replace': st.tuples(
            pairs, st.fixed_dictionaries({}, optional={'keys': pairs, 'values': pairs})
        ).map(list),
        'yaql': st.fixed_dictionaries(
            {'expression': st.sampled_from(['$.data', '$.data.len()', '$.data[0]'])},
            optional={'data': items | pairs},
        ),
        'filter': st.tuples(items, items).map(list),
        'contains': st.tuples(text, items | text).map(list),
        'list_concat': st.lists(items, max_size=3),
        'list_concat_unique': st.lists(items, max_size=3),
        'make_url': parts,
        'if': st.tuples(condition, text | items, text | items).map(list),
        'Fn::If': st.tuples(condition, text | items, text | items).map(list),
    }


@st.composite
def calls(draw, version):
    """Return a call of a function of the version, some of whose arguments are calls."""
    names = [
        name
        for name, entry in version.functions.items()
        if getattr(entry, '__name__', '') != 'Removed'
    ]
    condition = st.sampled_from([True, False, 'yes', 'no'])

    def expression(literal, depth):
        if depth == 0:
            return literal
        return literal | st.deferred(lambda: call(depth - 1))

    def call(depth):
        text = expression(TEXTS, depth)
        items = expression(st.lists(text, max_size=3), depth)
        pairs = expression(
            st.dictionaries(st.sampled_from(['a', '%k%', 'k']), text, max_size=2), depth
        )
        known = calls_of(names, text, items, pairs, condition)
        return st.one_of(
            [
                known[name].map(lambda args, name=name: {name: args})
                for name in names
                if name in known
            ]
        )

    return draw(call(2))


def places_of(value, path=()):
    """Yield the path of each part of a snippet."""
    yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_of(part, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def replaced(value, path, part):
    if not path:
        return part
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], part)
    return changed


@st.composite
def cases(draw, version):
    """Return a snippet and the values of the parameters in it."""
    snippet, values = draw(calls(version)), {}
    read = 'get_param' if 'get_param' in version.functions else 'Ref'
    for name in draw(st.sampled_from([('p0',), ('p0', 'p1'), ('p0', 'p1', 'p2')])):
        places = [
            path
            for path in places_of(snippet)
            if path and not any(part in (read, 'p0', 'p1') for part in path)
        ]
        if not places:
            break
        path = draw(st.sampled_from(places))
        if any(key in str(at(snippet, path)) for key in values):
            continue
        part = at(snippet, path)
        try:
            values[name] = resolved(version, part, Given({}))
        except REFUSALS:
            continue
        snippet = replaced(snippet, path, {read: name})
    assume(values)
    return snippet, values


def resolved(version, snippet, scope):
    scope.conditions = {'yes': True, 'no': False}
    parser = function.Parser(
        version.functions,
        scope,
        conditions=function.Parser(version.condition_functions or {}, scope),
    )
    parsed = parser.parse(snippet)
    function.validate(parsed, (), scope)
    return function.resolve(parsed, scope)


@pytest.mark.parametrize(
    'version',
    [each for *_, each in VERSIONS.values()],
    ids=[name for _, name, _ in VERSIONS.values()],
)
def test_unknown_part_of_arguments_leaves_a_valid_call_valid(version):

    @options
    @given(cases(version))
    def check(case):
        snippet, values = case
        unknown = {name: Unknown(type_of(value), [name]) for name, value in values.items()}
        real = error = None
        try:
            real = resolved(version, snippet, Given(values))
        except REFUSALS as raised:
            error = raised
        try:
            found = resolved(version, snippet, Given(unknown))
        except REFUSALS as raised:
            assert error is not None, (snippet, values, raised, real)
            return
        if error is None:
            assert agrees(found, real), (snippet, values, found, real)
            assert all(part.sources for _, part in walk(found))

    check()


# ------------------------------------------------------------ errors of known parts

LATER = {'get_param': 'later'}
LATEST = versions.TABLE['heat_template_version']['2021-04-16']
OLDEST = versions.TABLE['heat_template_version']['2013-05-23']
INVALID = {
    'number in a joined list': {'list_join': [',', [1, LATER]]},
    'delimiter of joined items': {'list_join': [1, [LATER]]},
    'algorithm of a digest': {'digest': ['none', LATER]},
    'index of a split text': {'str_split': [',', LATER, 'x']},
    'empty delimiter': {'str_split': ['', LATER]},
    'port of a URL': {'make_url': {'host': LATER, 'port': 0}},
    'scheme of a URL': {'make_url': {'host': LATER, 'scheme': 'a:b'}},
    'key that is not in the text': {
        'str_replace_strict': {'template': 'a', 'params': {'b': 'c', 'a': LATER}}
    },
    'empty value': {'str_replace_vstrict': {'template': 'a b', 'params': {'b': '', 'a': LATER}}},
    'text of a replacement': {'str_replace': {'template': 1, 'params': LATER}},
    'text among maps': {'map_merge': ['text', LATER]},
    'text for a map of replacements': {'map_replace': [LATER, {'keys': 'text'}]},
    'word of replacements': {'map_replace': [LATER, {'nope': {}}]},
    'text among lists': {'list_concat': ['text', LATER]},
    'filtered text': {'filter': [LATER, 'text']},
    'number as a sequence': {'contains': [LATER, 1]},
    'text to repeat with': {'repeat': {'template': 'a', 'for_each': {'%a%': LATER, '%b%': 'text'}}},
    'expression': {'yaql': {'expression': '$.data.(', 'data': LATER}},
    'condition beside an unknown one': {'if': [{'or': ['nope', LATER]}, 'a', 'b']},
}


@pytest.mark.parametrize('snippet', INVALID.values(), ids=INVALID)
def test_error_of_a_known_part_is_raised_beside_an_unknown_one(snippet):
    with pytest.raises(REFUSALS):
        resolved(LATEST, snippet, Given({'later': Unknown()}))


def test_error_in_a_known_member_is_raised_beside_an_unknown_one():
    snippet = {'Fn::MemberListToMap': ['Name', 'Value', ['no equals sign', LATER]]}
    with pytest.raises(ValueError):
        resolved(OLDEST, snippet, Given({'later': Unknown()}))


# ------------------------------------------------------------ conditions

YES = {'get_param': 'flag'}
CONDITIONS = {
    'not': {'not': YES},
    'and': {'and': [YES, True]},
    'and false': {'and': [YES, False]},
    'or': {'or': [YES, False]},
    'or true': {'or': [YES, True]},
    'equals': {'equals': [YES, True]},
    'equal lists': {'equals': [[1, YES], [1, True]]},
    'unequal lists': {'equals': [[1, YES], [2, YES]]},
    'contains': {'contains': [True, [False, YES]]},
    'in a list': [{'if': [YES, 'a', 'b']}, 'c'],
    'in a map': {'k': {'if': [YES, 'a', 'b']}, 'm': 'c'},
    'without else in a list': ['c', {'if': [YES, 'a']}, 'd'],
    'without else in a map': {'k': {'if': [YES, 'a']}, 'm': 'c'},
    'omitted either way': [{'if': [YES, {'if': [False, 'a']}, {'if': [False, 'a']}]}, 'c'],
    'nested without else': ['c', {'if': [YES, {'if': [False, 'a']}, 'b']}],
    'invalid branch': {'if': [YES, 'a', {'digest': ['none', 'a']}]},
    'equal branches': {'if': [YES, 'a', 'a']},
    'branches that are equal in Python only': {'if': [YES, 1, True]},
    'joined': {'list_join': [',', ['c', {'if': [YES, 'a']}]]},
    'place after an omitted one': {
        'yaql': {'expression': '$.data[1]', 'data': [{'if': [YES, 'a']}, 'c', 'd']}
    },
}


@pytest.mark.parametrize('flag', [True, False])
@pytest.mark.parametrize('snippet', CONDITIONS.values(), ids=CONDITIONS)
def test_unknown_condition_leaves_what_both_values_agree_on(snippet, flag):
    version = dataclasses.replace(LATEST, functions=LATEST.condition_functions | LATEST.functions)
    found = resolved(version, snippet, Given({'flag': Unknown(BOOLEAN, ['flag'])}))
    try:
        real = resolved(version, snippet, Given({'flag': flag}))
    except REFUSALS:
        assert isinstance(found, Unknown)
    else:
        assert agrees(found, real), (found, real)


def test_conditions_that_a_known_part_decides_are_known():
    scope = Given({'flag': Unknown(BOOLEAN, ['flag'])})
    decided = {
        name: function.resolve(
            function.Parser(LATEST.condition_functions, scope).parse(CONDITIONS[name]), scope
        )
        for name in ('and false', 'or true', 'unequal lists')
    }
    assert decided == {'and false': False, 'or true': True, 'unequal lists': False}


# ------------------------------------------------------------ properties


def test_known_items_of_an_unknown_list_are_checked_but_not_counted():
    at_least_two = schema.PropertySchema(
        LIST, schema=schema.PropertySchema(INTEGER), constraints=[constraints.Length(2)]
    )
    assert isinstance(coercion.convert(at_least_two, Unknown(LIST, known=[1])), Unknown)
    with pytest.raises(exception.StackValidationFailed):
        coercion.convert(at_least_two, Unknown(LIST, known=['x']))


def test_value_at_an_unknown_key_has_no_type():
    found = Unknown(LIST, ['net.list'], known=['a']).at([Unknown(INTEGER, ['index'])])
    assert (found.type, found.known, found.sources) == ('any', (), ('net.list',))
