import argparse
import importlib
import pkgutil
import shlex
import subprocess
import sys

import pytest

from heat_lite.cli import arguments, completion, main, option_parser, verbs

#: programs with a required argument
TAKES_FILES = ('fmt', 'convert', 'test', 'import')
NOWHERE = 'http://127.0.0.1:1/v1/p'


def loaded_by(code):
    program = f'{code}\nimport sys; print("loaded:", *sys.modules)'
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    return set(done.stdout.rpartition('loaded:')[2].split())


def parser_of(name):
    verb = verbs.VERBS[name]
    module, function = verb.target.split('.')
    found = importlib.import_module(f'heat_lite.cli.{module}')
    assert callable(getattr(found, function))
    specific = getattr(found, function.upper())
    return arguments.parser(name, verb.summary, verb.example, specific)


@pytest.mark.parametrize('argv', [[], ['--help'], ['help'], ['stack', '--help']])
def test_help_lists_every_command(argv, capsys):
    assert main.main(argv) == 0
    output = capsys.readouterr().out
    assert all(name in output for name in [*main.COMMANDS, *verbs.VERBS])


@pytest.mark.parametrize(
    'argv, text',
    [
        (['strut'], "unknown command 'strut'"),
        (['shwo', 'app'], 'Did you mean `show`?'),
        (['stack', 'lsit'], 'Did you mean `list`?'),
        (['stak', 'list'], 'Did you mean `stack list`?'),
        (['ls'], 'Did you mean `list`?'),
        (['destroy', 'app'], 'Did you mean `delete`?'),
        (['resource', 'lst'], 'Write one of: resource list, resource show'),
        (['--endpoint', NOWHERE], 'a command is missing'),
    ],
)
def test_unknown_command_is_refused(argv, text, capsys):
    assert main.main(argv) == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize('argv', [['hook', '--help'], ['help', 'hook'], ['hook', '-h']])
def test_help_of_the_first_word_lists_its_commands(argv, capsys):
    assert main.main(argv) == 0
    output = capsys.readouterr().out
    assert 'hook list' in output and 'hook clear' in output and 'hook poll' not in output


def test_help_of_a_command_is_that_of_its_option(capsys):
    with pytest.raises(SystemExit) as caught:
        main.main(['help', 'create'])
    assert not caught.value.code and 'usage: heat-lite create' in capsys.readouterr().out


def test_words_of_other_tools_lead_to_commands():
    known = {*verbs.VERBS, *main.COMMANDS, '--version'}
    assert {each.partition(' --')[0] for each in verbs.OTHER_WORDS.values()} <= known
    assert verbs.OTHER_WORDS['version'] == '--version'
    assert not set(verbs.OTHER_WORDS) & {*verbs.VERBS, *verbs.ALIASES, *main.COMMANDS}


@pytest.mark.parametrize('name', main.COMMANDS)
def test_each_program_can_be_resolved(name):
    assert callable(pkgutil.resolve_name(f'{main.COMMANDS[name].module}:main'))


@pytest.mark.parametrize('name', verbs.VERBS)
def test_each_option_of_a_verb_has_a_help_with_its_default(name):
    parser = parser_of(name)
    text = ' '.join(parser.format_help().split())
    assert f'heat-lite {name.split()[0]}' in text.partition('example:')[2]
    for action in parser._actions:
        assert action.help, action
        formatter = option_parser.Formatter('x')
        if action.option_strings and not isinstance(action, argparse._HelpAction):
            help_text = formatter._get_help_string(action)
            assert 'default' in help_text or action.required, action


@pytest.mark.parametrize('name', main.COMMANDS)
def test_each_option_of_a_program_has_a_help_with_its_default_and_an_example(name):
    parser = completion._program_parser(name)
    text = ' '.join(parser.format_help().split())
    assert f'heat-lite {name}' in text.partition('example:')[2]
    for action in parser._actions:
        assert action.help, action
        if action.option_strings and not isinstance(action, argparse._HelpAction):
            assert 'default' in option_parser.Formatter('x')._get_help_string(action), action


@pytest.mark.parametrize(
    'words, option', [(['apply', 'FILE', 'app'], '-t'), (['adopt', 'FILE', 'app'], '--adopt-file')]
)
def test_file_without_its_option_gets_a_suggestion(words, option, tmp_path, capsys):
    file = tmp_path / 'app.yaml'
    file.write_text('')
    with pytest.raises(SystemExit):
        main.main([str(file) if word == 'FILE' else word for word in words])
    assert f'Did you mean {option} {file}?' in capsys.readouterr().err


@pytest.mark.parametrize('name', main.COMMANDS)
def test_misspelt_option_of_a_program_gets_a_suggestion(name, capsys):
    parser = completion._program_parser(name)
    option = next((each for each in parser._option_string_actions if len(each) > 6), '--help')
    arguments = ['bash'] if name == 'completion' else ['x'] if name in TAKES_FILES else []
    with pytest.raises(SystemExit):
        parser.parse_args([*arguments, option[:-1] + 'xx'])
    assert f'Did you mean {option}?' in capsys.readouterr().err


