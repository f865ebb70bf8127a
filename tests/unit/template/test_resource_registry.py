import pytest

from heat_lite.common import exception
from heat_lite.template.resource_registry import TypeRegistry
from tests.effort import count_calls

VALUE, NONE = 'OS::Heat::Value', 'OS::Heat::None'
#: of processor time; done in the naive way it is ten times as much


def known(name):
    return name in (VALUE, NONE)


@pytest.mark.parametrize(
    ('entries', 'name', 'target'),
    [
        ({}, VALUE, VALUE),
        ({'My::X': VALUE}, 'My::X', VALUE),
        ({'My::X': 'My::Y', 'My::Y': VALUE}, 'My::X', VALUE),
        ({VALUE: NONE}, VALUE, NONE),
        ({VALUE: VALUE}, VALUE, VALUE),
        ({VALUE: None}, VALUE, VALUE),
        ({'My::*': 'OS::Heat::*'}, 'My::Value', VALUE),
        ({'My::*': VALUE}, 'My::Anything', VALUE),
        ({'OS::Heat::*': NONE}, VALUE, NONE),
        ({'My::V*': 'OS::Nope::*', 'My::*': 'OS::Heat::*', 'My::Value': NONE}, 'My::Value', VALUE),
        ({'resources': {'r': {'My::X': VALUE}}}, 'My::X', VALUE),
        ({'My::X': 'OS::Nope', 'resources': {'r': {'My::X': VALUE}}}, 'My::X', VALUE),
        # entries that lead to no type are passed over
        ({VALUE: 'My::Nope'}, VALUE, VALUE),
        ({VALUE: 'My::Y', 'My::Y': 'My::Nope'}, VALUE, VALUE),
        ({VALUE: ''}, VALUE, VALUE),
        ({VALUE: {'a': 'b'}}, VALUE, VALUE),
        ({'OS::Heat::*': 'My::*'}, VALUE, VALUE),
        ({'My::*': 'OS::Nope::*', 'My::X': VALUE}, 'My::X', VALUE),
        ({'My::*': 'OS::Nope::*', 'My::V*': 'OS::Heat::V*'}, 'My::Value', VALUE),
        ({'My::X': VALUE, 'resources': {'r': {'My::X': 'My::Nope'}}}, 'My::X', VALUE),
        ({'My::X': VALUE, 'resources': {'r': {'hooks': 'pre-create'}}}, 'My::X', VALUE),
    ],
)
def test_resolve_type_follows_the_registry(entries, name, target):
    assert TypeRegistry(entries).resolve(name, 'r', known) == ('type', target)


@pytest.mark.parametrize(
    ('entries', 'name', 'target'),
    [
        ({'My::X': 'http://host/x.yaml'}, 'My::X', 'http://host/x.yaml'),
        ({'My::X': 'x.template'}, 'My::X', 'x.template'),
        ({}, 'x.yaml', 'x.yaml'),
        ({VALUE: 'x.yaml'}, VALUE, 'x.yaml'),
    ],
)
def test_resolve_template_returns_its_name(entries, name, target):
    assert TypeRegistry(entries).resolve(name, 'r', known) == ('template', target)


@pytest.mark.parametrize(
    'entries',
    [
        {},
        {'My::X': 'My::Y'},
        {'My::X': ''},
        {'My::X': 'file:///etc/passwd'},
        {'*::X': VALUE},
        {'My::*': 'x.yaml'},
        {'resources': {'q': {'My::X': VALUE}}},
        {'resources': {'*': {'My::X': VALUE}}},
    ],
)
def test_resolve_unknown_type_raises(entries):
    with pytest.raises(exception.EntityNotFound) as caught:
        TypeRegistry(entries).resolve('My::X', 'r', known)
    assert str(caught.value) == 'The Resource Type (My::X) could not be found.'


def test_search_that_tries_too_many_entries_is_refused():
    entries = {f'{"a" * number}*': f'b{number}*' for number in range(1, 200)}
    entries |= {f'b{number}*': f'{"a" * number}c*' for number in range(1, 200)}
    with pytest.raises(exception.StackValidationFailed, match='more than 20 entries'):
        TypeRegistry(entries).resolve('a' * 250, 'r', known)


def test_resolve_passes_over_what_leads_nowhere_to_the_base():
    base = TypeRegistry({'My::X': VALUE})
    assert TypeRegistry({'My::*': 'OS::Nope'}, base).resolve('My::X', 'r', known).target == VALUE


def test_empty_maps_are_not_shown():
    resources = {'r': {}, 's': {'X': {}}, 't': {'X': None}}
    registry = TypeRegistry({'My::X': {}, 'My::Y': {'a': 'b'}, 'resources': resources})
    assert registry.as_dict() == {'resources': {'t': {}}, 'My::Y': {'a': 'b'}}


def test_resolve_circular_mapping_raises():
    with pytest.raises(exception.StackValidationFailed, match='A::X -> B::X -> A::X'):
        TypeRegistry({'A::X': 'B::X', 'B::X': 'A::X'}).resolve('A::X', 'r', known)


