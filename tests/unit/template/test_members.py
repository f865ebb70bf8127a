"""Members of groups: their definitions, who goes, sizes and batches. The sequences are those that Heat was seen to go through."""

import itertools

import pytest

from heat_lite.template import members
from heat_lite.template.members import Member, Pace, counted, renewed
from heat_lite.template.template import Template


def steps(stages, present, current=()):
    """What each stage does, as text: +made ~changed -gone."""
    told, done = [], set(current)
    for stage in stages:
        made = [f'+{name}' for name in stage.names if name not in present]
        changed = [f'~{name}' for name in present if name in stage.names and name in stage.changed - done]
        told.append(' '.join([*made, *changed, *(f'-{name}' for name in present if name not in stage.names)]))
        present, done = stage.names, stage.changed
    return told


def test_the_name_goes_where_the_placeholder_is_but_not_into_keys():
    snippet = {'k%i%': ['%i%', 5, True, None, 'a%i%b%i%'], 'm': {'x': '%i%'}}
    assert members.numbered(snippet, '%i%', '7') == {'k%i%': ['7', 5, True, None, 'a7b7'], 'm': {'x': '7'}}


def test_the_inside_is_a_template():
    data = members.template(
        {'0': {'type': 'T'}}, {'refs': members.references(['0']), 'attributes, a': members.attributes_map(['0'], ['a'])}
    )
    template = Template(data)
    bound = template.bind(template.parameters())
    assert list(bound.resources) == ['0'] and bound.reads() == {'0': {('a',)}}
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
def test_paths_to_one_member(path, found):
    assert members.member_path(path) == found


def test_numbers_of_removed_members_are_skipped():
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
def test_removed_are_members_and_those_removed_before(before, wanted, append, removed):
    assert members.removed_names(before, wanted, {'0': 'ref0', '1': 'ref1', '3': 'ref3'}, append) == removed


def test_before_there_are_members_any_name_can_be_removed():
    assert members.removed_names([], ['x', '1', 7], None, True) == ['1', '7', 'x']


def test_failed_ones_go_first_then_the_oldest():
    present = [Member('old', 1), Member('new', 3), Member('broken', 4, True), Member('middle', 2)]
    order = members.by_worth(present)
    assert order == ['broken', 'old', 'middle', 'new']
    assert members.newest(order, 2) == ['middle', 'new'] and members.newest(order, 0) == []


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
def test_sizes_after_adjustments(current, adjustment, kind, step, size):
    assert members.resized(current, adjustment, kind, 0, 9, step) == size


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
def test_batches_of_a_group_that_counts(present, target, batch, in_service, expected):
    names = members.first_names(present)
    assert steps(counted(names, target, Pace(batch, in_service)), names) == expected


def test_removed_members_go_in_the_first_batch():
    names = members.first_names(3)
    assert steps(counted(names, 3, Pace(1), removed=['1']), names) == ['+3 -1', '~2', '~0']


def test_members_that_are_as_wanted_are_left_alone():
    names = members.first_names(4)
    assert steps(counted(names, 4, Pace(2), current=['3', '0']), names, ['3', '0']) == ['~1 ~2']
    assert [stage.names for stage in counted(names, 4, Pace(2), current=names)] == [names]


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
def test_batches_of_a_group_whose_oldest_go(present, target, batch, in_service, expected):
    names, numbers = [f'o{number}' for number in range(present)], itertools.count()
    assert steps(renewed(names, target, Pace(batch, in_service), lambda: f'n{next(numbers)}'), names) == expected


CASES = [
    (kind, present, target, Pace(batch, in_service), current)
    for kind in (counted, renewed)
    for present, target, batch, in_service in itertools.product(range(6), range(6), (1, 2, 5), (0, 1, 3, 7))
    for current in ((), (0,), (1, 3), range(6))
    if kind is counted or target <= present
]


@pytest.mark.parametrize('kind', [counted, renewed])
def test_all_sequences_end_well_in_small_steps_with_enough_in_service(kind):
    for _, present, target, pace, current in (case for case in CASES if case[0] is kind):
        names = [str(number) for number in range(present)]
        asis = {names[number] for number in current if number < present}
        namer = {'new_name': map(str, itertools.count(100)).__next__} if kind is renewed else {}
        sequence = kind(names, target, pace, current=asis, **namer)
        where, done = names, asis
        for stage in sequence:
            made = set(stage.names) - set(where)
            changed = made | (stage.changed & set(where)) - done
            untouched = set(stage.names) & set(where) - changed
            assert len(changed) <= pace.batch and made <= stage.changed
            if changed - made:
                assert len(untouched) >= min(pace.in_service, target), (present, target, pace, asis)
            where, done = stage.names, stage.changed
        if sequence:
            assert len(where) == target and set(where) == set(done)
        else:
            assert len(names) == target and asis >= set(names)
