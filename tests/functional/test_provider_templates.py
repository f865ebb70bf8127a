"""Templates in the place of types: the types that they must fit, and updates that exchange them.

What Heat does was recorded from Heat 27.
"""

import time

import pytest
import yaml

from heat_lite.common import exception
from tests import databases, engines

RANDOM = 'OS::Heat::RandomString'
ANY_VALUE = 'OS::Heat::Value'
EMPTY = 'heat_template_version: 2016-10-14'
OPTIONAL = {'word': {'type': 'string', 'default': 'nothing'}}


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def provider(parameters=None, outputs=(), length=8, resources=None):
    """The text of a template with parameters and outputs of these names."""
    return yaml.safe_dump(
        {
            'heat_template_version': '2016-10-14',
            'parameters': parameters or {},
            'resources': {
                'v': {'type': RANDOM, 'properties': {'length': length}},
                **(resources or {}),
            },
            'outputs': {name: {'value': 1} for name in outputs},
        }
    )


def one(type_, **properties):
    return {'resources': {'r': {'type': type_, 'properties': properties}}}


def scaling_group(type_, size=2):
    return one('OS::Heat::AutoScalingGroup', min_size=size, max_size=size, resource={'type': type_})


def group(type_, count=2):
    return one('OS::Heat::ResourceGroup', count=count, resource_def={'type': type_})


def registry(**entries):
    return {'resource_registry': entries}


# ------------------------------------------------------------ the type whose place it takes


@pytest.mark.parametrize(
    ('type_', 'entries', 'text', 'message'),
    [
        (
            RANDOM,
            {RANDOM: 'new.yaml'},
            provider({'length': {'type': 'string', 'default': 'x'}}, ['value']),
            f'Property length type mismatch between facade {RANDOM} (Integer) and '
            'provider (String)',
        ),
        (
            RANDOM,
            {RANDOM: 'new.yaml'},
            provider(),
            f'Attribute value for facade {RANDOM} missing in provider',
        ),
        (
            'My::T',
            {'My::T': 'old.yaml', 'resources': {'r': {'My::T': 'new.yaml'}}},
            provider(outputs=['said']),
            'Required property need for facade My::T missing in provider',
        ),
        (
            'My::T',
            {'My::T': 'old.yaml', 'resources': {'r': {'My::T': 'new.yaml'}}},
            provider({'need': {'type': 'string'}}),
            'Attribute said for facade My::T missing in provider',
        ),
        (
            'My::T',
            {'My::T': RANDOM, 'resources': {'r': {'My::T': 'new.yaml'}}},
            provider(),
            'Attribute value for facade My::T missing in provider',
        ),
    ],
)
@pytest.mark.parametrize('is_nested', [False, True])
def test_template_that_does_not_fit_the_type_is_refused(
    engine, type_, entries, text, message, is_nested
):
    given = {'need': 'x'} if 'need' in text else {}
    files = {'new.yaml': text, 'old.yaml': provider({'need': {'type': 'string'}}, ['said'])}
    template = one(type_, **given)
    if is_nested:
        files['outer.yaml'] = yaml.safe_dump({'heat_template_version': '2016-10-14', **template})
        template = one('outer.yaml')
        entries = {**entries, 'resources': {'r': entries.get('resources', {})}}
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.create(template, files=files, params=registry(**entries))
    assert str(caught.value).endswith(message)
    assert str(caught.value).startswith('resources.r<outer.yaml>') == is_nested


@pytest.mark.parametrize(
    ('type_', 'entries', 'text'),
    [
        ('My::T', {'My::T': RANDOM, RANDOM: 'new.yaml'}, EMPTY),  # an alias of a mapped type
        ('My::T', {'My::T': 'new.yaml'}, provider()),
        ('new.yaml', {}, provider()),
        (  # no parameter has the type of a property that takes any value
            ANY_VALUE,
            {ANY_VALUE: 'new.yaml'},
            provider(
                {name: {'type': 'string', 'default': 'x'} for name in ('value', 'type')}, ['value']
            ),
        ),
    ],
)
def test_template_that_fits_is_created(engine, type_, entries, text):
    identity = engine.create(
        one(type_), files={'new.yaml': text}, params=registry(**entries), name='fits'
    )
    assert engine.state(identity) == 'CREATE_COMPLETE'


