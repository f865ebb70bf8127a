"""The preview of an update, and that the update does what it predicts."""

import copy
import json
import random
import time

import pytest
import sqlalchemy as sa

from heat_lite.common import exception
from heat_lite.db import models, session, stacks as db_stacks
from heat_lite.engine.execution import preview as engine_preview
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import diff
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.validation import validation
from heat_lite.template.environment import Environment
from heat_lite.template.schema import any_attribute, string
from heat_lite.template.template import Template
from tests import databases, effort, engines

TEST, RANDOM, VALUE = 'OS::Heat::TestResource', 'OS::Heat::RandomString', 'OS::Heat::Value'
LISTS = {
    'unchanged': 'none',
    'updated': 'update',
    'replaced': 'replace',
    'added': 'create',
    'deleted': 'delete',
}


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with (
        databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url,
        engines.running(url) as driver,
    ):
        yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def preview(engine, identity, resources, params=None, **more):
    args = more.pop('args', {})
    return engine.preview(identity, {'resources': resources, **more}, params, **args)


def names(answer):
    return {kind: sorted(each['resource_name'] for each in answer[kind]) for kind in LISTS}


def predicted_change(answer, name):
    return next(each for kind in LISTS for each in answer[kind] if each['resource_name'] == name)


def changes(answer, name):
    return {each['property']: each for each in predicted_change(answer, name)['property_changes']}


def test_preview_lists_each_kind_of_change(engine):
    identity = engine.create(
        {
            'resources': {
                'same': {'type': VALUE, 'properties': {'value': 1}},
                'upd': {'type': TEST, 'properties': {'value': '1'}},
                'rep': {'type': RANDOM, 'properties': {'length': 8}},
                'kind': {'type': VALUE, 'properties': {'value': 1}},
                'meta': {'type': TEST, 'metadata': {'a': 1}},
                'gone': {'type': VALUE, 'properties': {'value': 2}},
            }
        }
    )
    answer = preview(
        engine,
        identity,
        {
            'same': {'type': VALUE, 'properties': {'value': 1}},
            'upd': {'type': TEST, 'properties': {'value': '2'}},
            'rep': {'type': RANDOM, 'properties': {'length': 9}},
            'kind': {'type': TEST},
            'meta': {'type': TEST, 'metadata': {'a': 2}},
            'new': {'type': VALUE, 'properties': {'value': {'get_resource': 'rep'}}},
        },
    )
    assert names(answer) == {
        'unchanged': ['same'],
        'updated': ['meta', 'upd'],
        'replaced': ['kind', 'rep'],
        'added': ['new'],
        'deleted': ['gone'],
    }
    assert all(each['action'] == LISTS[kind] for kind in LISTS for each in answer[kind])
    change = {
        'property': 'value',
        'before': '1',
        'after': '2',
        'known': True,
        'forces_replacement': False,
        'secret': False,
    }
    assert predicted_change(answer, 'upd')['property_changes'] == [change]
    assert (
        predicted_change(answer, 'rep')['forced_by'] == ['length']
        and changes(answer, 'rep')['length']['forces_replacement']
    )
    assert (
        predicted_change(answer, 'rep')['reason'] == 'only a new resource can take another length'
    )
    assert predicted_change(answer, 'rep')['physical_resource_id'] == engine.physical_id(
        identity, 'rep'
    )
    assert (
        predicted_change(answer, 'kind')['reason'] == f'its type changes from {VALUE} to {TEST}'
        and predicted_change(answer, 'kind')['resource_type'] == TEST
    )
    assert (
        predicted_change(answer, 'meta')['definition_changes'] == ['metadata']
        and predicted_change(answer, 'meta')['property_changes'] == []
    )
    assert (changes(answer, 'new')['value']['known'], changes(answer, 'new')['value']['after']) == (
        False,
        None,
    )
    assert (
        answer['has_changes']
        and answer['digest'] != answer['present_digest']
        and answer['refused'] is None
    )


def test_dependents_of_changed_resources_may_change(engine):
    """As recorded from Heat: a property with an unknown new value may replace the resource."""

    def resources(length, value):
        return {
            'rep': {'type': RANDOM, 'properties': {'length': length}},
            'upd': {'type': TEST, 'properties': {'value': value}},
            'by_reference': {'type': RANDOM, 'properties': {'salt': {'get_resource': 'rep'}}},
            'by_attribute': {
                'type': RANDOM,
                'properties': {'salt': {'get_attr': ['upd', 'output']}},
            },
            'in_place': {'type': TEST, 'properties': {'value': {'get_attr': ['rep', 'value']}}},
            'stays': {'type': RANDOM, 'properties': {'salt': {'get_resource': 'upd'}}},
        }

    identity = engine.create({'resources': resources(8, '1')})
    answer = preview(engine, identity, resources(9, '2'))
    assert names(answer) == {
        'unchanged': ['stays'],
        'updated': ['in_place', 'upd'],
        'replaced': ['by_attribute', 'by_reference', 'rep'],
        'added': [],
        'deleted': [],
    }
    assert {
        name: predicted_change(answer, name)['may_replace']
        for name in ('by_attribute', 'by_reference', 'rep')
    } == {
        'by_attribute': True,
        'by_reference': True,
        'rep': False,
    }
    assert changes(answer, 'in_place')['value']['known'] is False


