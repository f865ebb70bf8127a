"""Members of groups: definitions, removal, sizes and batches, with sequences recorded of Heat."""

import itertools

import pytest

from heat_lite.template import members
from heat_lite.template.function import resolve
from heat_lite.template.members import Member, RollingPolicy, index_batches, oldest_first_batches
from heat_lite.template.template import Template


def steps(stages, present, current=()):
    """Return the batches as text: +created ~changed -removed."""
    told, done = [], set(current)
    for stage in stages:
        made = [f'+{name}' for name in stage.names if name not in present]
        changed = [
            f'~{name}' for name in present if name in stage.names and name in stage.changed - done
        ]
        told.append(
            ' '.join(
                [*made, *changed, *(f'-{name}' for name in present if name not in stage.names)]
            )
        )
        present, done = stage.names, stage.changed
    return told


def test_render_member_replaces_the_placeholder_in_values_only():
    snippet = {'k%i%': ['%i%', 5, True, None, 'a%i%b%i%'], 'm': {'x': '%i%'}}
    assert members.render_member(snippet, '%i%', '7') == {
        'k%i%': ['7', 5, True, None, 'a7b7'],
        'm': {'x': '7'},
    }


def test_call_with_the_placeholder_in_a_path_has_the_value_of_each_member():
    template = Template(
        {
            'heat_template_version': '2021-04-16',
            'parameters': {'zones': {'type': 'comma_delimited_list', 'default': 'a,b'}},
            'outputs': {
                'o': {
                    'value': {
                        'plain': {'get_param': ['zones', '%i%']},
                        'inner': {'list_join': ['-', ['%i%', {'get_param': ['zones', '%i%']}]]},
                    }
                }
            },
        }
    )
    bound = template.bind(template.parameters())
    indexed = members.index_calls(bound.outputs['o'].value, '%i%')
    resolved = resolve(indexed, bound.scope)
    assert [members.render_member(resolved, '%i%', name) for name in '012'] == [
        {'plain': 'a', 'inner': '0-a'},
        {'plain': 'b', 'inner': '1-b'},
        {'plain': '', 'inner': ''},
    ]


def test_nested_template_can_be_bound():
    data = members.template(
        {'0': {'type': 'T'}},
        {
            'refs': members.reference_list(['0']),
            'attributes, a': members.attribute_map(['0'], ['a']),
        },
    )
    template = Template(data)
    bound = template.bind(template.parameters())
    assert list(bound.resources) == ['0'] and bound.attribute_reads() == {'0': {('a',)}}
    assert members.template({}, {}) == {'heat_template_version': '2015-04-30'}


@pytest.mark.parametrize(
    'path, found',
    [
        (['resource.1'], ('1', [])),
        (['resource.1.a'], ('1', ['a'])),
        (['resource.1', 'a', 0], ('1', ['a', 0])),
        (['resource.1.resource.2.a', 'b'], ('1', ['resource.2.a', 'b'])),
        (['resource', '1', 'a'], ('1', ['a'])),
        (['resource'], None),
        (['resources.1'], None),
        ([5], None),
    ],
)
def test_member_path_returns_member_and_rest(path, found):
    assert members.member_path(path) == found


def test_definition_of_an_instance_group_of_heat_is_in_the_language_of_the_template():
    properties = {'ImageId': 'cirros', 'Tags': [{'Key': 'Type', 'Value': 'v'}]}
    written = {'Type': 'OS::Heat::ScaledResource', 'Properties': properties, 'Metadata': {}}
    expected = {'type': 'OS::Heat::ScaledResource', 'properties': properties}
    assert members.definition(written) == expected
    assert members.definition(expected) is expected
    assert members.definition({**written, 'Metadata': {'a': 1}})['metadata'] == {'a': 1}


def test_first_names_skips_removed_members():
    assert members.first_names(3) == ['0', '1', '2']
    assert members.first_names(3, ['1', '3', 'x']) == ['0', '2', '4']
    assert members.first_names(0) == []


@pytest.mark.parametrize(
    'before, wanted, append, removed',
    [
        ([], ['1'], True, ['1']),
        (['1'], ['nope', 4], True, ['1']),
        (['1'], ['ref0'], True, ['0', '1']),
        (['0', '1'], ['3'], False, ['3']),
        (['0', '1'], [], False, []),
        (['7'], [7, '9'], False, ['7']),
        (['7'], [0], True, ['0', '7']),
    ],
)
def test_removed_names_keeps_members_and_earlier_removals(before, wanted, append, removed):
    assert (
        members.removed_names(before, wanted, {'0': 'ref0', '1': 'ref1', '3': 'ref3'}, append)
        == removed
    )


def test_removed_names_before_creation_accepts_any_name():
    assert members.removed_names([], ['x', '1', 7], None, True) == ['1', '7', 'x']


def test_removal_order_is_failed_then_oldest():
    present = [Member('old', 1), Member('new', 3), Member('broken', 4, True), Member('middle', 2)]
    order = members.removal_order(present)
    assert order == ['broken', 'old', 'middle', 'new']
    assert (
        members.newest_names(order, 2) == ['middle', 'new'] and members.newest_names(order, 0) == []
    )


@pytest.mark.parametrize(
    'current, adjustment, kind, step, size',
    [
        (2, 1, 'change', None, 3),
        (2, -5, 'change', None, 0),
        (2, 1.7, 'change', None, 3),
        (2, 40, 'exact', None, 9),
        (5, 33, 'percent', None, 6),
        (5, -33, 'percent', None, 4),
        (5, 50.5, 'percent', None, 7),
        (2, 10, 'percent', None, 3),
        (3, -10, 'percent', None, 2),
        (2, 50, 'percent', 2, 4),
        (4, -1, 'percent', 2, 2),
        (0, 50, 'percent', None, 0),
    ],
)
def test_adjusted_size_stays_within_bounds(current, adjustment, kind, step, size):
    assert members.adjusted_size(current, adjustment, kind, 0, 9, step) == size


