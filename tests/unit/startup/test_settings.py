import argparse
import logging

import pytest
from oslo_config import cfg
from oslo_upgradecheck import upgradecheck

from heat_lite.cli import option_parser
from heat_lite.operate import manage, status
from heat_lite.startup import settings


def program_parser(program):
    conf = cfg.ConfigOpts()
    if program == 'heat-lite-manage':
        manage._register(conf)
    with pytest.raises(SystemExit):
        settings.load(['--help'], program, conf)
    return conf._oparser


def subparsers(parser):
    """Yield the parsers of commands, those of their commands included."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield below
                yield from subparsers(below)


@pytest.mark.parametrize('program', settings.HELP)
def test_help_of_a_program_has_a_description_an_example_and_each_option(program, capsys):
    parser = program_parser(program)
    told = capsys.readouterr().out
    assert settings.HELP[program][0] in told and f'example: {program} --config-file' in told
    assert all(action.help for action in parser._actions)


def test_each_command_of_manage_has_an_example_and_helps_with_defaults():
    parsers = list(subparsers(program_parser('heat-lite-manage')))
    assert {'heat-lite-manage db_sync', 'heat-lite-manage service clean'} <= {
        each.prog for each in parsers
    }
    for parser in parsers:
        example = parser.format_help().partition('example:')[2].split()
        assert ' '.join(example).startswith(parser.prog), parser.prog
        assert parser.description
        for action in parser._actions:
            assert action.help, (parser.prog, action)
            if action.option_strings and not isinstance(action, argparse._HelpAction):
                text = option_parser.Formatter('x')._get_help_string(action)
                assert 'default' in text, (parser.prog, action)


def test_examples_of_manage_can_be_parsed():
    top = program_parser('heat-lite-manage')
    for parser in subparsers(top):
        words = parser.format_help().partition('example:')[2].split()
        if parser.prog != 'heat-lite-manage service':
            assert top.parse_args(words[1:]).func


@pytest.mark.parametrize(
    'name, told',
    [
        ('broken.conf', 'broken.conf:1'),
        ('binary.conf', 'binary.conf: it is not UTF-8 text'),
        ('gone.conf', 'gone.conf'),
        ('', 'Is a directory'),
    ],
)
@pytest.mark.parametrize('program', settings.HELP)
def test_configuration_file_that_cannot_be_read_ends_a_program_with_a_line(
    program, name, told, tmp_path
):
    (tmp_path / 'broken.conf').write_text('nonsense [[[')
    (tmp_path / 'binary.conf').write_bytes(b'\x80')
    conf = cfg.ConfigOpts()
    if program == 'heat-lite-manage':
        manage._register(conf)
    if program == 'heat-lite-status':
        upgradecheck.register_cli_options(conf, status.Checks(conf))
    arguments = ['--config-file', str(tmp_path / name), *settings.HELP[program][1].split()]
    with pytest.raises(SystemExit) as caught:
        settings.load(arguments, program, conf)
    text = str(caught.value)
    assert text.startswith(f'{program}: ') and told in text and '\n' not in text


@pytest.fixture
def loaded(tmp_path):
    """A configuration file, its configuration, and the level of the root logger as before."""
    file, level = tmp_path / 'x.conf', logging.getLogger().level
    file.write_text('[DEFAULT]\n')
    conf = settings.load(['--config-file', str(file)], 'heat-lite-engine', cfg.ConfigOpts())
    yield file, conf
    logging.getLogger().setLevel(level)


def test_wrong_value_in_a_file_is_named_by_file_and_option(tmp_path):
    file = tmp_path / 'heat.conf'
    file.write_text('[DEFAULT]\nnum_engine_workers = many\n')
    with pytest.raises(SystemExit) as ended:
        settings.load(['--config-file', str(file)], 'heat-lite-engine', cfg.ConfigOpts())
    told = str(ended.value)
    assert told.startswith(f'heat-lite-engine: {file}: [DEFAULT] num_engine_workers: ')
    assert "'many'" in told and 'LocationInfo' not in told


def test_reload_applies_the_options_of_logging(loaded):
    file, conf = loaded
    logging.getLogger().setLevel(logging.INFO)
    file.write_text('[DEFAULT]\ndebug = true\n')
    settings.reload(conf)
    assert logging.getLogger().level == logging.DEBUG


@pytest.mark.parametrize('text', ['[DEFAULT\n', 'debug\n', '[DEFAULT]\ndebug = perhaps\n'])
def test_reload_of_a_broken_file_keeps_the_options(loaded, text, caplog):
    file, conf = loaded
    file.write_text(text)
    settings.reload(conf)
    assert conf.debug is False
    assert 'keep their values' in caplog.text