def test_preview_without_changes_is_empty(engine):
    resources = {'a': {'type': TEST, 'properties': {'value': {'get_param': 'p'}}}}
    parameters = {'p': {'type': 'string', 'default': 'x'}}
    identity = engine.create({'resources': resources, 'parameters': parameters})
    answer = preview(
        engine, identity, resources, parameters=parameters, args={'disable_rollback': True}
    )
    assert (
        answer['has_changes'] is False
        and answer['digest'] == answer['present_digest'] == engine.stack(identity)['digest']
    )
    patched = engine.client.preview_update_stack(
        engine.context,
        stack_identity=identity,
        template=None,
        params={},
        files={},
        args={'existing': True},
    )
    assert patched['has_changes'] is False
    other = preview(engine, identity, resources, parameters=parameters, outputs={'o': {'value': 1}})
    assert other['has_changes'] is True and names(other)['unchanged'] == ['a']


def test_secrets_are_masked_in_previews(engine):
    parameters = {'key': {'type': 'string', 'hidden': True}}
    resources = {
        'holder': {'type': VALUE, 'properties': {'value': {'get_param': 'key'}}},
        'reader': {'type': TEST, 'properties': {'value': {'get_attr': ['holder', 'value']}}},
        'joined': {
            'type': TEST,
            'properties': {'value': {'list_join': ['-', ['a', {'get_param': 'key'}]]}},
        },
        'free': {'type': TEST, 'properties': {'value': 'a'}},
    }
    identity = engine.create(
        {'resources': resources, 'parameters': parameters},
        params={'parameters': {'key': 'geheim-1'}},
    )
    changed = {**resources, 'free': {'type': TEST, 'properties': {'value': 'b'}}}
    answer = preview(
        engine, identity, changed, {'parameters': {'key': 'geheim-2'}}, parameters=parameters
    )
    for name in ('holder', 'joined'):
        assert {
            key: changes(answer, name)['value'][key] for key in ('before', 'after', 'secret')
        } == {
            'before': '******',
            'after': '******',
            'secret': True,
        }
    assert changes(answer, 'reader')['value']['before'] == '******'
    assert changes(answer, 'free')['value']['after'] == 'b'
    for change in ('holder', 'reader', 'joined'):
        assert 'geheim' not in str(predicted_change(answer, change)['property_changes'])
    # a secret stays masked when the new template contains it as plain text
    opened = {**resources, 'holder': {'type': VALUE, 'properties': {'value': 'open'}}}
    answer = preview(
        engine, identity, opened, {'parameters': {'key': 'geheim-1'}}, parameters=parameters
    )
    assert changes(answer, 'holder')['value']['before'] == '******'


def test_generated_passwords_are_masked_in_previews_part_by_part(engine):
    def resources(image, length=8):
        environment = {'A': {'get_resource': 'pw'}, 'B': 'open'}
        command = ['run', {'list_join': ['=', ['-p', {'get_attr': ['pw', 'value']}]]}]
        value = {'image': image, 'environment': environment, 'command': command}
        return {
            'pw': {'type': RANDOM, 'properties': {'length': length}},
            'web': {'type': VALUE, 'properties': {'value': value}},
        }

    identity = engine.create({'resources': resources('x')})
    found = changes(preview(engine, identity, resources('y')), 'web')['value']
    hidden = {'environment': {'A': '******', 'B': 'open'}, 'command': ['run', '******']}
    assert found['before'] == {'image': 'x', **hidden} and found['secret']
    assert found['after'] == {'image': 'y', **hidden}
    found = changes(preview(engine, identity, resources('x', 9)), 'web')['value']
    assert found['before'] == {'image': 'x', **hidden}
    assert found['after'] == {
        'image': 'x',
        'environment': {'A': None, 'B': 'open'},
        'command': ['run', None],
    }
    assert found['known_after'] == {
        'value.environment.A': ['pw'],
        'value.command.1': ['pw.value'],
    }
    # a key that only the new template has
    moved = resources('x')
    moved['web']['properties']['value']['other'] = {'get_resource': 'pw'}
    found = changes(preview(engine, identity, moved), 'web')['value']
    assert found['before']['environment'] == hidden['environment']
    assert found['after']['other'] == '******'


def test_failed_resources_are_replaced_and_missing_ones_created(engine):
    identity = engine.create(
        {
            'resources': {
                'f': {'type': TEST, 'properties': {'fail': True}},
                'g': {'type': TEST, 'depends_on': 'f'},
            }
        }
    )
    answer = preview(
        engine, identity, {'f': {'type': TEST}, 'g': {'type': TEST, 'depends_on': 'f'}}
    )
    assert names(answer)['replaced'] == ['f'] and names(answer)['added'] == ['g']
    assert predicted_change(answer, 'f')['reason'] == 'it is CREATE_FAILED'


def test_unchanged_secret_of_a_failed_resource_is_no_change(engine):
    def resources(fail):
        value = {'get_attr': ['pw', 'value']}
        return {
            'pw': {'type': RANDOM},
            'f': {'type': TEST, 'properties': {'value': value, 'fail': fail}},
        }

    identity = engine.create({'resources': resources(True)})
    found = changes(preview(engine, identity, resources(False)), 'f')
    assert found['value']['before'] == found['value']['after'] == '******'
    assert (found['value']['secret'], found['fail']['after']) == (False, False)


