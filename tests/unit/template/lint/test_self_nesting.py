"""Templates that contain themselves, and those that end by themselves."""

import pytest

from tests.unit.template.lint.documents import lint

HOT = 'heat_template_version: 2021-04-16\n'
RULE = 'nested-cycle'
DIRECT = '{type: x.yaml}'
GROUP = '{type: OS::Heat::ResourceGroup, properties: {%s resource_def: {type: x.yaml}}}'
SCALING = (
    '{type: OS::Heat::AutoScalingGroup, properties: {max_size: 2, %s, resource: {type: x.yaml}}}'
)


def template(resource):
    return (
        f'{HOT}parameters: {{n: {{type: number, default: 1}}}}\n'
        f'conditions: {{more: {{equals: [{{get_param: n}}, 2]}}}}\n'
        f'resources:\n  r: {resource}\n'
    )


def cycles(contents, names=None):
    found = lint(contents, names)
    return [(each.file, each.line, each.text) for each in found if each.rule == RULE]


@pytest.mark.parametrize(
    'resource',
    [
        DIRECT,
        GROUP % '',
        GROUP % 'count: 2,',
        SCALING % 'min_size: 1',
        SCALING % 'min_size: 0, desired_capacity: 1',
        '{type: OS::Heat::ResourceChain, properties: {resources: [OS::Heat::Value, x.yaml]}}',
    ],
)
def test_template_that_contains_itself_is_found(resource):
    assert cycles({'x.yaml': template(resource)}) == [
        ('x.yaml', 5, 'The template contains itself: x.yaml > x.yaml')
    ]


@pytest.mark.parametrize(
    'resource',
    [
        '{type: x.yaml, condition: more}',
        '{type: x.yaml, external_id: an-id}',
        GROUP % 'count: {get_param: n},',
        GROUP % 'count: 0,',
        SCALING % 'min_size: 0',
        SCALING % 'min_size: {get_param: n}',
    ],
)
def test_template_that_may_end_its_own_use_is_accepted(resource):
    assert cycles({'x.yaml': template(resource)}) == []


def test_templates_that_contain_each_other_are_found_where_they_do():
    contents = {
        'x.yaml': template('{type: parts/y.yaml}'),
        'parts/y.yaml': template(GROUP % '').replace('x.yaml', '../x.yaml'),
        'z.yaml': template('{type: x.yaml}'),
    }
    assert cycles(contents, ['z.yaml']) == [
        ('x.yaml', 5, 'The template contains itself: x.yaml > parts/y.yaml > x.yaml'),
        ('parts/y.yaml', 5, 'The template contains itself: parts/y.yaml > x.yaml > parts/y.yaml'),
    ]


@pytest.mark.parametrize(
    ('names', 'text'),
    [
        (['x.yaml', 'e'], 'The template contains itself: x.yaml > x.yaml'),
        (['user.yaml', 'e'], 'The template that takes the place of "My::X" contains this type'),
    ],
)
def test_template_that_contains_the_type_whose_place_it_takes_is_found(names, text):
    contents = {
        'x.yaml': template('{type: My::X}'),
        'user.yaml': template('{type: My::X}'),
        'e': 'resource_registry: {"My::X": x.yaml}\n',
    }
    assert cycles(contents, names) == [('x.yaml', 5, text)]


@pytest.mark.parametrize('names', [['x.yaml', 'e'], ['user.yaml', 'e']])
def test_template_around_the_built_in_type_whose_place_it_takes_is_accepted(names):
    contents = {
        'x.yaml': template('{type: OS::Heat::RandomString}'),
        'user.yaml': template('{type: My::X}'),
        'e': 'resource_registry: {"OS::Heat::RandomString": x.yaml, "My::X": x.yaml}\n',
    }
    assert cycles(contents, names) == []