def test_as_dict_contains_resolved_types():
    registry = TypeRegistry({'My::*': 'OS::Heat::*'})
    registry.resolve('My::Value', 'r', known)
    registry.resolve('a.yaml', 'r', known)
    assert registry.as_dict() == {
        'resources': {},
        'My::*': 'OS::Heat::*',
        'My::Value': 'OS::Heat::*',
        'a.yaml': 'a.yaml',
    }


def test_hooks_and_restricted_actions_match_by_pattern():
    registry = TypeRegistry(
        {
            'resources': {
                'web_*': {'hooks': ['pre-create', 'pre-update']},
                'web_1': {'hooks': 'post-delete', 'restricted_actions': ['update', 'replace']},
                '*': {'restricted_actions': 'replace'},
            }
        }
    )
    assert registry.hooks('web_1') == {'pre-create', 'pre-update', 'post-delete'}
    assert registry.hooks('db') == set()
    assert registry.restricted_actions('web_1') == {'update', 'replace'}
    assert registry.restricted_actions('db') == {'replace'}


@pytest.mark.parametrize(
    ('hooks', 'shown'),
    [
        ('pre-lunch', '"pre-lunch"'),
        (['pre-create', 'x'], '["pre-create", "x"]'),
        ({'a': 1}, '{"a": 1}'),
    ],
)
@pytest.mark.parametrize(
    'place',
    [
        lambda said: {'resources': {'r': said}},
        lambda said: {'resources': {'r': {'s': said}}},
        lambda said: said,
    ],
)
def test_hooks_invalid_are_refused(hooks, shown, place):
    with pytest.raises(exception.InvalidBreakPointHook) as caught:
        TypeRegistry(place({'hooks': hooks}))
    assert str(caught.value) == (
        f'Invalid hook type {shown} for resource breakpoint, acceptable hook types are: '
        'pre-create, pre-update, pre-delete, post-create, post-update, post-delete'
    )


def test_restricted_actions_invalid_are_refused():
    with pytest.raises(exception.InvalidRestrictedAction) as caught:
        TypeRegistry({'resources': {'r': {'restricted_actions': 'delete'}}})
    assert str(caught.value) == (
        'Invalid restricted_action type "delete" for resource, acceptable '
        'restricted_action types are: update, replace'
    )


@pytest.mark.parametrize(
    ('entries', 'error'),
    [
        ({'X': 5}, AttributeError),
        ({'X': ['a']}, AttributeError),
        ({'resources': ['a']}, AttributeError),
        ({'resources': {'r': 'x'}}, ValueError),
    ],
)
def test_registry_entry_of_wrong_type_is_refused(entries, error):
    with pytest.raises(error):
        TypeRegistry(entries)


@pytest.mark.parametrize(
    'entries',
    [
        {'a*': 'aa*'},  # the name grows for ever
        {'a*': f'{"a" * 2000}*'},
        {f'a{number}': f'a{number + 1}' for number in range(1, 10_000)},
    ],
)
def test_type_that_leads_to_entry_after_entry_is_refused(entries):
    with pytest.raises(exception.StackValidationFailed, match='more than 20 entries'):
        TypeRegistry(entries).resolve('a1', 'r', known)


def test_first_of_many_patterns_by_name_counts():
    patterns = {f'{"a" * (number % 60)}{number}*': NONE for number in range(10_000)}
    registry = TypeRegistry({**patterns, 'aa*': VALUE})
    for number in range(300):
        assert registry.resolve(f'aax{"a" * 100}{number}', 'r', known).target == VALUE


def test_many_patterns_of_names_are_compiled_once():
    """The cache of ``fnmatch`` has 256 places: without another, each name compiles all again."""
    patterns = {f'{"*x" * 40}{number}': {'hooks': 'pre-create'} for number in range(300)}
    registry = TypeRegistry({'resources': {**patterns, 'r*': {'hooks': ['post-delete']}}})

    def look():
        for number in range(300):
            assert registry.hooks(f'r{number}') == {'post-delete'}
            assert registry.restricted_actions(f'r{number}') == set()

    assert count_calls(look) < 4_000_000


def test_pattern_of_a_name_longer_than_any_name_is_refused():
    with pytest.raises(ValueError, match='has more than 255 characters'):
        TypeRegistry({'resources': {'*a' * 128: {}}})


def test_lifecycles_of_all_matching_entries_count_and_are_no_nested_resource():
    entries = {
        'resources': {
            'db*': {'lifecycle': {'prevent_destroy': True}, 'inner': {'hooks': 'pre-create'}},
            'db1': {'lifecycle': {'ignore_changes': ['size']}},
        }
    }
    registry = TypeRegistry(entries)
    assert registry.lifecycles('db1') == [{'prevent_destroy': True}, {'ignore_changes': ['size']}]
    assert registry.lifecycles('web') == []
    assert registry.nested('db1')['resources'] == {'inner': {'hooks': 'pre-create'}}


@pytest.mark.parametrize(
    'lifecycle',
    [{'prevent_destory': True}, {'prevent_destroy': 'yes'}, {'ignore_changes': 'size'}, 'never'],
)
def test_invalid_lifecycle_is_refused(lifecycle):
    with pytest.raises(exception.StackValidationFailed):
        TypeRegistry({'resources': {'db': {'lifecycle': lifecycle}}})
