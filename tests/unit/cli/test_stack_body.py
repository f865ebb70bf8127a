"""The body of a request, compared with that of the stock client."""

import json

import pytest
from heatclient.common import template_utils

from heat_lite.cli import arguments, deploy, errors, stack_body

INNER = 'heat_template_version: 2021-04-16\nparameters: {s: {type: string}}\n'
APP = """heat_template_version: 2021-04-16
parameters:
  size: {type: number}
resources:
  a:
    type: lib/inner.yaml
    properties: {s: {get_file: lib/motd.txt}}
  b: {type: My::Type, properties: {s: x}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'lib').mkdir()
    (tmp_path / 'lib' / 'inner.yaml').write_text(INNER)
    (tmp_path / 'lib' / 'motd.txt').write_text('hello\n')
    (tmp_path / 'app.yaml').write_text(APP)
    (tmp_path / 'one.yaml').write_text(
        'parameters: {size: 1}\nresource_registry: {"My::Type": lib/inner.yaml}\n'
    )
    (tmp_path / 'two.yaml').write_text('parameters: {size: 2}\nparameter_defaults: {x: 1}\n')
    return tmp_path


def build(*words, verb='CREATE'):
    parser = arguments.parser('create', 'x', 'x', getattr(deploy, verb))
    return stack_body.build(parser.parse_args([*words, 'name']))


def test_body_has_the_files_and_environments_of_the_stock_client(folder):
    body = build('-t', 'app.yaml', '-e', 'one.yaml', '-e', 'two.yaml')
    files, template = template_utils.get_template_contents('app.yaml')
    urls = []
    env_files, environment = template_utils.process_multiple_environments_and_files(
        ['one.yaml', 'two.yaml'], env_list_tracker=urls
    )
    assert body['environment_files'] == urls
    assert body['files'].keys() == {**files, **env_files}.keys()
    sent = stack_files_data(body['template'])
    assert json.dumps(sent['resources'], default=str) == json.dumps(template['resources'])
    for url in urls:
        ours, stock = json.loads(body['files'][url]), json.loads(env_files[url])
        assert ours == {key: value for key, value in stock.items() if value}
    assert body['environment'] == {key: value for key, value in environment.items() if value}


def stack_files_data(text):
    return stack_body.stack_files.yaml.safe_load(text)


def test_all_environments_count_and_later_ones_win(folder):
    body = build('-t', 'app.yaml', '-e', 'one.yaml', '-e', 'two.yaml')
    assert body['environment']['parameters'] == {'size': 2}
    assert 'My::Type' in body['environment']['resource_registry']


def test_parameter_of_an_option_wins_over_environments(folder):
    body = build('-t', 'app.yaml', '-e', 'one.yaml', '-e', 'two.yaml', '-P', 'size=3')
    assert body['parameters'] == {'size': '3'}
    assert 'size' not in body['environment'].get('parameters', {})
    sent = [json.loads(body['files'][url]) for url in body['environment_files']]
    assert [each['parameters'] for each in sent] == [{}, {}]
    assert sent[0]['resource_registry'] and sent[1]['parameter_defaults'] == {'x': 1}


def test_options_are_sent_only_if_given(folder):
    assert build('-t', 'app.yaml').keys() == {'parameters', 'template', 'environment', 'files'}
    words = ('--tags', 'a,b', '--timeout', '5', '--rollback', '-P', 'size=3', '-P', 'x=a=b')
    body = build('-t', 'app.yaml', *words, '--parameter-file', 'm=lib/motd.txt')
    assert body['parameters'] == {'size': '3', 'x': 'a=b', 'm': 'hello\n'}
    assert (body['tags'], body['timeout_mins'], body['disable_rollback']) == ('a,b', 5, False)
    assert build('-t', 'app.yaml', '--disable-rollback')['disable_rollback'] is True


def test_files_container_sends_the_names_of_environments(folder):
    body = build('-t', 'app.yaml', '-e', 'far.yaml', '--files-container', 'box')
    assert (body['files_container'], body['environment_files']) == ('box', ['far.yaml'])
    assert body['files'] == {} and body['template'] == APP


def test_update_with_existing_sends_cleared_parameters(folder):
    body = build('--existing', '--clear-parameter', 'a', '--clear-parameter', 'b', verb='UPDATE')
    assert body['clear_parameters'] == ['a', 'b'] and 'template' not in body


def test_update_of_a_part_sends_names_but_not_the_word_never(folder):
    words = ('--target', 'a', '--target', 'b', '--replace', 'never', '--replace', 'c')
    body = build('-t', 'app.yaml', *words, verb='UPDATE')
    assert (body['target'], body['replace']) == (['a', 'b'], ['c']) and 'exclude' not in body
    assert 'replace' not in build('-t', 'app.yaml', '--replace', 'never', verb='UPDATE')


def test_environment_from_standard_input_is_refused(folder):
    with pytest.raises(errors.FileError, match='only the template'):
        build('-t', 'app.yaml', '-e', '-')


@pytest.mark.parametrize('word', ['a', '=b'])
def test_parameter_without_name_or_value_is_refused(word, capsys):
    with pytest.raises(SystemExit):
        build('-t', 'x.yaml', '-P', word)
    assert 'is not NAME=VALUE' in capsys.readouterr().err