# ------------------------------------------------------------ other parameters


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        (({}, {}), (OPTIONAL, {'word': 'new'})),
        (({}, {}), ({'word': {'type': 'string'}}, {'word': 'new'})),
        ((OPTIONAL, {'word': 'old'}), ({}, {})),
        ((OPTIONAL, {'word': '1'}), ({'word': {'type': 'number'}}, {'word': 2})),
        ((OPTIONAL, {'word': '1'}), ({'word': {'type': 'json'}}, {'word': {'k': 2}})),
    ],
    ids=['added', 'added-required', 'removed', 'number', 'json'],
)
def test_other_parameters_update_the_nested_stack_in_place(engine, before, after):
    def request(parameters, properties):
        return one('p.yaml', **properties), {'p.yaml': provider(parameters)}

    template, files = request(*before)
    identity = engine.create(template, files=files)
    nested = engine.physical_id(identity, 'r')
    template, files = request(*after)
    answer = preview(engine, identity, template, files)
    assert answer['updated'] == [('', 'r')] and not answer['replaced']
    engine.update(identity, template, files=files)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert engine.physical_id(identity, 'r') == nested


@pytest.mark.parametrize('was_immutable', [True, False])
def test_immutable_parameter_of_a_nested_stack_is_kept(engine, was_immutable):
    def files(immutable):
        return {'p.yaml': provider({'word': {'type': 'string', 'immutable': immutable}})}

    identity = engine.create(one('p.yaml', word='old'), files=files(was_immutable))
    engine.update(identity, one('p.yaml', word='new'), files=files(True))
    assert engine.stack(identity)['stack_status_reason'] == (
        'Resource UPDATE failed: resources.r: '
        'The following parameters are immutable and may not be updated: word'
    )


# ------------------------------------------------------------ previews of replaced nested stacks


VALUES = [
    ('comma_delimited_list', ['a', None, 'b'], ['a', '', 'b']),
    ('comma_delimited_list', [{'a': 1}, {'b': 'x'}], ['.member.0.a=1', '.member.1.b=x']),
    ('comma_delimited_list', [{'a': None}, True, ['x', 1]], ['{"a": null}', 'True', '["x", 1]']),
    ('comma_delimited_list', [None], []),
    ('comma_delimited_list', None, []),
    ('json', [{'a': None}, None], [{'a': None}, None]),
    ('json', None, {}),
    ('string', None, ''),
]


def test_nulls_and_maps_reach_nested_templates_as_in_heat(engine):
    names = [f'p{number}' for number in range(len(VALUES))]
    inner = {
        'heat_template_version': '2016-10-14',
        'parameters': {
            name: {'type': kind} for name, (kind, _, _) in zip(names, VALUES, strict=True)
        },
        'outputs': {name: {'value': {'get_param': name}} for name in names},
    }
    given = {name: value for name, (_, value, _) in zip(names, VALUES, strict=True)}
    template = one('a.yaml', **given)
    template['outputs'] = {name: {'value': {'get_attr': ['r', name]}} for name in names}
    identity = engine.create(template, files={'a.yaml': yaml.safe_dump(inner)})
    assert list(engine.outputs(identity).values()) == [wanted for _, _, wanted in VALUES]


def preview(engine, identity, template, files):
    """The resources of a flat preview: ``{list: [(parent resource or '', name), ...]}``."""
    template = {'heat_template_version': '2016-10-14', **template}
    answer = engine.client.preview_update_stack(
        engine.context,
        stack_identity=identity,
        template=template,
        params={},
        files=files,
        args={'show_nested': True},
    )
    return {
        name: sorted((each.get('parent_resource') or '', each['resource_name']) for each in rows)
        for name, rows in answer.items()
        if isinstance(rows, list)
    }