def test_preview_changes_nothing_and_reports_refusals(engine):
    identity = engine.create({'resources': {'a': {'type': TEST}}})
    before = (engine.stack(identity), engine.events(identity), engine.resource(identity, 'a'))
    preview(engine, identity, {'a': {'type': RANDOM}, 'b': {'type': TEST}})
    assert (
        engine.stack(identity),
        engine.events(identity),
        engine.resource(identity, 'a'),
    ) == before
    with pytest.raises(exception.StackValidationFailed):
        preview(engine, identity, {'a': {'type': TEST, 'properties': {'nonsense': 1}}})
    engine.client.stack_suspend(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert (
        preview(engine, identity, {'a': {'type': TEST}})['refused']
        == 'The stack is SUSPEND_COMPLETE.'
    )


def test_preview_during_an_action_that_an_update_interrupts_is_not_refused(engine):
    waiting = {'type': TEST, 'properties': {'wait_secs': 60}}
    identity = engine.create({'resources': {'a': waiting}}, wait=False)
    assert preview(engine, identity, {'a': {'type': TEST}})['refused'] is None


def test_preview_of_a_create_lists_the_resources(engine):
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {'a': {'type': TEST, 'properties': {'value': 'x'}}},
    }
    answer = engine.client.preview_stack(
        engine.context, stack_name='n', template=template, params={}, files={}, args={}
    )
    (found,) = answer['resources']
    assert (
        answer['has_changes']
        and found['action'] == 'create'
        and found['properties']['value'] == 'x'
    )
    assert {each['property']: each['after'] for each in found['property_changes']} == {'value': 'x'}


def test_update_that_forbids_replacement_is_refused_before_any_change(engine):
    def resources(length):
        return {
            'rep': {'type': RANDOM, 'properties': {'length': length}},
            'by': {'type': RANDOM, 'properties': {'salt': {'get_resource': 'rep'}}},
        }

    identity = engine.create({'resources': resources(8)})
    before = (engine.stack(identity), engine.events(identity))
    with pytest.raises(exception.ReplacementRefused, match='would replace: rep, by'):
        engine.update(identity, {'resources': resources(9)}, on_replace='fail')
    assert (engine.stack(identity), engine.events(identity)) == before
    engine.update(
        identity, {'resources': {**resources(8), 'new': {'type': TEST}}}, on_replace='fail'
    )
    assert engine.state(identity) == 'UPDATE_COMPLETE'


# --------------------------------------------------------------- predictions hold


class Templates:
    """Random templates of a few resources, each of which may refer to earlier ones."""

    NAMES = ('a', 'b', 'c', 'd', 'e', 'f')

    def __init__(self, seed):
        self.random = random.Random(seed)

    def make(self):
        chosen = [name for name in self.NAMES if self.random.random() < 0.8]
        return {name: self.resource(chosen[:place]) for place, name in enumerate(chosen)}

    def resource(self, before):
        kind = self.random.choice((TEST, TEST, RANDOM, VALUE))
        made = {'type': kind, 'properties': getattr(self, kind.rpartition('::')[2])(before)}
        if before and self.random.random() < 0.2:
            made['depends_on'] = self.random.choice(before)
        if self.random.random() < 0.2:
            made['metadata'] = {'m': self.random.randrange(2)}
        return made

    def text(self, before):
        if before and self.random.random() < 0.5:
            name = self.random.choice(before)
            return self.random.choice(
                (
                    {'get_resource': name},
                    {'str_replace': {'template': 'x-y', 'params': {'y': {'get_resource': name}}}},
                )
            )
        return self.random.choice('12')

    def TestResource(self, before):
        given = {'value': self.text(before), 'update_replace': self.random.random() < 0.3}
        if self.random.random() < 0.3:
            given['update_replace_value'] = self.random.choice((*'12', self.text(before)))
        return given

    def RandomString(self, before):
        return {'length': self.random.choice((8, 9)), 'salt': self.text(before)}

    def Value(self, before):
        if before and self.random.random() < 0.6:
            return {'value': {'get_attr': [self.random.choice(before), 'show']}}
        return {'value': self.random.choice(([1], [1, 2], self.text(before)))}


def applied_changes(engine, identity, before, after):
    """Return what the last update did to each resource, by its physical ids and events."""
    events = engine.events(identity)
    last = max(
        index for index, event in enumerate(events) if event == ('stack', 'UPDATE_IN_PROGRESS')
    )
    told = events[last:]
    result = {}
    for name in {*before, *after}:
        if name not in before:
            result[name] = 'create'
        elif name not in after:
            result[name] = 'delete'
        elif before[name] != after[name]:
            result[name] = 'replace'
        else:
            result[name] = 'update' if (name, 'UPDATE_COMPLETE') in told else 'none'
    return result


def physical(engine, identity):
    listed = engine.client.list_stack_resources(engine.context, stack_identity=identity)
    return {each['resource_name']: each['physical_resource_id'] for each in listed}


@pytest.mark.parametrize('seed', range(25))
def test_predicted_changes_are_applied(engine, seed):
    templates = Templates(seed)
    identity = engine.create({'resources': templates.make()})
    assert engine.state(identity) == 'CREATE_COMPLETE'
    for _ in range(4):
        wanted = templates.make()
        before = physical(engine, identity)
        answer = preview(engine, identity, wanted)
        engine.update(identity, {'resources': wanted})
        assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)
        happened = applied_changes(engine, identity, before, physical(engine, identity))
        for name, did in happened.items():
            told = predicted_change(answer, name)
            possible = {told['action']}
            if told['may_replace']:
                possible |= {'update', 'none'}
            elif any(not each['known'] for each in told['property_changes']) and all(
                not each['known'] for each in told['property_changes']
            ):
                possible |= (
                    {'none'}
                    if told['action'] == 'update' and not told['definition_changes']
                    else set()
                )
            assert did in possible, (seed, name, told, wanted)
        assert set(happened) == {each['resource_name'] for kind in LISTS for each in answer[kind]}
        assert preview(engine, identity, wanted)['has_changes'] is False


