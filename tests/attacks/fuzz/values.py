"""Strategies of hostile values: texts, numbers, trees of JSON, and bytes that are no JSON."""

import json

from hypothesis import strategies as st

#: texts that are empty, too long, no text, too large as numbers, or syntax of another language
TEXTS = [
    '',
    ' ',
    '\n',
    '0',
    '-1',
    '1.5',
    '1e999',
    'NaN',
    '٣',
    '1_000',
    str(2**31),
    str(2**63),
    str(10**40),
    '9' * 4301,
    'true',
    'null',
    'None',
    '\ud800',
    'a\udfffb',
    '\x00',
    'a\x00b',
    '%00',
    '%s%n{0}',
    '../' * 5,
    '/',
    '.',
    '-',
    "'; --",
    'é' * 300,
    '😀',
    '😀' * 64,
    '😀' * 256,
    'a' * 80,
    'a' * 81,
    'a' * 255,
    'a' * 256,
    'a' * 5000,
    'a' * 70000,
    'a,' * 1500,
    ',',
    '[' * 3000,
    '{a: ' * 300,
    '- ' * 3000,
    '*',
    '&a [*a]',
    '!!python/object:os.system x',
    '{}',
    '[]',
    '(',
    '(a+)+$',
    '2021-04-16',
    '0001-01-01',
    '9999-12-31T23:59:59+99:99',
    '\u202e\u200b',
    '\x85\u2028',
    '\ufffe\uffff',
    '\x1b[31m',
    'file:///etc/passwd',
    'http://127.0.0.1:1/x',
    'arn:openstack:heat::x:stacks/a/b',
    'arn:openstack:heat::demo:stacks/@stack@/@id@',
    '@stack@',
    '@id@',
    '@config@',
    '@deployment@',
    '@snapshot@',
    'r',
    'value',
]
NUMBERS = [
    0,
    -1,
    1,
    80,
    255,
    256,
    2**15,
    2**31 - 1,
    2**31,
    -(2**31) - 1,
    2**53 + 1,
    2**63 - 1,
    2**63,
    2**64,
    10**40,
    10**400,
    0.0,
    -0.0,
    1.5,
    1e308,
    5e-324,
    float('inf'),
    float('-inf'),
    float('nan'),
]
LETTERS = st.characters(codec=None, exclude_categories=())
SYNTAX = '{}[]:,-&*!|>\'"?#%@$.()\\ \n\tabc01<~\x00\x85é'

texts = st.sampled_from(TEXTS) | st.text(SYNTAX, max_size=20) | st.text(LETTERS, max_size=20)
numbers = st.sampled_from(NUMBERS) | st.integers() | st.floats()
scalars = st.none() | st.booleans() | numbers | texts
keys = texts.filter(lambda text: len(text) < 300)


def deep(levels, as_map):
    """A value of so many levels."""
    value = 1
    for _ in range(levels):
        value = {'a': value} if as_map else [value]
    return value


nested = st.builds(deep, st.sampled_from([20, 90, 140, 160, 400]), st.booleans())
values = (
    st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(keys | st.sampled_from(['type', 'name']), inner, max_size=3)
        ),
        max_leaves=8,
    )
    | nested
)


def mostly(strategy, other=values, one_in=25):
    """The values of a strategy, now and then hostile ones in their place."""
    return st.integers(1, one_in).flatmap(lambda die: other if die == one_in else strategy)


maps = st.dictionaries(keys, values, max_size=4)
lists = st.lists(values, max_size=4)

#: bodies that are no JSON, or JSON that parsers disagree about
RAW = [
    b'',
    b'{',
    b'{}',
    b'[]',
    b'null',
    b'0',
    b'"a"',
    b'[' * 3000,
    b'{"a":' * 3000,
    b'{"a":' * 3000 + b'1' + b'}' * 3000,
    b'{"a":' + b'[' * 3000 + b']' * 3000 + b'}',
    b'{"template": "' + b'[' * 3000 + b'"}',
    b'{"template": {"a": ' + b'[' * 140 + b']' * 140 + b'}}',
    b'\xff\xfe',
    b'\xef\xbb\xbf{}',
    b'{"a": "\xff"}',
    b'{"stack_name": "\\ud800"}',
    b'{"\\udfff": 1}',
    b'{"a": "\\u0000"}',
    b'NaN',
    b'{"a": NaN, "b": Infinity, "c": -Infinity}',
    b'1' * 5000,
    b'{"timeout_mins": ' + b'1' * 5000 + b'}',
    b'{"timeout_mins": 1e400}',
    b'{"a": 1, "a": 2}',
    b'{"stack_name": "a", "stack_name": {}, "template": 1, "template": "x"}',
    b'{"a": 1}{"a": 2}',
    b'{"a": 1,}',
    b"{'a': 1}",
    b'{"a": 1} // x',
    b'\x00' * 100,
    '{"a": 1}'.encode('utf-16'),
]


def encode(value, escaped=True):
    """Return JSON, with characters beyond ASCII escaped or as UTF-8, also where it is invalid."""
    return json.dumps(value, ensure_ascii=escaped).encode('utf-8', 'surrogatepass')


@st.composite
def damaged(draw, bodies):
    """A body with one damage: cut, a byte changed, or a key doubled."""
    body = draw(bodies)
    place = draw(st.integers(0, len(body)))
    kind = draw(st.sampled_from(['cut', 'byte', 'key', 'insert']))
    if kind == 'cut':
        return body[:place]
    if kind == 'byte':
        return body[:place] + bytes([draw(st.integers(0, 255))]) + body[place + 1 :]
    if kind == 'insert':
        return body[:place] + draw(st.binary(max_size=9)) + body[place:]
    key = draw(st.sampled_from(['stack_name', 'template', 'name', 'config', 'environment']))
    return b'{' + encode(key) + b': ' + encode(draw(values)) + b', ' + body[1:]


def bodies(objects):
    """Encoded bodies of these values, now and then damaged."""
    encoded = st.builds(encode, objects, st.booleans())
    return mostly(encoded, damaged(encoded))
