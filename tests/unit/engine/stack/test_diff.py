import types

import pytest

from heat_lite.common import exception, status
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import diff
from heat_lite.engine.stack.action_run import ActionRun
from heat_lite.template.properties import Properties
from heat_lite.template.schema import string
from heat_lite.template.stored_properties import StoredProperties, StoredValues
from heat_lite.template.unknown import STRING, Unknown

NAMES = ('free', 'fixed', 'choosy')
UNKNOWN = Unknown(STRING, ['other.show'])


class Kind(Resource):
    resource_type = 'Test::Kind'
    properties_schema = {
        'free': string('Can change.', update_allowed=True),
        'choosy': string('Can change, unless it becomes "other".', update_allowed=True),
        'fixed': string('Cannot.'),
        'never': string('Must not.', immutable=True),
    }

    def properties_of(self, definition):
        given = definition.properties
        kind = StoredProperties if isinstance(given, StoredValues) else Properties
        return kind(self.properties_schema, given, name=self.name)

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        return (
            'choosy' in changed
            and after_properties['choosy'] == 'other'
            and before_properties['choosy'] is not None
        )


def definition(metadata=None, **properties):
    raw = {'type': 'Test::Kind', 'properties': properties}
    if metadata is not None:
        raw['metadata'] = metadata
    return types.SimpleNamespace(
        resource_type='Test::Kind',
        raw=raw,
        properties=properties,
        with_properties=lambda values: types.SimpleNamespace(properties=values),
        metadata=metadata,
        update_policy=None,
        deletion_policy='Delete',
        external_id=None,
        import_id=None,
    )


@pytest.fixture(params=['given', 'complete'], autouse=True)
def stored_form(request, monkeypatch):
    """The form of the stored properties: as given, or all of them as in earlier versions."""
    missing = dict.fromkeys(Kind.properties_schema) if request.param == 'complete' else {}
    monkeypatch.setattr(Kind, 'not_given', missing, raising=False)


def resource(action='CREATE', state='COMPLETE', **properties):
    record = types.SimpleNamespace(
        id=1,
        action=action,
        status=state,
        nova_instance='id',
        properties={**Kind.not_given, **properties},
    )
    stack = types.SimpleNamespace(run=ActionRun('UPDATE'))
    return Kind('r', definition(**properties), stack, record)


def test_decide_without_changes_is_none():
    assert diff.decide(resource(free='a'), definition(free='a')) == diff.Decision(diff.NONE)


def test_decide_updatable_property_is_update():
    decision = diff.decide(resource(free='a'), definition(free='b', metadata={'k': 1}))
    assert decision.action == diff.UPDATE and decision.changes.properties == {'free': 'b'}
    assert set(decision.changes.definition) == {'metadata', 'properties'}


def test_between_removed_property_has_its_default():
    assert diff.decide(resource(free='a'), definition()).changes.properties == {'free': None}


@pytest.mark.parametrize(
    'before, after, forced',
    [
        ({'fixed': 'a', 'free': 'a'}, {'fixed': 'b', 'free': 'b'}, ('fixed',)),
        ({'choosy': 'a', 'free': 'a'}, {'choosy': 'other', 'free': 'b'}, ('choosy',)),
    ],
)
def test_decide_replacement_names_forcing_properties(before, after, forced):
    decision = diff.decide(resource(**before), definition(**after))
    assert (decision.action, decision.forced_by, decision.may_replace) == (
        diff.REPLACE,
        forced,
        False,
    )
    assert decision.reason == f'only a new resource can take another {forced[0]}'


def test_decide_immutable_property_raises_not_supported():
    with pytest.raises(exception.NotSupported, match='Update to properties never of r'):
        diff.decide(resource(never='a'), definition(never='b'))


@pytest.mark.parametrize(
    'later, action, may_replace',
    [
        ({'free'}, diff.UPDATE, False),
        ({'fixed'}, diff.REPLACE, True),
        ({'choosy'}, diff.REPLACE, True),
    ],
)
def test_decide_with_later_values_may_replace(later, action, may_replace):
    decision = diff.decide(
        resource(free='a', fixed='a', choosy='a'),
        definition(**{name: UNKNOWN if name in later else 'a' for name in NAMES}),
        later=frozenset(later),
    )
    assert (decision.action, decision.may_replace, decision.later) == (action, may_replace, later)
    assert decision.changes.properties == {}


def test_decide_certain_replacement_ignores_later_values():
    decision = diff.decide(
        resource(free='a', fixed='a'), definition(free='a', fixed='b'), later=frozenset({'free'})
    )
    assert (decision.action, decision.may_replace, decision.forced_by) == (
        diff.REPLACE,
        False,
        ('fixed',),
    )


@pytest.mark.parametrize(
    'action, state, new_type, expected',
    [
        (status.INIT, status.COMPLETE, False, diff.CREATE),
        (status.CREATE, status.FAILED, False, diff.REPLACE),
        (status.CHECK, status.FAILED, False, diff.REPLACE),
        (status.CREATE, status.COMPLETE, True, diff.REPLACE),
    ],
)
def test_decide_by_state_and_type(action, state, new_type, expected):
    assert (
        diff.decide(resource(action, state, free='a'), definition(free='a'), new_type).action
        == expected
    )


def test_decide_failed_resource_that_type_repairs_is_update(monkeypatch):
    monkeypatch.setattr(Kind, 'needs_replace_failed', lambda self: False)
    decision = diff.decide(resource(status.UPDATE, status.FAILED, free='a'), definition(free='a'))
    assert (
        decision.action == diff.UPDATE
        and decision.changes.properties == {}
        and decision.reason == 'it is UPDATE_FAILED'
    )


def test_between_deletion_policy_with_other_parameter_differs():
    """The policy may depend on a parameter, with equal text."""
    wanted = definition(free='a')
    wanted.deletion_policy = 'Retain'
    decision = diff.decide(resource(free='a'), wanted)
    assert decision.action == diff.UPDATE and decision.changes.definition == {
        'deletion_policy': 'Retain'
    }