@pytest.mark.parametrize('seed', range(100, 115))
def test_predicted_changes_are_applied_after_failures(engine, seed):
    templates = Templates(seed)
    broken = templates.make()
    for made in broken.values():
        if made['type'] == TEST and templates.random.random() < 0.3:
            made['properties']['fail'] = True
    identity = engine.create({'resources': broken})
    wanted = templates.make()
    before, states = physical(engine, identity), engine.resources(identity)
    answer = preview(engine, identity, wanted)
    engine.update(identity, {'resources': wanted})
    assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)
    after = physical(engine, identity)
    for name in wanted:
        told = predicted_change(answer, name)
        if states.get(name, 'INIT_COMPLETE') == 'INIT_COMPLETE':
            assert told['action'] == 'create', (name, told)
        elif states[name].endswith('FAILED'):
            assert told['action'] == 'replace' and not told['may_replace'], (name, told)
        if told['action'] in ('none', 'update'):
            assert before[name] == after[name]
        elif not told['may_replace']:
            assert before.get(name) != after[name]


# --------------------------------------------------------------- nested stacks


INNER = """
heat_template_version: 2021-04-16
parameters: {v: {type: string}, key: {type: string, default: open}}
resources:
  c: {type: OS::Heat::TestResource, properties: {value: {get_param: v}}}
  d: {type: OS::Heat::TestResource, properties: {value: {get_param: key}}}
outputs: {o: {value: {get_attr: [c, output]}}}
"""
INNER_CHANGED = INNER.replace('  d:', '  e:')


class Nested:
    """A stack with one nested stack, driven over RPC."""

    def __init__(self, engine):
        self.engine = engine

    def arguments(self, resources, inner, **sections):
        template = {'heat_template_version': '2021-04-16', 'resources': resources, **sections}
        return {'template': template, 'files': {'inner.yaml': inner}}

    def create(self, resources, inner=INNER, **sections):
        made = self.arguments(resources, inner, **sections)
        identity = self.engine.client.create_stack(
            self.engine.context, stack_name='outer', params={}, args={}, **made
        )
        self.engine.wait(identity)
        assert self.engine.state(identity) == 'CREATE_COMPLETE', self.engine.stack(identity)
        return identity

    def preview(self, identity, resources, inner=INNER, params=None, **args):
        made = self.arguments(resources, inner)
        return self.engine.client.preview_update_stack(
            self.engine.context, stack_identity=identity, params=params or {}, args=args, **made
        )

    def update(self, identity, resources, inner=INNER, **args):
        made = self.arguments(resources, inner)
        self.engine.client.update_stack(
            self.engine.context, stack_identity=identity, params={}, args=args, **made
        )
        self.engine.wait(identity)


@pytest.fixture
def nested(engine):
    return Nested(engine)


def outer(value='1', **more):
    return {'n': {'type': 'inner.yaml', 'properties': {'v': value}}, 'o': {'type': TEST}, **more}


def test_nested_changes_are_predicted(nested):
    identity = nested.create(outer())
    answer = nested.preview(identity, outer('2'), INNER_CHANGED)
    assert names(answer) == {
        'unchanged': ['o'],
        'updated': ['n'],
        'replaced': [],
        'added': [],
        'deleted': [],
    }
    inside = predicted_change(answer, 'n')['nested']
    assert names(inside) == {
        'unchanged': [],
        'updated': ['c'],
        'replaced': [],
        'added': ['e'],
        'deleted': ['d'],
    }
    assert {key: changes(inside, 'c')['value'][key] for key in ('before', 'after', 'known')} == {
        'before': '1',
        'after': '2',
        'known': True,
    }
    flat = nested.preview(identity, outer('2'), INNER_CHANGED, show_nested=True)
    assert names(flat) == {
        'unchanged': ['o'],
        'updated': ['c', 'n'],
        'replaced': [],
        'added': ['e'],
        'deleted': ['d'],
    }
    assert predicted_change(flat, 'd')['parent_resource'] == 'n'


def test_unchanged_nested_stack_is_no_change(nested):
    identity = nested.create(outer())
    answer = nested.preview(identity, outer())
    # sorted as by Heat; the update reports more
    assert names(answer)['unchanged'] == ['o'] and names(answer)['updated'] == ['n']
    assert predicted_change(answer, 'n')['action'] == 'none' and answer['has_changes'] is False
    flat = nested.preview(identity, outer(), show_nested=True)
    assert names(flat)['unchanged'] == ['c', 'd', 'o'] and names(flat)['updated'] == ['n']


def test_parameters_of_nested_stacks_may_be_unknown(nested):
    def resources(length):
        return outer(
            {'get_attr': ['r', 'value']}, r={'type': RANDOM, 'properties': {'length': length}}
        )

    identity = nested.create(resources(8))
    inside = predicted_change(nested.preview(identity, resources(9)), 'n')['nested']
    assert names(inside)['updated'] == ['c'] and changes(inside, 'c')['value']['known'] is False
    assert names(inside)['unchanged'] == ['d']


def test_added_and_removed_resources_include_their_nested_stacks(nested, engine):
    identity = nested.create({'o': {'type': TEST}})
    answer = nested.preview(identity, outer())
    assert names(predicted_change(answer, 'n')['nested'])['added'] == ['c', 'd']
    nested.update(identity, outer())
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    answer = nested.preview(identity, {'o': {'type': TEST}})
    assert names(answer)['deleted'] == ['n'] and names(predicted_change(answer, 'n')['nested'])[
        'deleted'
    ] == [
        'c',
        'd',
    ]


