import json

import pytest

from heat_lite.template import reader, source_positions
from heat_lite.template.functions import budget
from heat_lite.template.source_positions import MAX_TEXT_LENGTH, START, Position, Positions, locate

TEXT = """\
heat_template_version: 2021-04-16
resources:
  web:
    type: OS::Heat::Value
    properties:
      value: {list_join: ['-', [a, b]]}
  1: &anchor
    type: OS::Heat::None
  yes:
    <<: *anchor
    metadata:
    - one
    - two: 2
"""


@pytest.mark.parametrize(
    'path, position',
    [
        ((), (1, 1)),
        (('resources',), (2, 1)),
        (('resources', 'web', 'properties', 'value'), (6, 7)),
        (('resources', 'web', 'properties', 'value', 'list_join', 1, 1), (6, 36)),
        (('resources', 'web', 'properties', 'value', 'list_join', -1), (6, 32)),
        (('resources', '1'), (7, 3)),
        (('resources', 'true', 'metadata', 1, 'two'), (13, 7)),
        (('resources', 'true', 'type'), (8, 5)),  # merged in from the anchor
        (('resources', 'web', 'Properties', 'Value'), (6, 7)),  # as errors spell it
        (('resources', 'web', 'properties', 'size', 'x'), (5, 5)),  # not there: where it would be
        (('resources', 'true', 'metadata', 7), (11, 5)),
        (('resources', 'web', 'type', 'x'), (4, 5)),
        (('nowhere',), (1, 1)),
    ],
)
def test_find_position_in_yaml(path, position):
    assert Positions(TEXT).find(path) == position


@pytest.mark.parametrize(
    'path, position',
    [
        (('resources', 'web', 'type'), (4, 11)),
        (('resources', 'web', 'properties', 'value', 'list_join'), (6, 27)),
        (('resources', 'web', 'properties', 'value', 'list_join', 1), (6, 33)),
        (('resources', 'web', 'properties'), (5, 5)),
        (('resources', 'true', '<<'), (9, 3)),
    ],
)
def test_find_value_returns_the_place_of_a_text(path, position):
    assert Positions(TEXT).find_value(path) == position


@pytest.mark.parametrize(
    'path, text, position',
    [
        ((), 'a', (6, 33)),
        (('resources', 'web'), 'OS::Heat::Value', (4, 11)),
        (('resources', 'web'), 'OS::Heat::None', None),
        (('resources', 'nowhere'), 'a', None),
    ],
)
def test_find_text_searches_below_a_path(path, text, position):
    assert Positions(TEXT).find_text(path, text) == position


@pytest.mark.parametrize(
    'path, subject, position',
    [
        (('resources', 'web'), 'properties', (5, 5)),
        (('resources', 'web'), 'a', (6, 33)),
        (('resources', 'web', 'type'), 'OS::Heat::Value', (4, 11)),
        (('resources', 'web'), 'zz', (3, 3)),
    ],
    ids=['key', 'text', 'value', 'unknown'],
)
def test_locate_prefers_the_subject_of_the_error(path, subject, position):
    assert locate(path, TEXT, {}, subject) == ('template', *position)


def test_match_returns_number_of_parts_found():
    assert Positions(TEXT).match(('resources', 'web', 'x', 'y')) == (Position(3, 3), 2)


@pytest.mark.parametrize('indent', [None, 2, '\t'])
def test_find_position_in_json(indent):
    data = {'resources': {'a "b"': {'type': 'X'}, 'c': [1, {'d/é😀': None}]}}
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    line, column = Positions(text).find(('resources', 'c', 1, 'd/é😀'))
    assert text.splitlines()[line - 1][column - 1 :].startswith('"d/é😀"')


@pytest.mark.parametrize('text', ['', 'a: [', '{"a": ', '\0', 'a: *b', 'a: &a [*a]'])
def test_find_in_invalid_text_returns_the_start(text):
    assert Positions(text).find(('a', 'b'))[0] == START.line


def test_duplicates_are_found():
    text = 'a: 1\nb: {c: 1, "c": 2, d: 3}\na:\n- {e: 1, e: 1, e: 2}\n"<<": {}\n1: x\n"1": y\n'
    found = [(each.path, each.position, each.first.line) for each in Positions(text).duplicates()]
    assert found == [
        (('a',), (3, 1), 1),
        (('1',), (7, 1), 6),
        (('b', 'c'), (2, 11), 2),
        (('a', 0, 'e'), (4, 10), 4),
        (('a', 0, 'e'), (4, 16), 4),
    ]


def test_duplicates_do_not_include_merge_keys():
    assert not list(Positions('x: &x {a: 1}\ny:\n  <<: *x\n  <<: *x\n  a: 2\n').duplicates())


