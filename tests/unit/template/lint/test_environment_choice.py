"""The environments of folders, and what of them templates use."""

import pytest

from tests.unit.template.lint.documents import lint

HOT = 'heat_template_version: 2021-04-16\n'
APP = (
    HOT
    + 'parameters: {kind: {type: string, constraints: [{allowed_values: [%s]}]}}\n'
    + 'resources: {p: {type: My::Part, properties: {size_%s: {get_param: kind}}}}\n'
)
PART = (
    HOT
    + 'parameters: {size_%s: {type: string}}\n'
    + 'resources: {v: {type: OS::Heat::Value, properties: {value: {get_param: size_%s}}}}\n'
)
ENVIRONMENT = 'resource_registry: {"My::Part": %s}\nparameters: {kind: %s}\n'
USER = HOT + 'resources:\n  p: {type: My::Part}\n'
NOTHING = HOT + 'resources: {a: {type: OS::Heat::RandomString}}\n'


def found(contents, **more):
    return [(each.file, each.level, each.rule) for each in lint(contents, folder=True, **more)]


def project(folder, word, part='part.yaml'):
    return {
        f'{folder}/app.yaml': APP % (word, word),
        f'{folder}/env.yaml': ENVIRONMENT % (part, word),
        f'{folder}/part.yaml': PART % (word, word),
    }


def test_template_takes_the_environment_of_its_own_folder():
    assert found({**project('a', 'one'), **project('b', 'two')}) == []


@pytest.mark.parametrize('folder', ['', 'x/'])
def test_template_takes_the_environment_that_fits_its_parameters(folder):
    contents = {
        f'{folder}{name}': text
        for word in ('one', 'two')
        for name, text in {
            f'app-{word}.yaml': APP % (word, word),
            f'env-{word}.yaml': ENVIRONMENT % (f'part-{word}.yaml', word),
            f'part-{word}.yaml': PART % (word, word),
        }.items()
    }
    assert found(contents) == []


def test_environment_that_fits_no_template_of_its_folder_is_wrong():
    contents = {**project('a', 'one'), 'a/env.yaml': ENVIRONMENT % ('part.yaml', 'two')}
    assert found(contents) == [('a/env.yaml', 'error', 'parameter-value')]
    contents['a/env.yaml'] = ENVIRONMENT.replace('kind', 'knid') % ('part.yaml', 'one')
    assert found(contents) == [('a/env.yaml', 'error', 'environment-parameter')]


def test_environment_that_may_be_of_a_template_elsewhere_has_warnings():
    contents = {
        **project('a', 'one'),
        'a/env.yaml': (ENVIRONMENT % ('part.yaml', 'two')).replace('{kind', '{zone: x, kind'),
    }
    assert found(contents) == [
        ('a/env.yaml', 'warning', 'environment-parameter'),
        ('a/env.yaml', 'warning', 'parameter-value'),
    ]
    named = [*contents][1:] + [*contents][:1]
    assert [each.level for each in lint(contents, named)] == ['error', 'error']


def test_type_that_an_environment_of_another_folder_maps_is_not_checked():
    contents = {
        'app.yaml': HOT + 'resources: {p: {type: OS::My::Part, properties: {any: 1}}}\n',
        'env/types.yaml': 'resource_registry: {"OS::My::*": OS::Heat::*}\n',
    }
    assert found(contents) == []
    assert found({**contents, 'env/types.yaml': 'parameters: {}\n'}) == [
        ('app.yaml', 'error', 'unknown-type')
    ]


def test_template_of_a_folder_without_environments_takes_that_of_its_user():
    contents = {
        **project('a', 'one', 'parts/part.yaml'),
        'a/parts/inner.yaml': HOT + 'resources: {v: {type: My::Other, properties: {valeu: 1}}}\n',
        'a/parts/part.yaml': (PART % ('one', 'one')).replace('{v:', '{i: {type: inner.yaml}, v:'),
        'a/env.yaml': 'resource_registry: {My::Part: parts/part.yaml, My::Other: OS::Heat::Value}',
    }
    assert ('a/parts/inner.yaml', 'error', 'unknown-property') in found(contents)


def test_environments_that_are_named_apply_to_the_templates_of_folders():
    contents = {'app.yaml': USER, 'env.yaml': 'resource_registry: {"My::Part": OS::Heat::Nnoe}\n'}
    assert ('env.yaml', 'error', 'registry-target') in found(contents)


# --------------------------------------------------------------- entries without use


@pytest.mark.parametrize(
    'entries',
    [
        '{"My::Part": gone.yaml}',
        '{"My::*": OS::Heat::Nnoe}',
        '{resources: {p: {"My::Part": gone.yaml}}}',
        '{"My::Part": "My::Inner", "My::Inner": gone.yaml}',
    ],
)
def test_entry_without_a_target_is_an_error_only_where_a_template_has_the_type(entries):
    def levels(template, **more):
        contents = {'app.yaml': template, 'env.yaml': f'resource_registry: {entries}\n'}
        results = lint(contents, ['app.yaml', 'env.yaml'], **more)
        return [each.level for each in results if each.rule == 'registry-target']

    assert levels(USER) == levels(USER, folder=True) == ['error']
    assert levels(NOTHING) == ['warning'] and levels(NOTHING, folder=True) == ['note']


def test_entry_that_templates_of_other_folders_use_is_a_note():
    contents = {
        'a/app.yaml': USER,
        'a/env.yaml': 'resource_registry: {"My::Part": OS::Heat::RandomString}\n',
        'b/app.yaml': NOTHING,
        'b/env.yaml': 'resource_registry: {"My::Part": gone.yaml}\n',
    }
    assert found(contents) == [('b/env.yaml', 'note', 'registry-target')]


def test_entry_of_one_resource_is_used_by_it_alone():
    text = 'resource_registry: {resources: {%s: {"My::Part": gone.yaml}}}\n'
    two = USER.replace('p: {', 'a: {type: My::Part}\n  p: {')
    levels = {
        name: [
            level
            for file, level, _rule in found({'app.yaml': two, 'e.yaml': text % name})
            if file == 'e.yaml'
        ]
        for name in ('a', 'p', 'q')
    }
    assert levels == {'a': ['error'], 'p': ['error'], 'q': ['note']}


def test_mapped_file_with_errors_is_checked_where_a_template_uses_it():
    contents = {
        'env.yaml': 'resource_registry: {"My::Part": part.yaml}\n',
        'app.yaml': NOTHING,
        'part.yaml': HOT + 'resource: {}\n',
    }
    assert lint(contents, ['env.yaml', 'app.yaml']) == []
    for names in (['env.yaml'], ['env.yaml', 'part.yaml']):
        assert 'unknown-section' in [each.rule for each in lint(contents, names)]
    contents['app.yaml'] = USER
    rules = [each.rule for each in lint(contents, ['env.yaml', 'app.yaml'])]
    assert 'unknown-section' in rules


def test_unused_parameter_of_a_file_that_an_environment_maps_is_prescribed():
    contents = {
        'part.yaml': HOT + 'parameters: {size: {type: string}}\n' + NOTHING.removeprefix(HOT),
        'env.yaml': 'resource_registry: {resources: {p: {"My::Part": part.yaml}}}\n',
    }
    assert [each.rule for each in lint(contents, ['part.yaml'])] == ['unused-parameter']
    assert lint(contents, ['part.yaml', 'env.yaml']) == lint(contents, folder=True) == []