def deep_files():
    return {
        'deep.yaml': provider(resources={'d': {'type': 'p.yaml'}}),
        'p.yaml': provider(),
    }


@pytest.mark.parametrize(
    ('before', 'after', 'deleted', 'added'),
    [
        (one('p.yaml'), one(RANDOM), [('r', 'v')], []),
        (one('p.yaml'), group(RANDOM), [('r', 'v')], [('r', '0'), ('r', '1')]),
        (group(RANDOM), one('p.yaml'), [('r', '0'), ('r', '1')], [('r', 'v')]),
        (one('deep.yaml'), one(RANDOM), [('d', 'v'), ('r', 'd'), ('r', 'v')], []),
    ],
)
def test_preview_of_a_replacement_names_what_goes_and_comes(engine, before, after, deleted, added):
    identity = engine.create(before, files=deep_files())
    answer = preview(engine, identity, after, deep_files())
    assert answer['replaced'] == [('', 'r')]
    assert (answer['deleted'], answer['added']) == (deleted, added)


def test_preview_of_a_retained_nested_stack_deletes_nothing(engine):
    before = {'resources': {'r': {'type': 'p.yaml', 'deletion_policy': 'Retain'}}}
    identity = engine.create(before, files=deep_files())
    answer = preview(engine, identity, one(RANDOM), deep_files())
    assert answer['replaced'] == [('', 'r')] and answer['deleted'] == []


# ------------------------------------------------------------ groups whose members get other files


def rolling(template, **policy):
    template['resources']['r']['update_policy'] = {'rolling_update': policy}
    return template


def rolling_members(engine, identity):
    tree = engine.tree(identity)
    return {name for parent, name in tree if parent == 'r'}


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        (scaling_group('p.yaml'), scaling_group('q.yaml')),
        (scaling_group('p.yaml'), scaling_group('q.yaml', 3)),
        (scaling_group('p.yaml'), scaling_group(RANDOM)),
        (
            rolling(group('p.yaml', 3), max_batch_size=1, min_in_service=1),
            rolling(group('q.yaml', 3), max_batch_size=1, min_in_service=1),
        ),
        (group('p.yaml'), group('q.yaml', 3)),
    ],
    ids=['scaling', 'scaling-grows', 'scaling-type', 'rolling', 'group-grows'],
)
def test_members_get_a_file_of_another_name(engine, before, after):
    identity = engine.create(before, files={'p.yaml': provider()})
    names = rolling_members(engine, identity)
    files = {'q.yaml': provider(length=9)}
    predicted = preview(engine, identity, after, files)
    touched = {name for parent, name in predicted['updated'] + predicted['replaced'] if parent}
    assert names <= touched
    assert not [name for parent, name in predicted['deleted'] if parent == 'r']
    engine.update(identity, after, files=files)
    assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)
    assert names <= rolling_members(engine, identity)
    nested = engine.resource(identity, 'r')['nested_stack_id']
    stored = engine.client.get_files(engine.context, stack_identity=nested)
    assert 'p.yaml' not in stored


def test_group_with_members_of_two_files_scales_and_is_repaired(engine):
    """After a failed update some members have the old file, which the request no longer has."""
    identity = engine.create(scaling_group('p.yaml'), files={'p.yaml': provider()})
    broken = {'bad.yaml': provider(resources={'x': failing()})}
    engine.update(identity, scaling_group('bad.yaml'), files=broken)
    assert engine.state(identity) == 'UPDATE_FAILED'
    engine.update(identity, scaling_group('q.yaml', 3), files={'q.yaml': provider(length=9)})
    assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)
    assert len(rolling_members(engine, identity)) == 3


def failing():
    return {'type': 'OS::Heat::TestResource', 'properties': {'fail': True}}
