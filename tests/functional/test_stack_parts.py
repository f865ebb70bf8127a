"""The lifecycle of a resource: what must not be destroyed, and changes that are ignored."""

import functools
import itertools
import time

import pytest

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import string
from tests import databases, engines

OWN, HEAT = 'heat_lite_2026-12-01', '2021-04-16'
TEST, RANDOM, GROUP = 'OS::Heat::TestResource', 'OS::Heat::RandomString', 'OS::Heat::ResourceGroup'


class Renamed(Resource):
    """A type that has renamed a property."""

    resource_type = 'Test::Renamed'
    properties_schema = {
        'image': string('The image.', required=True),
        'imageRef': string('The image.', alias_of='image'),
    }


@pytest.fixture(
    scope='module', params=itertools.product(databases.BACKENDS, (False, True)), ids=str
)
def engine(request, tmp_path_factory):
    backend, convergence = request.param
    with databases.migrated(backend, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Renamed], convergence_engine=convergence) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def template(version=OWN, **resources):
    return {'heat_template_version': version, 'resources': resources}


def actions(answer):
    kinds = ('unchanged', 'updated', 'replaced', 'added', 'deleted')
    return {each['resource_name']: each['action'] for kind in kinds for each in answer[kind]}


def key(length, **lifecycle):
    more = {'lifecycle': lifecycle} if lifecycle else {}
    return {'type': RANDOM, 'properties': {'length': length}, **more}


# --------------------------------------------------------------- prevent_destroy


def test_prevent_destroy_refuses_updates_and_deletes_before_any_change(engine):
    identity = engine.create(template(key=key(8, prevent_destroy=True), other=key(8)))
    before = engine.stack(identity), engine.events(identity)
    for wanted in (template(key=key(9), other=key(9)), template(other=key(9))):
        with pytest.raises(exception.DestroyPrevented, match='delete or replace key of stack'):
            engine.update(identity, wanted)
        assert 'delete or replace key of' in engine.preview(identity, wanted)['refused']
    with pytest.raises(exception.DestroyPrevented, match='delete or replace key of'):
        engine.delete(identity)
    assert (engine.stack(identity), engine.events(identity)) == before
    engine.update(identity, template(key=key(8), other=key(9)))
    engine.update(identity, template(key=key(9), other=key(9)))
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_prevent_destroy_of_an_environment_protects_a_member_of_a_group(engine):
    protected = {
        'resource_registry': {
            'resources': {'g*': {'[01]': {'lifecycle': {'prevent_destroy': True}}}}
        }
    }

    def group(count):
        member = {'type': RANDOM}
        properties = {'count': count, 'resource_def': member}
        return template(HEAT, group={'type': GROUP, 'properties': properties})

    identity = engine.create(group(3), params=protected)
    engine.update(identity, group(2), params=protected)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    with pytest.raises(exception.DestroyPrevented, match='replace group/1 of'):
        engine.update(identity, group(1), params=protected)
    with pytest.raises(exception.DestroyPrevented, match='group/0, group/1|group/1, group/0'):
        engine.delete(identity)


def test_prevent_destroy_stops_a_replacement_that_no_preview_knows(engine):
    def resources(value):
        source = {'type': TEST, 'properties': {'value': value}}
        salt = {'get_attr': ['source', 'output']}
        kept = {**key(8, prevent_destroy=True), 'properties': {'length': 8, 'salt': salt}}
        return template(source=source, kept=kept)

    identity = engine.create(resources('1'))
    physical = engine.physical_id(identity, 'kept')
    engine.update(identity, resources('2'))
    assert engine.state(identity) == 'UPDATE_FAILED'
    assert 'prevent_destroy' in engine.stack(identity)['stack_status_reason']
    assert engine.resource(identity, 'kept')['resource_status'] == 'COMPLETE'
    assert engine.physical_id(identity, 'kept') == physical