def test_find_repeated_key_returns_the_last():
    assert Positions('a: 1\na: {b: 2}\n').find(('a', 'b')) == (2, 5)


def test_aliased_nodes_are_visited_once():
    text = 'a0: &a0 [x]\n' + ''.join(
        f'a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 9)}]\n' for n in range(1, 30)
    )
    assert len(list(Positions(text).plain_scalars())) == 1


def test_plain_keys_are_the_unquoted_ones_of_one_map():
    text = 'a:\n  no: {yes: 1}\n  "off": 1\n  010: 1\n  <<: {x: 1}\nb: [1]\n'
    keys = Positions(text).plain_keys(('a',))
    assert [(each.path, each.text, each.kind, each.position) for each in keys] == [
        (('a', 'false'), 'no', 'bool', (2, 3)),
        (('a', '8'), '010', 'int', (4, 3)),
    ]
    assert not list(Positions(text).plain_keys(('b',)))


def test_plain_scalars_have_text_and_kind():
    kinds = {
        each.text: each.kind
        for each in Positions('[12:30, 010, "1", yes, 1.5, ~, text, 2020-01-01]').plain_scalars()
    }
    assert kinds == {
        '12:30': 'int',
        '010': 'int',
        'yes': 'bool',
        '1.5': 'float',
        '~': 'null',
        'text': 'str',
        '2020-01-01': 'timestamp',
    }


def test_each_part_of_the_data_has_its_own_position():
    """The node tree and the reader use the same keys."""
    data, positions = reader.parse(TEXT), Positions(TEXT)
    waiting = [((), data)]
    while waiting:
        path, value = waiting.pop()
        assert positions.match(path)[1] == len(path), path
        items = (
            value.items()
            if isinstance(value, dict)
            else enumerate(value)
            if isinstance(value, list)
            else ()
        )
        waiting.extend(((*path, key), inner) for key, inner in items)


# --------------------------------------------------------------- errors

INNER = 'resources:\n  x:\n    type: T\n'


@pytest.mark.parametrize(
    'path, text, files, place',
    [
        (('resources', 'web', 'type'), TEXT, {}, ('template', 4, 5)),
        (
            ('resources', 'web<a.yaml>', 'resources', 'x', 'type'),
            TEXT,
            {'a.yaml': INNER},
            ('a.yaml', 3, 5),
        ),
        (
            ('resources', 'web<a.yaml>', 'resources', 'y<b.yaml>', 'resources', 'x'),
            {},
            {'a.yaml': '', 'b.yaml': INNER},
            ('b.yaml', 2, 3),
        ),
        # a file of a single line has no location, so the location of the parent is used
        (('resources', 'web<nested_stack>', 'resources', 'x'), TEXT, {}, ('template', 3, 3)),
        (
            ('resources', 'web<a.yaml>', 'resources', 'x'),
            TEXT,
            {'a.yaml': '{"resources": {"x": {}}}'},
            ('template', 3, 3),
        ),
    ],
)
def test_locate_follows_the_path_into_files(path, text, files, place):
    assert locate(path, text, files) == place


@pytest.mark.parametrize(
    'text',
    [
        None,
        {'resources': {}},
        '{"resources": {}}',
        'resources: {}\n',
        TEXT + '#' * MAX_TEXT_LENGTH,
        'resources: [\n\n',
    ],
)
def test_locate_without_lines_returns_none(text):
    assert locate(('resources', 'web'), text, {}) is None


def test_locate_unknown_path_returns_none():
    assert locate(('elsewhere',), TEXT, {}) is None and locate((), TEXT, {}) is None


@pytest.mark.parametrize(
    ('part', 'expected'),
    [
        ('name<a.yaml>', ('name', 'a.yaml')),
        ('<a.yaml>', ('', 'a.yaml')),
        ('a<b<c>', ('a<b', 'c')),
        ('a<b<>', ('a', 'b<')),
        ('a<>', ('a<>', None)),
        ('a<b', ('a<b', None)),
        (3, (3, None)),
        ('<' * 500_000, ('<' * 500_000, None)),  # a key of a user; minutes in quadratic time
    ],
)
def test_label_of_a_file_is_split_in_linear_time(part, expected):
    assert source_positions._split_label(part) == expected


def test_positions_of_more_nodes_than_the_limit_are_refused():
    text = 'a: [' + ', '.join('1' * 8) + ']'  # a map, a key, a list, 8 numbers
    assert Positions(text, max_nodes=11).find(['a', 7]).column == 26
    with pytest.raises(budget.LimitExceeded, match='more than 10 keys and values'):
        Positions(text, max_nodes=10)
