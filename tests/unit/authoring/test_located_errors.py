import argparse

import pytest

from heat_lite.authoring import convert, fmt, located_errors
from heat_lite.authoring.template_tests import command
from heat_lite.cli import api_client, errors, main, stack_files
from heat_lite.template import reader

TEXT = 'heat_template_version: 2021-04-16\nresources:\n  r: {type: Nope}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'app.yaml').write_text(TEXT)
    return tmp_path


def located(template, file='template', kind='', text='No such type.'):
    position = {'file': file, 'line': 3, 'column': 7}
    failed = api_client.RequestFailed(400, text, kind, position)
    found = located_errors.locate_response(failed, argparse.Namespace(template=template))
    return None if found is None else str(found).splitlines()


def test_error_of_the_template_shows_the_line_of_the_file():
    assert located('app.yaml') == [
        'app.yaml:3:7: error: No such type.',
        '    3 |   r: {type: Nope}',
        '      |       ^',
    ]


def test_error_of_another_file_has_the_name_that_a_user_would_write(folder):
    (folder / 'lib').mkdir()
    (folder / 'lib' / 'part.yaml').write_text(TEXT)
    first, *shown = located('app.yaml', (folder / 'lib' / 'part.yaml').as_uri())
    assert first.startswith('lib/part.yaml:3:7: error') and len(shown) == 2


@pytest.mark.parametrize(
    'text, kind, template, suggested',
    [
        (
            'The template section is invalid: resource',
            'StackValidationFailed',
            'heat_template_version: 2021-04-16\nresource: {}\n',
            'resources',
        ),
        (
            'The template section is invalid: Resource',
            'StackValidationFailed',
            "AWSTemplateFormatVersion: '2010-09-09'\nResource: {}\n",
            'Resources',
        ),
        (
            'The template version is invalid: "heat_template_version: 2021-4-16"',
            'InvalidTemplateVersion',
            'heat_template_version: 2021-4-16\n',
            '2021-04-16',
        ),
        (
            'The template section is invalid: zzz',
            'StackValidationFailed',
            'heat_template_version: 2021-04-16\nzzz: {}\n',
            None,
        ),
    ],
)
def test_text_of_heat_gets_the_suggestion_of_the_linter(folder, text, kind, template, suggested):
    (folder / 'app.yaml').write_text(template)
    first, *_ = located('app.yaml', kind=kind, text=text)
    hint = f'. Did you mean "{suggested}"?' if suggested else ''
    assert first == f'app.yaml:3:7: error: {text.removesuffix(".") if hint else text}{hint}'


@pytest.mark.parametrize('name', ['-', 'http://host/app.yaml', 'gone.yaml'])
def test_error_of_a_text_that_cannot_be_read_again_has_its_position_only(name):
    assert located(name) == [f'{name}:3:7: error: No such type.']


@pytest.mark.parametrize('name', ['-', 'http://host/app.yaml'])
def test_error_of_a_text_that_was_sent_shows_its_line(name, folder):
    files = stack_files.StackFiles(lambda _: TEXT.encode())
    files.template(name)
    position = {'file': 'template', 'line': 3, 'column': 7}
    failed = api_client.RequestFailed(400, 'No such type.', '', position)
    args = argparse.Namespace(template=name, sources=files.sources)
    assert str(located_errors.locate_response(failed, args)).splitlines() == [
        f'{name}:3:7: error: No such type.',
        '    3 |   r: {type: Nope}',
        '      |       ^',
    ]


def test_error_without_a_place_in_a_file_is_left_to_the_caller():
    assert located(None) is None
    failed = api_client.RequestFailed(400, 'Wrong')
    assert located_errors.locate_response(failed, argparse.Namespace(template='app.yaml')) is None


def test_template_without_a_version_is_located_at_its_beginning(folder):
    (folder / 'app.yaml').write_text('resources: {}\n')
    failed = api_client.RequestFailed(
        400, 'Template not in valid format: Template format version not found. Begin it.'
    )
    found = located_errors.locate_response(failed, argparse.Namespace(template='app.yaml'))
    first, *shown = str(found).splitlines()
    assert first == f'app.yaml:1:1: error: {failed.text}' and len(shown) == 2


def test_tag_that_the_service_refuses_is_located_at_its_place(folder):
    (folder / 'app.yaml').write_text('heat_template_version: 2021-04-16\nresources: !Ref a\n')
    with pytest.raises(reader.FormatError) as refused:
        reader.parse((folder / 'app.yaml').read_text())
    failed = api_client.RequestFailed(400, f'Template not in valid format: {refused.value}')
    found = located_errors.locate_response(failed, argparse.Namespace(template='app.yaml'))
    first = str(found).splitlines()[0]
    assert first.startswith('app.yaml:2:12: error: could not determine a constructor')
    assert first.endswith('{get_param: NAME}')


