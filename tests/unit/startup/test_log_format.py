"""Lines of the service under the loggers that files of Heat's deployments name.

Each case is a process of its own, as loggers belong to a process.
"""

import contextlib
import socket
import subprocess
import sys

import msgpack
import pytest

#: writes a line at two levels, and a third one after the files are read again
PROGRAM = """
import logging, os, sys
from oslo_config import cfg
from heat_lite.startup import settings
conf = settings.load(['--config-file', sys.argv[1]], 'heat-lite-engine', cfg.ConfigOpts())
settings.start_logging(conf)
log = logging.getLogger('heat_lite.engine.service')
log.debug('a detail')
log.info('a line')
if conf.log_config_append:
    os.utime(conf.log_config_append, (1, 1))
settings.reload(conf)
log.warning('a second line\\nof a text')
logging.getLogger('heat.engine.plugin').info('a plug-in')
"""
#: the form of openstack-helm's logging.conf; {heat} is the section of the logger of Heat
HELM = """[loggers]
keys = root,heat,amqp{more}
[handlers]
keys = stdout,stderr,"null"
[formatters]
keys = context,default
[logger_root]
level = WARNING
handlers = "null"
[logger_heat]
level = INFO
handlers = stdout
qualname = heat
[logger_amqp]
level = WARNING
handlers = stderr
qualname = amqp
[handler_"null"]
class = logging.NullHandler
formatter = default
args = ()
[handler_stdout]
class = StreamHandler
args = (sys.stdout,)
formatter = context
[handler_stderr]
class = StreamHandler
args = (sys.stderr,)
formatter = context
[formatter_context]
class = oslo_log.formatters.ContextFormatter
datefmt = %Y-%m-%d %H:%M:%S
[formatter_default]
format = %(message)s
datefmt = %Y-%m-%d %H:%M:%S
"""
OWN = """[logger_own]
level = INFO
handlers = stdout
qualname = heat_lite
"""


def run(tmp_path, options):
    """Return the messages that PROGRAM writes to its standard output and to its standard error."""
    (tmp_path / 'heat.conf').write_text(f'[DEFAULT]\n{options}\n')
    command = [sys.executable, '-c', PROGRAM, str(tmp_path / 'heat.conf')]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return [
        [line.partition(' [-] ')[2] for line in text.splitlines() if ' [-] ' in line]
        for text in (done.stdout, done.stderr)
    ]


LINES = ['a line', 'Reloading the configuration files.', r'a second line\nof a text', 'a plug-in']


@pytest.mark.parametrize(('more', 'sections'), [('', ''), (',own', OWN)])
def test_file_that_names_the_logger_heat_gets_each_line_once(tmp_path, more, sections):
    (tmp_path / 'logging.conf').write_text(HELM.format(more=more) + sections)
    out, err = run(tmp_path, f'log_config_append = {tmp_path}/logging.conf')
    assert (out, err) == (LINES, [])


@pytest.mark.parametrize(
    ('levels', 'wanted'),
    [
        ('amqp=WARN,heat=ERROR', []),
        ('heat=DEBUG', ['a detail <module> <string>:8', *LINES]),
        ('heat=ERROR,heat_lite=INFO', LINES[:3]),
    ],
)
def test_level_of_the_logger_heat_is_that_of_the_service(tmp_path, levels, wanted):
    assert run(tmp_path, f'use_stderr = true\ndefault_log_levels = {levels}') == [[], wanted]


def test_log_file_in_a_folder_has_each_line_once(tmp_path):
    options = f'debug = False\nlog_dir = {tmp_path}/kolla\nlog_file = heat-engine.log'
    (tmp_path / 'kolla').mkdir()
    assert run(tmp_path, options) == [[], []]
    text = (tmp_path / 'kolla' / 'heat-engine.log').read_text()
    assert [line.partition(' [-] ')[2] for line in text.splitlines()] == LINES


FLUENT = """[loggers]
keys = root
[handlers]
keys = fluent
[formatters]
keys = fluent
[logger_root]
level = INFO
handlers = fluent
[handler_fluent]
class = fluent.handler.FluentHandler
args = ('openstack.heat', '127.0.0.1', {port})
formatter = fluent
[formatter_fluent]
class = {formatter}
"""


@pytest.mark.parametrize(
    'formatter', ['oslo_log.formatters.FluentFormatter', 'fluent.handler.FluentRecordFormatter']
)
def test_fluentd_gets_each_record_as_data(tmp_path, formatter):
    with socket.create_server(('127.0.0.1', 0)) as fluentd:
        text = FLUENT.format(port=fluentd.getsockname()[1], formatter=formatter)
        (tmp_path / 'logging.conf').write_text(text)
        assert run(tmp_path, f'log_config_append = {tmp_path}/logging.conf') == [[], []]
        records = [data for _, _, data in received(fluentd)]
    assert 'a line' in [each['message'] for each in records]
    if formatter.startswith('oslo_log'):
        (second,) = [each for each in records if each['message'].startswith('a second')]
        assert (second['level'], second['name']) == ('WARNING', 'heat_lite.engine.service')
        assert second['message'] == 'a second line\\nof a text'


def received(fluentd):
    """Return the messages [tag, time, data] of all connections that were made."""
    fluentd.settimeout(0)
    unpacker = msgpack.Unpacker(strict_map_key=False)
    with contextlib.suppress(BlockingIOError):
        while True:
            connection, _ = fluentd.accept()
            connection.settimeout(None)
            with connection:
                while data := connection.recv(65536):
                    unpacker.feed(data)
    return list(unpacker)