def test_secrets_are_masked_in_nested_previews(nested, engine):
    def resources(key):
        return {'n': {'type': 'inner.yaml', 'properties': {'v': 'x', 'key': {'get_param': 'k'}}}}

    made = nested.arguments(
        resources('k'), INNER, parameters={'k': {'type': 'string', 'hidden': True}}
    )
    identity = engine.client.create_stack(
        engine.context, stack_name='s', params={'parameters': {'k': 'geheim1'}}, args={}, **made
    )
    engine.wait(identity)
    answer = engine.client.preview_update_stack(
        engine.context,
        stack_identity=identity,
        params={'parameters': {'k': 'geheim2'}},
        args={},
        **made,
    )
    inside = predicted_change(answer, 'n')['nested']
    assert (
        changes(inside, 'd')['value']['secret']
        and changes(inside, 'd')['value']['after'] == '******'
    )
    assert 'geheim' not in str(predicted_change(answer, 'n')['property_changes']) + str(
        inside['updated'][0]['property_changes']
    )


def test_forbidden_nested_replacement_is_refused(nested, engine):
    inner = INNER.replace(
        '{value: {get_param: v}}', '{value: x, update_replace_value: {get_param: v}}'
    )
    identity = nested.create(outer(), inner)
    with pytest.raises(exception.ReplacementRefused, match='would replace: n/c'):
        nested.update(identity, outer('2'), inner, on_replace='fail')
    assert engine.state(identity) == 'CREATE_COMPLETE'


def test_changes_of_group_members_are_predicted(engine, nested):
    def resources(count, value='1'):
        member = {'type': TEST, 'properties': {'value': value, 'update_replace': True}}
        return {
            'g': {
                'type': 'OS::Heat::ResourceGroup',
                'properties': {'count': count, 'resource_def': member},
            }
        }

    identity = nested.create(resources(2))
    inside = predicted_change(nested.preview(identity, resources(3)), 'g')['nested']
    assert (names(inside)['unchanged'], names(inside)['added']) == (['0', '1'], ['2'])
    answer = nested.preview(identity, resources(1, '2'))
    inside = predicted_change(answer, 'g')['nested']
    assert (names(inside)['replaced'], names(inside)['deleted']) == (['0'], ['1'])
    with pytest.raises(exception.ReplacementRefused, match='g/0'):
        nested.update(identity, resources(1, '2'), on_replace='fail')
    before = physical(engine, identity)
    nested.update(identity, resources(3))
    assert engine.state(identity) == 'UPDATE_COMPLETE' and physical(engine, identity) == before


def _group_of_changing_value(**group):
    def resources(length):
        return {
            'r': {
                'type': RANDOM,
                'properties': {'length': length, 'character_classes': [{'class': 'digits'}]},
            },
            'v': {'type': TEST, 'properties': {'value': {'get_attr': ['r', 'value']}}},
            'g': {
                'type': 'OS::Heat::ResourceGroup',
                'properties': {'resource_def': {'type': TEST}, **group},
            },
        }

    return resources


def test_member_with_unknown_value_is_predicted(nested):
    value = {'value': {'get_attr': ['v', 'output']}}
    resources = _group_of_changing_value(resource_def={'type': TEST, 'properties': value})
    identity = nested.create(resources(2))
    answer = nested.preview(identity, resources(3))
    assert changes(answer, 'g')['resource_def']['known_after'] == {
        'resource_def.properties.value': ['v.output']
    }
    [member] = predicted_change(answer, 'g')['nested']['updated']
    [change] = member['property_changes']
    assert (change['property'], change['after'], change['known']) == ('value', None, False)
    assert change['known_after'] == {'value': ['v.output']}


def test_group_of_unknown_size_is_predicted_as_unknown(nested):
    resources = _group_of_changing_value(count={'get_attr': ['v', 'output']})
    identity = nested.create(resources(1))
    answer = nested.preview(identity, resources(2))
    assert names(answer)['updated'] == ['g', 'v'] and names(answer)['replaced'] == ['r']
    assert changes(answer, 'g')['count']['known'] is False
    assert predicted_change(answer, 'g')['nested'] is None and answer['has_changes']
    with pytest.raises(exception.ReplacementRefused, match=r'r, g/\(known after apply\)'):
        nested.update(identity, resources(2), on_replace='fail')


LATER = {'get_attr': ['random', 'value']}
NUMBER_LATER = {'get_attr': ['number', 'value']}
UNKNOWN_PLACES = {
    'metadata': {'type': TEST, 'metadata': LATER},
    'type of a value': {'type': VALUE, 'properties': {'type': LATER, 'value': LATER}},
    'external id': {'type': TEST, 'external_id': {'digest': ['md5', LATER]}},
    'count': {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': NUMBER_LATER, 'resource_def': {'type': RANDOM}},
    },
    'metadata of members': {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'resource_def': {'type': RANDOM, 'metadata': LATER}},
    },
    'properties of members': {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'resource_def': {'type': RANDOM, 'properties': LATER}},
    },
    'type of members': {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'resource_def': {'type': LATER}},
    },
    'member': {
        'type': 'OS::Heat::AutoScalingGroup',
        'properties': {'min_size': NUMBER_LATER, 'max_size': 3, 'resource': LATER},
    },
    'types of a chain': {'type': 'OS::Heat::ResourceChain', 'properties': {'resources': LATER}},
    'load balancers': {
        'type': 'OS::Heat::InstanceGroup',
        'properties': {
            'AvailabilityZones': ['a'],
            'LaunchConfigurationName': LATER,
            'Size': NUMBER_LATER,
            'LoadBalancerNames': LATER,
        },
    },
    'template': {'type': 'OS::Heat::Stack', 'properties': {'template': LATER}},
    'parameters': {
        'type': 'OS::Heat::Stack',
        'properties': {
            'template': '{"heat_template_version": "2021-04-16"}',
            'parameters': LATER,
        },
    },
}