@pytest.mark.parametrize(
    'present, target, batch, in_service, expected',
    [
        (4, 4, 1, 0, ['~3', '~2', '~1', '~0']),
        (4, 4, 2, 0, ['~2 ~3', '~0 ~1']),
        (4, 4, 9, 0, ['~0 ~1 ~2 ~3']),
        (4, 4, 1, 4, ['+4', '~3', '~2', '~1', '~0', '-4']),
        (4, 4, 2, 3, ['+4 ~3', '~1 ~2', '~0 -4']),
        (4, 4, 2, 9, ['+4 +5', '~2 ~3', '~0 ~1', '-4 -5']),
        (4, 4, 3, 2, ['+4 ~2 ~3', '~0 ~1 -4']),
        (4, 4, 3, 3, ['+4 +5 ~3', '~0 ~1 ~2', '-4 -5']),
        (3, 3, 2, 2, ['+3 ~2', '~0 ~1', '-3']),
        (4, 6, 2, 0, ['+4 +5', '~2 ~3', '~0 ~1']),
        (4, 6, 2, 9, ['+4 +5', '+6 +7', '~2 ~3', '~0 ~1', '-6 -7']),
        (4, 6, 3, 0, ['+4 +5 ~3', '~0 ~1 ~2']),
        (4, 7, 2, 5, ['+4 +5', '+6 ~3', '~1 ~2', '~0']),
        (2, 5, 4, 2, ['+2 +3 +4 +5', '~0 ~1 -5']),
        (3, 5, 1, 3, ['+3', '+4', '~2', '~1', '~0']),
        (4, 3, 2, 3, ['+4 ~2', '~0 ~1', '-3 -4']),
        (6, 3, 2, 0, ['~1 ~2 -3 -4 -5', '~0']),
        (6, 3, 2, 5, ['~1 ~2 -5', '~0 -4', '-3']),
        (0, 3, 2, 1, ['+0 +1', '+2']),
        (3, 0, 1, 1, ['-0 -1 -2']),
        (2, 2, 1, 0, ['~1', '~0']),
    ],
)
def test_index_batches_follow_the_policy(present, target, batch, in_service, expected):
    names = members.first_names(present)
    assert steps(index_batches(names, target, RollingPolicy(batch, in_service)), names) == expected


def test_index_batches_remove_members_in_the_first_batch():
    names = members.first_names(3)
    assert steps(index_batches(names, 3, RollingPolicy(1), removed=['1']), names) == [
        '+3 -1',
        '~2',
        '~0',
    ]


def test_index_batches_skip_current_members():
    names = members.first_names(4)
    assert steps(
        index_batches(names, 4, RollingPolicy(2), current=['3', '0']), names, ['3', '0']
    ) == ['~1 ~2']
    assert [stage.names for stage in index_batches(names, 4, RollingPolicy(2), current=names)] == [
        names
    ]


@pytest.mark.parametrize(
    'present, target, batch, in_service, expected',
    [
        (4, 4, 1, 0, ['~o0', '~o1', '~o2', '~o3']),
        (4, 4, 2, 3, ['+n0 ~o1', '~o2 ~o3', '-o0']),
        (4, 4, 2, 4, ['+n0 +n1', '~o2 ~o3', '-o0 -o1']),
        (6, 3, 2, 0, ['~o3 ~o4 -o0 -o1 -o2', '~o5']),
        (6, 3, 2, 3, ['~o3 ~o4 -o0', '~o5 -o1', '-o2']),
        (3, 0, 1, 1, ['-o0 -o1 -o2']),
        (0, 0, 1, 1, []),
    ],
)
def test_oldest_first_batches_follow_the_policy(present, target, batch, in_service, expected):
    names, numbers = [f'o{number}' for number in range(present)], itertools.count()
    assert (
        steps(
            oldest_first_batches(
                names, target, RollingPolicy(batch, in_service), lambda: f'n{next(numbers)}'
            ),
            names,
        )
        == expected
    )


CASES = [
    (kind, present, target, RollingPolicy(batch, in_service), current)
    for kind in (index_batches, oldest_first_batches)
    for present, target, batch, in_service in itertools.product(
        range(6), range(6), (1, 2, 5), (0, 1, 3, 7)
    )
    for current in ((), (0,), (1, 3), range(6))
    if kind is index_batches or target <= present
]


@pytest.mark.parametrize('kind', [index_batches, oldest_first_batches])
def test_batches_of_all_sizes_keep_the_limits_of_the_policy(kind):
    for _, present, target, pace, current in (case for case in CASES if case[0] is kind):
        names = [str(number) for number in range(present)]
        asis = {names[number] for number in current if number < present}
        namer = (
            {'new_name': map(str, itertools.count(100)).__next__}
            if kind is oldest_first_batches
            else {}
        )
        sequence = kind(names, target, pace, current=asis, **namer)
        where, done = names, asis
        for stage in sequence:
            made = set(stage.names) - set(where)
            changed = made | (stage.changed & set(where)) - done
            untouched = set(stage.names) & set(where) - changed
            assert len(changed) <= pace.batch_size and made <= stage.changed
            if changed - made:
                assert len(untouched) >= min(pace.min_in_service, target), (
                    present,
                    target,
                    pace,
                    asis,
                )
            where, done = stage.names, stage.changed
        if sequence:
            assert len(where) == target and set(where) == set(done)
        else:
            assert len(names) == target and asis >= set(names)
