"""Stored attributes after each action: those of what an action has changed are read anew, once, and
those of everything else are not read at all.
"""

import collections

import pytest

from heat_lite.template.schema import any_attribute, string
from tests import databases, engines
from tests.functional.test_stored_attributes import Remote

KIND = 'Test::Remote::Kind'


class Kind(Remote):
    """A resource that a change of its kind replaces; its reads of 'address' may fail."""

    resource_type = KIND
    properties_schema = {**Remote.properties_schema, 'kind': string('A kind.')}
    attributes_schema = {
        **Remote.attributes_schema,
        'tags': any_attribute('What the metadata tell.'),
    }
    fails = False

    def handle_snapshot(self):
        pass

    def handle_restore(self, definition, restore_data):
        return definition

    def resolve_attribute(self, name):
        if name == 'address' and type(self).fails:
            type(self).calls[self.name, name] += 1
            raise ValueError('the service has no answer')
        found = super().resolve_attribute(name)
        return self.metadata_get().get('tags') if name == 'tags' else found


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with databases.migrated('sqlite', tmp_path_factory.mktemp('attributes')) as url:
        with engines.running(url, [Remote, Kind]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def _answers():
    for cls in (Remote, Kind):
        cls.answer = 'first'
    Kind.fails = False
    Remote.calls.clear()


def answer(text):
    """Let the service answer another text from now on, and forget its requests."""
    Remote.answer = Kind.answer = text
    Remote.calls.clear()


def settled(engine, identity):
    """Return the outputs. After an action they are stored, so that reading them asks no service."""
    engine.wait(identity)  # its requests read what is in progress
    Remote.calls.clear()
    found = engine.outputs(identity)
    assert not Remote.calls
    return found


def template(metadata=None, **properties):
    changed = {'type': KIND, 'properties': properties, 'metadata': metadata or {}}
    return {
        'resources': {'r': changed, 'other': {'type': KIND}},
        'outputs': {
            f'{name} {attribute}': {'value': {'get_attr': [name, attribute]}}
            for name, attribute in (('r', 'address'), ('r', 'tags'), ('other', 'address'))
        },
    }


def test_replacement_is_read_and_its_neighbour_is_not(engine):
    identity = engine.create(template(kind='a'), name='replaced')
    answer('second')
    engine.update(identity, template(kind='b'))
    assert ('other', 'address') not in Remote.calls
    found = settled(engine, identity)
    assert (found['r address'], found['other address']) == ('second address', 'first address')


def test_changed_metadata_are_read(engine):
    identity = engine.create(template({'tags': 'old'}), name='metadata')
    assert engine.outputs(identity)['r tags'] == 'old'
    answer('second')
    engine.update(identity, template({'tags': 'new'}))
    assert ('other', 'address') not in Remote.calls
    assert settled(engine, identity)['r tags'] == 'new'


@pytest.mark.parametrize('verbs', [['suspend'], ['suspend', 'resume'], ['check']])
def test_action_on_all_resources_reads_all_anew(engine, verbs):
    identity = engine.create(template(), name='-'.join(verbs))
    for verb in verbs:
        answer(verb)
        getattr(engine.client, f'stack_{verb}')(engine.context, stack_identity=identity)
        engine.wait(identity)
    found = settled(engine, identity)
    assert found['r address'] == found['other address'] == f'{verbs[-1]} address'


def test_restore_reads_what_it_has_restored(engine):
    identity = engine.create(template(value='one'), name='restored')
    snapshot = engine.client.stack_snapshot(engine.context, stack_identity=identity, name='s')
    engine.wait(identity)
    answer('second')
    engine.update(identity, template(value='two'))
    assert engine.outputs(identity)['r address'] == 'second address'
    answer('third')
    engine.client.stack_restore(engine.context, stack_identity=identity, snapshot_id=snapshot['id'])
    engine.wait(identity)
    assert engine.state(identity) == 'RESTORE_COMPLETE'
    assert settled(engine, identity)['r address'] == 'third address'


def test_attribute_that_fails_is_an_output_error_and_is_not_stored(engine):
    Kind.fails = True
    identity = engine.create(template(), name='failing')
    found = {each['output_key']: each for each in engine.stack(identity)['outputs']}
    assert 'the service has no answer' in found['r address']['output_error']
    assert found['r tags']['output_value'] is None and 'output_error' not in found['r tags']
    Kind.fails = False
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name='r', details={}, sync_call=True
    )
    assert engine.outputs(identity)['r address'] == 'first address'


def group(size, kind):
    member = {'type': KIND}
    if kind == 'OS::Heat::ResourceGroup':
        properties, path = {'count': size, 'resource_def': member}, ['g', 'address']
    else:
        limits = {'min_size': 1, 'max_size': 9, 'desired_capacity': size}
        properties, path = {**limits, 'resource': member}, ['g', 'outputs_list', 'address']
    return {
        'resources': {'g': {'type': kind, 'properties': properties}},
        'outputs': {'all': {'value': {'get_attr': path}}},
    }


def test_scaling_policy_reads_the_new_member_only(engine):
    values = group(2, 'OS::Heat::AutoScalingGroup')
    policy = {
        'auto_scaling_group_id': {'get_resource': 'g'},
        'adjustment_type': 'change_in_capacity',
        'scaling_adjustment': 1,
    }
    values['resources']['up'] = {'type': 'OS::Heat::ScalingPolicy', 'properties': policy}
    identity = engine.create(values, name='scaled')
    answer('second')
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name='up', details={}, sync_call=True
    )
    assert len(Remote.calls) <= 1  # the new member
    found = engine.outputs(identity)['all']
    assert collections.Counter(found) == {'first address': 2, 'second address': 1}


@pytest.mark.parametrize('kind', ['OS::Heat::ResourceGroup', 'OS::Heat::AutoScalingGroup'])
def test_members_that_stay_are_not_read_when_the_size_changes(engine, kind):
    identity = engine.create(group(2, kind), name=f'size-{kind[10:].lower()}')
    assert engine.outputs(identity)['all'] == ['first address'] * 2
    answer('second')
    engine.update(identity, group(3, kind))
    assert len(Remote.calls) == 1  # the new member
    values = collections.Counter(settled(engine, identity)['all'])
    assert values == {'first address': 2, 'second address': 1}
    answer('third')
    engine.update(identity, group(1, kind))
    assert len(settled(engine, identity)['all']) == 1 and not Remote.calls