@pytest.mark.parametrize('resource', UNKNOWN_PLACES.values(), ids=UNKNOWN_PLACES)
def test_unknown_value_in_any_place_is_accepted_before_it_is_known(engine, resource):
    resources = {
        'random': {'type': RANDOM},
        'number': {'type': VALUE, 'properties': {'type': 'number', 'value': 2}},
        'later': resource,
    }
    request = {
        'template': {'heat_template_version': '2021-04-16', 'resources': resources},
        'params': {},
        'files': {},
    }
    client, context = engine.client, engine.context
    for more in ({}, {'show_nested': True}):
        answer = client.validate_template(context, **request, **more)
        assert 'Error' not in answer
    shown = client.preview_stack(context, stack_name='new', args={}, **request)
    assert 'later' in json.dumps(shown)
    identity = engine.create({'resources': {'same': {'type': VALUE, 'properties': {'value': 1}}}})
    assert names(preview(engine, identity, resources))['added'] == ['later', 'number', 'random']


def test_preview_of_a_nested_stack_with_unknown_parameters_has_no_unknown_attributes(engine):
    nested = {
        'heat_template_version': '2021-04-16',
        'parameters': {'text': {'type': 'string'}},
        'resources': {'v': {'type': VALUE, 'properties': {'value': {'get_param': 'text'}}}},
    }
    group = {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {
            'resource_def': {'type': RANDOM, 'metadata': {'get_attr': ['map', 'value']}}
        },
    }
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {
            'random': {'type': RANDOM},
            'map': {'type': VALUE, 'properties': {'value': {'a': LATER}}},
            'nested': {'type': 'nested.yaml', 'properties': {'text': LATER}},
            'group': group,
        },
    }
    files = {'nested.yaml': json.dumps(nested)}
    identity = engine.create(template, files=files)
    template['resources']['random'] = {'type': RANDOM, 'properties': {'length': 9}}
    answer = engine.client.preview_update_stack(
        engine.context,
        stack_identity=identity,
        template=template,
        params={},
        files=files,
        args={'show_nested': True},
    )
    assert 'random' in names(answer)['replaced'] and 'nested' in names(answer)['updated']


def test_preview_of_a_resource_whose_create_failed_with_its_values_has_no_value_before(engine):
    group = {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': LATER, 'resource_def': {'type': RANDOM}},
    }
    identity = engine.create({'resources': {'random': {'type': RANDOM}, 'group': group}})
    assert engine.stack(identity)['stack_status'] == 'FAILED'
    longer = {'type': RANDOM, 'properties': {'length': 9}}
    answer = preview(engine, identity, {'random': longer, 'group': group})
    assert changes(answer, 'group')['resource_def']['before'] is None


def test_parameters_and_outputs_are_part_of_the_preview_of_an_update(engine):
    def template(names, secret, length):
        return {
            'parameters': {
                'names': {'type': 'comma_delimited_list', 'default': names},
                'key': {'type': 'string', 'default': secret, 'hidden': True},
            },
            'resources': {'r': {'type': RANDOM, 'properties': {'length': length}}},
            'outputs': {
                'names': {'value': {'get_param': 'names'}},
                'key': {'value': {'get_param': 'key'}},
                'word': {'value': {'get_attr': ['r', 'value']}},
            },
        }

    identity = engine.create(template('a,b', 'x', 4))
    answer = preview(engine, identity, **template('q,r', 'y', 4))
    assert [each['resource_name'] for each in answer['unchanged']] == ['r']
    outputs = {
        each['property']: (each['before'], each['after']) for each in answer['output_changes']
    }
    assert outputs == {
        'names': (['a', 'b'], ['q', 'r']),
        'key': ('******', '******'),
    }
    found = {each['property']: each for each in answer['parameter_changes']}
    assert found['names']['after'] == ['q', 'r'] and found['key']['after'] == '******'
    answer = preview(engine, identity, **template('a,b', 'x', 5))
    [word] = answer['output_changes']
    assert (word['after'], word['known_after']) == (None, {'word': ['r.value']})