def test_prevent_destroy_lets_a_failed_update_roll_back_what_it_has_added(engine):
    identity = engine.create(template(first=key(8)))
    failing = {'type': TEST, 'properties': {'fail': True}, 'depends_on': 'new'}
    wanted = template(first=key(8), new=key(8, prevent_destroy=True), failing=failing)
    engine.update(identity, wanted, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert set(engine.resources(identity)) == {'first'}


# --------------------------------------------------------------- ignore_changes


def test_ignored_changes_keep_the_stored_values(engine):
    def resource(value, data):
        properties = {'value': value, 'entity_name': data}
        lifecycle = {'ignore_changes': ['value']}
        return template(res={'type': TEST, 'properties': properties, 'lifecycle': lifecycle})

    identity = engine.create(resource('1', 'a'))
    answer = engine.preview(identity, resource('2', 'a'))
    [found] = answer['unchanged']
    assert found['ignored_changes'] == ['value']
    engine.update(identity, resource('2', 'a'))
    events = [each for each in engine.events(identity) if each[0] == 'res']
    assert len(events) == 2
    engine.update(identity, resource('3', 'b'))
    assert engine.resource(identity, 'res')['resource_action'] == 'UPDATE'
    assert engine.resource(identity, 'res')['attributes']['output'] == '1'
    assert 'ignored_changes' in engine.preview(identity, resource('3', 'b'))['unchanged'][0]
    assert 'ignored_changes' not in engine.preview(identity, resource('1', 'b'))['unchanged'][0]


def test_ignored_changes_of_an_environment_name_a_part_of_a_property(engine):
    environment = {
        'resource_registry': {
            'resources': {'val*': {'lifecycle': {'ignore_changes': ['value.a.0']}}}
        }
    }

    def value(first, second):
        data = {'map_merge': [{'a': [first]}, {'b': second}]}
        return template(HEAT, val={'type': 'OS::Heat::Value', 'properties': {'value': data}})

    identity = engine.create(value(1, 1), params=environment)
    ignored = engine.preview(identity, value(2, 1), environment)
    assert actions(ignored) == {'val': 'none'}
    engine.update(identity, value(2, 2), params=environment)
    attributes = engine.resource(identity, 'val')['attributes']
    assert attributes['value'] == {'a': [1], 'b': 2}


def test_ignored_change_of_no_property_is_refused(engine):
    def resource(path):
        lifecycle = {'ignore_changes': ['value', path]}
        return template(res={'type': TEST, 'lifecycle': lifecycle})

    def environment(name):
        entry = {name: {'lifecycle': {'ignore_changes': ['valeu']}}}
        return {'resource_registry': {'resources': entry}}

    text = 'There is no property "valeu". Did you mean "value"?'
    place = ['resources', 'res', 'lifecycle', 'ignore_changes']
    identity = engine.create(resource('entity_name'))
    for ask in (
        functools.partial(engine.create, name='x'),
        functools.partial(engine.update, identity),
    ):
        with pytest.raises(exception.StackValidationFailed) as caught:
            ask(resource('valeu'))
        assert (str(caught.value), caught.value.place) == (text, [*place, 1])
        with pytest.raises(exception.StackValidationFailed) as caught:
            ask(template(HEAT, res={'type': TEST}), params=environment('res'))
        assert (str(caught.value), caught.value.place) == (text, ['resource_registry', *place, 0])
    # a pattern is for the resources that have the property
    engine.update(identity, template(HEAT, res={'type': TEST}), params=environment('r*'))
    assert engine.state(identity) == 'UPDATE_COMPLETE'


@pytest.mark.parametrize('before', ['image', 'imageRef'])
@pytest.mark.parametrize('after', ['image', 'imageRef'])
def test_ignored_changes_follow_the_new_name_of_a_property(engine, before, after):
    def resource(name, value, path='image'):
        lifecycle = {'ignore_changes': [path]}
        it = {'type': 'Test::Renamed', 'properties': {name: value}, 'lifecycle': lifecycle}
        return template(res=it)

    identity = engine.create(resource(before, 'a'))
    [found] = engine.preview(identity, resource(after, 'b'))['unchanged']
    assert found['ignored_changes'] == ['image']
    engine.update(identity, resource(after, 'b'))
    assert engine.resource(identity, 'res')['resource_action'] == 'CREATE'
    text = 'There is no property "imageRef". "imageRef" is called "image".'
    with pytest.raises(exception.StackValidationFailed, match=text):
        engine.update(identity, resource(after, 'b', 'imageRef'))


def test_ignored_change_of_a_parameter_stays_out_of_the_nested_stack(engine):
    files = {
        'key.yaml': """
heat_template_version: 2021-04-16
parameters: {length: {type: number}, salt: {type: string}}
resources:
  key: {type: OS::Heat::RandomString, properties: {length: {get_param: length}}}
  other: {type: OS::Heat::RandomString, properties: {salt: {get_param: salt}}}
"""
    }

    def resource(length, salt):
        properties, lifecycle = {'length': length, 'salt': salt}, {'ignore_changes': ['length']}
        return template(res={'type': 'key.yaml', 'properties': properties, 'lifecycle': lifecycle})

    identity = engine.create(resource(8, 'a'), files=files)

    def objects():
        listed = engine.client.list_stack_resources(
            engine.context, stack_identity=identity, nested_depth=1
        )
        return {each['resource_name']: each['physical_resource_id'] for each in listed}

    before = objects()
    engine.update(identity, resource(9, 'b'), files=files)
    after = objects()
    assert {name for name in before if before[name] != after[name]} == {'other'}


# --------------------------------------------------------------- replace, target, exclude


def test_replace_recreates_one_resource_once(engine):
    user = {'type': TEST, 'properties': {'value': {'get_resource': 'key'}}}
    wanted = template(HEAT, key=key(8), user=user, other=key(8))
    identity = engine.create(wanted)
    before = {name: engine.physical_id(identity, name) for name in ('key', 'other', 'user')}
    answer = engine.preview(identity, wanted, replace=['key'])
    assert actions(answer) == {'key': 'replace', 'user': 'update', 'other': 'none'}
    assert answer['replaced'][0]['reason'] == 'the request replaces it'
    engine.update(identity, wanted, replace=['key'])
    after = {name: engine.physical_id(identity, name) for name in before}
    assert {name for name in before if before[name] != after[name]} == {'key'}
    assert actions(engine.preview(identity, wanted)) == dict.fromkeys(before, 'none')
    with pytest.raises(exception.ResourceNotFound, match='Resources of nested stacks'):
        engine.update(identity, wanted, replace=['group/0'])
    protected = template(OWN, key=key(8, prevent_destroy=True), user=user, other=key(8))
    with pytest.raises(exception.DestroyPrevented):
        engine.update(identity, protected, replace=['key'])


def test_rollback_of_a_replacement_by_request_replaces_nothing_more(engine):
    failing = {'type': TEST, 'properties': {'fail': True}}
    slow = {**key(8), 'depends_on': 'failing'}
    identity = engine.create(template(HEAT, slow=key(8)))
    before = engine.physical_id(identity, 'slow')
    wanted = template(HEAT, slow=slow, failing=failing)
    engine.update(identity, wanted, replace=['slow'], disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert engine.physical_id(identity, 'slow') == before


def parts(length, **more):
    """Of four resources, ``web`` requires ``base``."""
    salt = {'get_attr': ['base', 'value']}
    web = {'type': RANDOM, 'properties': {'length': length, 'salt': salt}}
    return {
        **template(HEAT, base=key(length), web=web, data=key(length), **more),
        'outputs': {'data': {'value': {'get_attr': ['data', 'value']}}},
    }


def test_target_changes_only_a_resource_and_what_it_requires(engine):
    identity = engine.create(parts(8, old=key(8)))
    before = engine.events(identity)
    wanted = parts(9, new=key(9))
    answer = engine.preview(identity, wanted, target=['web'])
    assert actions(answer) == {'base': 'replace', 'web': 'replace', 'data': 'none', 'old': 'none'}
    assert answer['not_applied'] == ['data', 'new', 'old']
    engine.update(identity, wanted, target=['web'])
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert engine.stack(identity)['not_applied'] == ['data', 'new', 'old']
    changed = {name for name, _ in engine.events(identity)[len(before) :]}
    assert changed == {'stack', 'base', 'web'}
    assert len(engine.outputs(identity)['data']) == 8
    rest = {'base': 'none', 'web': 'none', 'data': 'replace', 'new': 'create', 'old': 'delete'}
    assert actions(engine.preview(identity, wanted)) == rest
    engine.update(identity, wanted)
    assert set(engine.resources(identity)) == {'base', 'web', 'data', 'new'}
    assert 'not_applied' not in engine.stack(identity)


def test_target_leaves_other_resources_whose_parameters_change(engine):
    parameters = {'size': {'type': 'number', 'default': 8}}
    resources = {'one': key({'get_param': 'size'}), 'two': key({'get_param': 'size'})}
    wanted = {**template(HEAT, **resources), 'parameters': parameters}
    identity = engine.create(wanted)
    two = engine.physical_id(identity, 'two')
    nine = {'parameters': {'size': 9}}
    engine.update(identity, wanted, params=nine, target=['one'])
    assert engine.physical_id(identity, 'two') == two
    assert engine.stack(identity)['not_applied'] == ['two']
    assert actions(engine.preview(identity, wanted, nine)) == {'one': 'none', 'two': 'replace'}
    engine.update(identity, wanted, params=nine)
    assert engine.physical_id(identity, 'two') != two


def test_exclude_leaves_resources_and_refuses_what_needs_a_new_one(engine):
    identity = engine.create(parts(8))
    answer = engine.preview(identity, parts(9), exclude=['data', 'web'])
    assert actions(answer) == {'base': 'replace', 'web': 'none', 'data': 'none'}
    needs = {'type': TEST, 'properties': {'value': {'get_resource': 'new'}}}
    wanted = parts(9, new=key(9), needs=needs)
    for request in ({'exclude': ['new']}, {'target': ['needs'], 'exclude': ['new']}):
        with pytest.raises(exception.InvalidTemplateReference, match='"new"'):
            engine.update(identity, wanted, **request)
    with pytest.raises(exception.ResourceNotFound):
        engine.update(identity, wanted, target=['nothing'])


def test_rollback_of_a_part_leaves_the_others(engine):
    identity = engine.create(parts(8))
    before = engine.events(identity)
    failing = {'type': TEST, 'properties': {'fail': True}, 'depends_on': 'web'}
    wanted = parts(9, failing=failing)
    engine.update(identity, wanted, target=['failing'], disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert 'data' not in {name for name, _ in engine.events(identity)[len(before) :]}
    assert 'not_applied' not in engine.stack(identity)
    assert len(engine.outputs(identity)['data']) == 8


def test_target_leaves_what_a_failed_update_has_added(engine):
    identity = engine.create(parts(8))
    failing = {'type': TEST, 'properties': {'fail': True}, 'depends_on': 'extra'}
    engine.update(identity, parts(8, extra=key(8), failing=failing))
    assert engine.resources(identity)['failing'] == 'CREATE_FAILED'
    engine.update(identity, parts(9), target=['base'])
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert {'extra', 'failing', 'web'} <= set(engine.resources(identity))
    engine.update(identity, parts(9))
    assert set(engine.resources(identity)) == {'base', 'web', 'data'}