@pytest.mark.parametrize('name', verbs.VERBS)
def test_examples_of_verbs_can_be_parsed(name):
    for line in verbs.VERBS[name].example.splitlines():
        words = shlex.split(line)
        assert words[:1] == ['heat-lite'] and verbs.find(words[1:])[0] == name
        parser_of(name).parse_args(words[1 + len(name.split()) :])


@pytest.mark.parametrize(
    'words, found',
    [
        (['event', 'list', 'app'], ('events', 2)),
        (['output', 'show', 'app', 'url'], ('outputs', 2)),
        (['resource', 'type', 'list'], ('types', 3)),
        (['template', 'function', 'list', 'x'], ('functions', 3)),
        (['template', 'show', 'app'], ('template', 2)),
        (['template', 'show'], ('template', 1)),
        (['failures', 'list', '--json'], ('failures', 1)),
    ],
)
def test_verbs_of_the_stock_client_are_known(words, found):
    assert verbs.find(words) == found


@pytest.mark.parametrize(
    'words, depth, stack',
    [
        (['app', '--nested'], 5, 'app'),
        (['--nested', 'app'], 5, 'app'),
        (['--nested', '2', 'app'], 2, 'app'),
        (['app'], 0, 'app'),
    ],
)
def test_nested_without_a_depth_has_one(words, depth, stack):
    parser = parser_of('events')
    args = parser.parse_args(arguments.with_depth(words, parser))
    assert (args.nested, args.stack) == (depth, stack)
    listing = parser_of('list')
    assert listing.parse_args(arguments.with_depth(['--nested'], listing)).nested is True


def test_options_of_the_output_may_precede_the_verb():
    leading, rest = arguments.split_leading(['--json', '--os-cloud', 'home', 'list', '--json'])
    assert (leading, rest) == (['--json', '--os-cloud', 'home'], ['list', '--json'])


@pytest.mark.parametrize('name', ['up', 'lint', 'docs'])
def test_plugin_folder_that_does_not_exist_is_a_usage_error(name, tmp_path, capsys):
    with pytest.raises(SystemExit) as caught:
        main.main([name, '--plugin-dir', str(tmp_path / 'none')])
    assert caught.value.code == 2 and 'is no folder' in capsys.readouterr().err


def test_aliases_lead_to_verbs():
    assert set(verbs.ALIASES.values()) <= verbs.VERBS.keys()
    assert verbs.find(['resources', 'app']) == ('resource list', 1)
    assert verbs.find(['snapshot', 'list', 'app']) == ('snapshot list', 2)


@pytest.mark.parametrize(
    'argv',
    [
        ['--endpoint', NOWHERE, 'list'],
        ['stack', '--endpoint', NOWHERE, 'list'],
        ['stack', 'list', f'--endpoint={NOWHERE}'],
    ],
)
def test_options_of_the_service_are_accepted_in_front_of_a_verb_and_behind(argv, capsys):
    assert main.main(argv) == 1
    assert capsys.readouterr().err == (
        'heat-lite: no service listens at http://127.0.0.1:1; is `heat-lite up` running?\n'
    )


def test_missing_template_file_is_reported(capsys):
    assert main.main(['--endpoint', NOWHERE, 'create', '-t', 'no such file.yaml', 'name']) == 1
    assert capsys.readouterr().err == (
        'heat-lite: no such file.yaml: The file cannot be read: No such file or directory\n'
    )


def test_update_without_a_template_is_a_usage_error(capsys):
    assert main.main(['--endpoint', NOWHERE, 'update', 'name']) == 2
    assert '--existing' in capsys.readouterr().err


def test_apply_without_a_terminal_needs_an_answer(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, 'stdin', open('/dev/null'))
    file = tmp_path / 'x.yaml'
    assert main.main(['--endpoint', NOWHERE, 'apply', '-t', str(file), 'name']) == 1
    assert 'x.yaml: The file cannot be read' in capsys.readouterr().err
    file.write_text('heat_template_version: 2021-04-16\nresources: {}\n')
    assert main.main(['--endpoint', NOWHERE, 'apply', '-t', str(file), 'name']) == 2
    assert 'add -y' in capsys.readouterr().err
    assert main.main(['--endpoint', NOWHERE, 'apply', '-t', '-', 'name']) == 2
    assert 'add -y' in capsys.readouterr().err


def test_main_imports_no_heavy_module():
    """Help is fast, and `up` can choose the kind of threads before any other import."""
    loaded = loaded_by('import heat_lite.cli.main')
    assert 'heat_lite.cli.verbs' in loaded
    heavy = {'eventlet', 'oslo_config', 'sqlalchemy', 'yaml', 'requests', 'threading'}
    assert not heavy & loaded


def test_list_imports_no_heavy_module():
    loaded = loaded_by(
        f'from heat_lite.cli import main\nmain.main(["--endpoint", "{NOWHERE}", "list"])'
    )
    assert 'heat_lite.cli.stacks' in loaded
    heavy = {'yaml', 'rich', 'openstack', 'keystoneauth1', 'requests', 'importlib.metadata'}
    assert not heavy & loaded