@pytest.mark.parametrize(
    ('program', 'arguments'),
    [
        (fmt.main, ['bad.json']),
        (convert.main, ['bad.json']),
        (command.main, ['bad.json']),
        (main.main, ['graph', '-t', 'bad.json']),
        (main.main, ['adopt', '--adopt-file', 'bad.json', 'app']),
    ],
)
def test_syntax_error_of_any_file_is_at_its_place(folder, capfd, program, arguments):
    (folder / 'bad.json').write_text('{"a": [1,}\n')
    assert program(arguments) != errors.DONE
    printed = capfd.readouterr()
    assert (printed.out + printed.err).startswith('bad.json:1:10: error: while parsing')
    assert 'unicode string' not in printed.err


def test_missing_parameter_says_how_to_set_it():
    text = 'The Parameter (p) was not provided.'
    assert '-P NAME=VALUE' in located('app.yaml', kind='UserParameterMissing', text=text)[0]
    text += ' The template does not declare it.'
    assert located('app.yaml', kind='UserParameterMissing', text=text)[0].endswith(text)


def test_syntax_error_of_a_template_and_an_environment_is_at_its_place(folder):
    (folder / 'bad.yaml').write_text('parameters:\n\ta: 1\n')
    for read in (stack_files.StackFiles().template, stack_files.StackFiles().environment):
        with pytest.raises(errors.LocatedError) as caught:
            read('bad.yaml')
        first, *shown = str(caught.value).splitlines()
        assert first.startswith('bad.yaml:2:1: error:') and 'replace the tab' in first
        assert shown[-1].endswith('^')


@pytest.mark.parametrize(
    'section, text',
    [
        ('parameters', 'The parameters of an environment must be a map'),
        ('parameter_defaults', 'The parameters of an environment must be a map'),
        ('resource_registry', 'The section resource_registry of an environment must be a map'),
        ('outputs', 'The section "outputs" must be a map'),
        ('conditions', 'Condition definitions must be a map. Found a list instead'),
    ],
)
@pytest.mark.parametrize('option', ['environment', 'template'])
def test_section_of_a_wrong_type_is_shown_at_its_place(folder, section, text, option):
    (folder / 'x.yaml').write_text(f'other: {{}}\n{section}: [a]\n')
    files = {'template': 'app.yaml', 'environment': ['x.yaml']}
    if option == 'template':
        files = {'template': 'x.yaml', 'environment': []}
    error = api_client.RequestFailed(400, text, 'AttributeError')
    found = str(located_errors.locate_response(error, argparse.Namespace(**files)))
    assert found.startswith(f'x.yaml:2:1: error: {text}\n    2 | {section}: [a]\n')


@pytest.mark.parametrize(
    'source, text, place',
    [
        ('event_sinks: [{type: foo}]', 'Unknown event sink type "foo", it should be x', '2:22'),
        ('event_sinks:\n- type: a\n', 'The event sink of type "a" has no target', '3:9'),
        (
            'resource_registry:\n  a: 3\n',
            'The entry "a" of the resource_registry must be a string',
            '3:3',
        ),
        (
            'resource_registry:\n  resources:\n    b: {hooks: foo}\n',
            'Invalid hook type "foo" for resource breakpoint',
            '4:16',
        ),
    ],
)
def test_wrong_entry_of_an_environment_is_shown_at_its_place(folder, source, text, place):
    (folder / 'x.yaml').write_text(f'parameters: {{}}\n{source}')
    error = api_client.RequestFailed(400, text, 'ValueError')
    args = argparse.Namespace(template='app.yaml', environment=['x.yaml'])
    found = str(located_errors.locate_response(error, args))
    assert found.startswith(f'x.yaml:{place}: error: {text}\n')


@pytest.mark.parametrize(
    'section, text',
    [
        ('parametrs: {a: b}', 'environment has wrong section "parametrs". Did you mean'),
        ('parameters:', 'environment has empty section "parameters"'),
        ('encrypted_param_names: x', 'The section "encrypted_param_names" must be a list'),
    ],
)
def test_wrong_section_of_an_environment_is_shown_at_its_place(folder, section, text):
    (folder / 'x.yaml').write_text(f'event_sinks: []\n{section}\n')
    with pytest.raises(errors.LocatedError, match=rf'x.yaml:2:1: error: {text}'):
        stack_files.StackFiles().environment('x.yaml')


def test_map_of_an_entry_that_is_none_is_shown_at_the_entry(folder):
    (folder / 'x.yaml').write_text('resource_registry:\n  resources: [a]\n')
    error = api_client.RequestFailed(
        400, 'The resources of the resource_registry must be a map', ''
    )
    args = argparse.Namespace(template='app.yaml', environment=['x.yaml'])
    assert str(located_errors.locate_response(error, args)).startswith('x.yaml:2:3: error: ')