def test_preview_of_a_create_tells_what_is_unknown_and_where_it_comes_from(engine):
    template = {
        'heat_template_version': '2021-04-16',
        'parameters': {'key': {'type': 'string', 'hidden': True, 'default': 'sesame'}},
        'resources': {
            'net': {'type': RANDOM},
            'port': {
                'type': VALUE,
                'properties': {'value': {'a.b': [1, {'get_attr': ['net', 'value']}]}},
                'metadata': {'net': {'get_resource': 'net'}},
            },
            'part': {'type': 'inner.yaml', 'properties': {'flag': {'get_attr': ['net', 'value']}}},
        },
        'outputs': {
            'word': {'value': ['x', {'get_attr': ['net', 'value']}]},
            'fine': {'value': 3},
            'key': {'value': {'get_param': 'key'}},
        },
    }
    inner = {
        'heat_template_version': '2021-04-16',
        'parameters': {'flag': {'type': 'string'}},
        'conditions': {'wanted': {'equals': [{'get_param': 'flag'}, 'x']}},
        'resources': {'r': {'type': RANDOM, 'condition': 'wanted'}},
    }
    answer = engine.client.preview_stack(
        engine.context,
        stack_name='s',
        template=template,
        params={},
        files={'inner.yaml': json.dumps(inner)},
        args={},
    )
    _, port, [member] = answer['resources']
    assert port['unknown'] == ['metadata.net', 'properties.value.a.b.1']
    assert port['known_after'] == {
        'metadata.net': ['net'],
        'properties.value.a.b.1': ['net.value'],
    }
    assert member['known_after'] == {'condition': ['net.value']}
    assert answer['known_after'] == {'outputs.word.1': ['net.value']}
    found = {each['property']: each for each in answer['output_changes']}
    assert (found['word']['after'], found['fine']['after']) == (['x', None], 3)
    assert found['word']['known_after'] == {'word.1': ['net.value']}
    assert found['key']['secret'] and found['key']['after'] == '******'


def test_condition_that_an_update_makes_unknown_is_part_of_its_preview(nested):
    def resources(length):
        flag = {'get_attr': ['net', 'value']}
        return {
            'net': {'type': RANDOM, 'properties': {'length': length}},
            'part': {'type': 'inner.yaml', 'properties': {'flag': flag}},
        }

    inner = {
        'heat_template_version': '2021-04-16',
        'parameters': {'flag': {'type': 'string'}},
        'conditions': {'wanted': {'not': {'equals': [{'get_param': 'flag'}, 'x']}}},
        'resources': {'r': {'type': RANDOM, 'condition': 'wanted'}},
    }
    identity = nested.create(resources(4), json.dumps(inner))
    answer = nested.preview(identity, resources(5), json.dumps(inner))
    [member] = predicted_change(answer, 'part')['nested']['unchanged']
    assert member['known_after'] == {'condition': ['net.value']}


def test_preview_of_unchanged_resources_does_little_for_each(engine):
    def calls(count):
        resources = {f'r{n}': {'type': TEST, 'properties': {'value': 'v'}} for n in range(count)}
        template = {'heat_template_version': '2021-04-16', 'resources': resources}
        stack_id = engine.create(template, f's{count}')['stack_id']
        row = db_stacks.get(engine.context, stack_id)
        stack = Stack.from_row(engine.service.runtime, engine.context, row)
        wanted = Template({**template, 'description': 'other'}, None, Environment({}))
        answer: list = []
        work = lambda: answer.append(engine_preview.preview_update(stack, wanted, {}))  # noqa: E731
        found = effort.count_calls(work)
        assert len(answer[0]['unchanged']) == count
        return found

    calls(1)  # loads what the first preview needs
    assert calls(300) - calls(100) < 200 * 420


class Named(Resource):
    """A resource with a custom constraint: its object may be gone."""

    resource_type = 'Test::Named'
    local = True
    properties_schema = {'image': string('Image.', update_allowed=True, custom='test.present')}
    attributes_schema = {'one': any_attribute('One.')}

    def handle_create(self):
        self.resource_id_set('id')


class Other(Named):
    resource_type = 'Test::Other'
    attributes_schema = {'two': any_attribute('Two.')}


LARGE = {
    'heat_template_version': '2021-04-16',
    'parameters': {
        'text': {'type': 'string', 'default': 'x'},
        'secret': {'type': 'string', 'default': 'y', 'hidden': True},
        'on': {'type': 'boolean', 'default': True},
    },
    'conditions': {'enabled': {'get_param': 'on'}},
    'resources': {
        'random': {'type': RANDOM, 'properties': {'length': 8}},
        'value': {'type': VALUE, 'properties': {'value': {'get_attr': ['random', 'value']}}},
        'plain': {'type': TEST, 'properties': {'value': '1'}, 'metadata': {'a': 1}},
        'number': {'type': VALUE, 'properties': {'value': 1}},
        'texts': {'type': TEST, 'properties': {'value': {'get_param': 'text'}}},
        'hidden': {'type': TEST, 'properties': {'value': {'get_param': 'secret'}}},
        'named': {'type': TEST, 'properties': {'value': {'get_param': 'OS::stack_name'}}},
        'file': {'type': TEST, 'properties': {'value': {'get_file': 'text'}}},
        'choice': {'type': TEST, 'properties': {'value': {'if': ['enabled', 'a', 'b']}}},
        'later': {'type': TEST, 'condition': 'enabled', 'depends_on': 'plain'},
        'alias': {'type': 'My::Alias', 'properties': {'value': 'a'}},
        'found': {'type': 'Test::Named', 'properties': {'image': 'there'}},
        'reader': {'type': VALUE, 'properties': {'value': {'get_attr': ['found', 'one']}}},
        'notes': {'type': TEST, 'metadata': {'text': {'get_param': 'text'}}},
        'told': {'type': VALUE, 'properties': {'value': {'get_attr': ['plain', 'output']}}},
        'group': {
            'type': 'OS::Heat::ResourceGroup',
            'properties': {'count': 2, 'resource_def': {'type': TEST}},
        },
    },
}
MAPPED = {'resource_registry': {'My::Alias': VALUE}}


def _with(name, **parts):
    """Return a change of the parts of a resource in a request."""
    return lambda request: request['template']['resources'][name].update(parts)


def _without(*names):
    return lambda request: [request['template']['resources'].pop(name) for name in names]


def _parameters(**values):
    return lambda request: request['params'].update(parameters=values)


def _stored(table, **columns):
    """Return a change of what is stored of the resource "plain", as failures and checks make it."""

    def change(engine, identity):
        row = models.resource.c
        is_plain = (row.stack_id == identity['stack_id']) & (row.name == 'plain')
        which = is_plain
        if table is not models.resource:
            which = table.c.resource_id.in_(sa.select(row.id).where(is_plain))
        with session.engine().begin() as connection:
            connection.execute(table.update().where(which).values(**columns))

    return change


CHANGES = {
    'nothing': lambda request: None,
    'a description': lambda request: request['template'].update(description='d'),
    'a version': lambda request: request['template'].update(heat_template_version='2018-08-31'),
    'a property': _with('plain', properties={'value': '2'}),
    'a type of a value': _with('number', properties={'value': True}),
    'metadata': _with('plain', metadata={'a': 2}),
    'a policy': _with('plain', deletion_policy='retain'),
    'an invalid value': _with('random', properties={'length': 'x'}),
    'a type': _with('number', type=TEST),
    'a new resource': lambda r: r['template']['resources'].update(new={'type': TEST}),
    'a resource less': _without('named'),
    'a resource less that another one reads': _without('random'),
    'a type whose attribute another one reads': _with('found', type='Test::Other'),
    'a parameter': _parameters(text='z'),
    'a hidden parameter': _parameters(secret='z'),
    'a condition': _parameters(on=False),
    'a default': lambda r: r['template']['parameters']['text'].update(default='z'),
    'a file': lambda request: request['files'].update(text='other'),
    'a mapping of a type': lambda r: r['params'].update(resource_registry={'My::Alias': TEST}),
    'a lifecycle': lambda r: r['params'].update(
        resource_registry={
            **MAPPED['resource_registry'],
            'resources': {'texts': {'lifecycle': {'ignore_changes': ['value']}}},
        }
    ),
    'a replacement': lambda request: request['args'].update(replace=['plain']),
}
STATES = {
    'a failed resource': _stored(models.resource, status='FAILED', action='UPDATE'),
    'a failed check': _stored(models.resource, status='FAILED', action='CHECK'),
    'a changed attribute': _stored(models.resource_data, value='other'),
    'a lost id': _stored(models.resource, nova_instance=None),
    'other properties': lambda engine, identity: engine.update(
        identity,
        {**LARGE, 'resources': {**LARGE['resources'], 'plain': {'type': TEST}}},
        params=MAPPED,
        files={'text': 'content'},
    ),
}


@pytest.fixture
def large(engine):
    """Return a function that requests a preview of a stack of LARGE, and its identity."""
    registry = engine.service.runtime.registry
    for kind in (Named, Other):
        registry.register(kind.resource_type, kind)
    gone = set()
    registry._checks['test.present'] = lambda stack, name: 'it is gone' if name in gone else None
    request = {'template': LARGE, 'params': MAPPED, 'files': {'text': 'content'}}
    identity = engine.create(LARGE, params=MAPPED, files=request['files'])
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)

    def ask(change=lambda request: None):
        made = copy.deepcopy({**request, 'args': {}})
        change(made)
        try:
            return engine.client.preview_update_stack(
                engine.context, stack_identity=identity, **made
            )
        except exception.HeatException as error:
            return type(error), str(error)

    ask.identity, ask.gone = identity, gone
    return ask


def _alike(monkeypatch, ask):
    """Assert that a preview is the same without what is known of resources that stay."""
    found = ask()
    with monkeypatch.context() as patch:
        patch.setattr(diff, 'is_kept', lambda *given: False)
        patch.setattr(diff, '_keeps_properties', lambda *given: False)
        patch.setattr(validation._Former, 'stays_valid', lambda *given: False)
        full = ask()
    assert found == full
    return found


@pytest.mark.parametrize('name', CHANGES)
def test_preview_is_as_without_shortcuts(large, monkeypatch, name):
    found = _alike(monkeypatch, lambda: large(CHANGES[name]))
    assert isinstance(found, tuple) == (name in ('an invalid value',) or 'reads' in name), found


@pytest.mark.parametrize('name', STATES)
def test_preview_of_changed_rows_is_as_without_shortcuts(large, engine, monkeypatch, name):
    STATES[name](engine, large.identity)
    assert _alike(monkeypatch, large)['has_changes'] is True


def test_preview_of_a_missing_object_is_refused_though_nothing_changed(large, monkeypatch):
    assert large()['has_changes'] is False
    large.gone.add('there')
    assert 'it is gone' in _alike(monkeypatch, large)[1]


class Counted(Resource):
    """A resource that counts its validations."""

    resource_type = 'Test::Counted'
    validations = 0

    def validate(self):
        Counted.validations += 1
        super().validate()

    def handle_create(self):
        self.resource_id_set('id')


def test_apply_of_a_planned_create_validates_it_once(engine):
    engine.service.runtime.registry.register(Counted.resource_type, Counted)
    nothing = {'template': None, 'params': {}, 'files': {}, 'args': {}}
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {'r': {'type': 'Test::Counted'}},
    }
    made = {**nothing, 'stack_name': 'planned', 'template': template}
    plan = engine.client.preview_stack(engine.context, **made, store=True)['plan']
    Counted.validations = 0
    identity = engine.client.create_stack(
        engine.context, stack_name=None, **nothing, plan=plan['id']
    )
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    assert Counted.validations == 1
