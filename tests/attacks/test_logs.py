"""Text of a stranger in lines of the log and on the terminal: one short line each, and harmless."""

import io
import json
import logging
import time

import pytest
import requests
from oslo_config import cfg
from oslo_log import formatters, log

from heat_lite.cli import main as command
from heat_lite.cli.display import terminal
from heat_lite.common import context as common_context, log_context, printable
from heat_lite.startup import log_format
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

FORGED = 'x\n2026-01-01 00:00:00.000 1 ERROR heat_lite forged\r\x1b[2J\x9b31m\u202e\u2028\ud800'
LINE_SIZE = 2048


@pytest.fixture
def logger():
    """A logger with the formatter of oslo.log; gives (logger, lines)."""
    conf = cfg.ConfigOpts()
    log.register_options(conf)
    conf([], project='heat_lite')
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(log_format.LineFormatter(formatters.ContextFormatter(config=conf)))
    found = logging.Logger('heat_lite.test')
    found.addHandler(handler)
    yield found, lambda: stream.getvalue().split('\n')[:-1]
    log_context.set_subject(None)


def assert_harmless(lines):
    for line in lines:
        assert not printable.UNSAFE.search(line), repr(line)
        assert len(line.encode()) <= LINE_SIZE


def test_message_with_control_characters_is_one_escaped_line(logger):
    log_, lines = logger
    log_.info('name %s', FORGED)
    assert len(lines()) == 1 and r'x\n2026-01-01' in lines()[0] and r'\x1b[2J' in lines()[0]
    assert_harmless(lines())


@pytest.mark.parametrize('character', ['x', '\n', 'é', '\U0001f600', '\ud800'])
def test_long_message_is_cut_at_two_kilobytes(logger, character):
    log_, lines = logger
    begin = time.monotonic()
    log_.info('name %s', character * 1_000_000)
    assert time.monotonic() - begin < 10
    assert len(lines()) == 1 and 'characters more)' in lines()[0]
    assert_harmless(lines())


def test_traceback_with_a_hostile_message_is_bounded_and_each_line_has_its_prefix(logger):
    log_, lines = logger
    try:
        raise ValueError(FORGED * 10_000)
    except ValueError:
        log_.exception('failed')
    assert 2 < len(lines()) < 70
    assert all(' ERROR heat_lite.test ' in line or 'lines more)' in line for line in lines())
    assert_harmless(lines())


def test_message_with_wrong_arguments_is_logged(logger):
    log_, lines = logger
    log_.info('two %s %s', 'one')
    assert 'with arguments of another form' in lines()[0]


@pytest.fixture
def json_logger():
    """A logger with the JSON formatter of oslo.log; gives (logger, lines)."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(log_format.LineFormatter(formatters.JSONFormatter(), is_json=True))
    found = logging.Logger('heat_lite.test')
    found.addHandler(handler)
    return found, lambda: stream.getvalue().split('\n')[:-1]


@pytest.mark.parametrize('character', ['x', '\n', '"', 'é', '\U0001f600', '\ud800'])
def test_long_line_of_json_is_cut_and_stays_json(json_logger, character):
    log_, lines = json_logger
    log_.info('name %s', character * 100_000, extra={'other': {'a': [character * 10_000] * 500}})
    try:
        raise ValueError(character * 10_000)
    except ValueError:
        log_.exception('failed')
    assert len(lines()) == 2
    for line, level in zip(lines(), ('INFO', 'ERROR'), strict=True):
        assert len(line.encode()) <= log_format.JSON_SIZE
        assert json.loads(line)['levelname'] == level


def test_short_line_of_json_is_complete(json_logger):
    log_, lines = json_logger
    log_.info('created %s', 'x' * 1000)
    assert json.loads(lines()[0])['message'] == 'created ' + 'x' * 1000


def test_line_hides_the_secrets_of_its_subject(logger):
    log_, lines = logger
    log_context.set_subject(log_context.subject_of_arguments({'stack_name': 's'}))
    log_context.add_secrets(['planted\nsecret', 'secret'])
    try:
        raise ValueError('planted\nsecret')
    except ValueError:
        log_.exception('failed for %s', ['planted\nsecret'])
    assert len(lines()) > 2 and not [line for line in lines() if 'secret' in line]


def test_line_has_request_project_and_stack_of_the_subject(logger):
    log_, lines = logger
    context = common_context.RequestContext(
        request_id='req-1', project_id='project-1', user_id='u', overwrite=False
    )
    log_context.set_subject(log_context.Subject(context, 'web\n/stack-1'))
    log_.info('done')
    (line,) = lines()
    assert 'req-1' in line and 'project-1' in line and r'[stack web\n/stack-1] done' in line


def test_ordinary_text_is_unchanged():
    text = 'größe 大 {"a": "b"} \\n'
    assert printable.escape(text) == text == printable.shorten(text, 100)


# ------------------------------------------------------------------ a whole service


TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {
        'broken': {
            'type': 'OS::Heat::TestResource',
            'properties': {'value': FORGED[:-1], 'fail': True},
        }
    },
    'outputs': {'text': {'value': FORGED[:-1]}},
}


@pytest.fixture(scope='module')
def service(tmp_path_factory):
    with shapes.embedded(tmp_path_factory.mktemp('logs')) as found:
        end = time.monotonic() + WAIT_SECONDS
        # this line, without a prefix, may follow the first response
        while not any('is ready: ' in line for line in log_lines(found)):
            assert time.monotonic() < end, found.logs()
            time.sleep(0.05)
        yield found


def log_lines(service):
    return (service.folder / 'up.log').read_text().splitlines()


def create(service, name):
    body = {'stack_name': name, 'template': TEMPLATE, 'disable_rollback': True}
    response = service.ask('POST', '/stacks', body)
    assert response.status_code == 201, response.text
    return response.json()['stack']['id'], response.headers['X-Openstack-Request-Id']


def test_failure_of_a_resource_is_one_line_with_request_project_and_stack(service):
    identity, request = create(service, 'failing')
    end = time.monotonic() + WAIT_SECONDS
    while not (found := [x for x in log_lines(service) if 'CREATE of ' in x and identity in x]):
        assert time.monotonic() < end, service.logs()
        time.sleep(0.1)
    (line,) = found
    assert ' INFO ' in line and request in line and f'[stack failing/{identity} resource ' in line
    assert ' demo ' in line.partition('[stack')[0] and 'forged' not in line


@pytest.mark.parametrize(
    ('method', 'path', 'body', 'status'),
    [
        ('GET', '/stacks/missing%0a2026%20ERROR%20forged', None, 404),
        ('POST', '/stacks', {'stack_name': FORGED[:-1], 'template': TEMPLATE}, 400),
        ('POST', '/stacks', {'stack_name': 'n', 'template': FORGED[:-1]}, 400),
        ('POST', '/stacks', {'stack_name': 'n', 'template': {'resources': 1}}, 400),
    ],
)
def test_mistake_of_a_user_is_logged_without_traceback(service, method, path, body, status):
    before = len(log_lines(service))
    response = service.ask(method, path, body)
    assert response.status_code == status, response.text
    lines = log_lines(service)[before:]
    assert not [line for line in lines if line.split()[3] != 'INFO' or 'Trace' in line]
    assert sum('RPC method' in line for line in lines) <= 1
    assert_harmless(lines)


def test_all_lines_of_the_service_are_harmless(service):
    for line in log_lines(service):
        assert_harmless([line])


@pytest.mark.parametrize('live', [True, False])
def test_terminal_shows_no_control_characters_of_a_stack(service, live, monkeypatch):
    identity, _ = create(service, f'shown-{str(live).lower()}')
    monkeypatch.setenv('HEAT_LITE_ENDPOINT', service.endpoint)
    stream = io.StringIO()
    original = terminal.Terminal
    monkeypatch.setattr(terminal, 'Terminal', lambda is_json: original(stream, live, is_json))
    for name in (k for k in ('show', 'events', 'resources', 'outputs', 'failures')):
        assert command.main([name, identity]) == 0
    assert command.main(['outputs', '--json', identity]) == 0
    text = stream.getvalue()
    assert r'\x1b[2J' in text or r'\u001b[2J' in text
    plain = terminal.COLOR_CODE.sub('', text) if live else text
    assert not printable.UNSAFE.search(plain.replace('\n', '')), repr(plain)


def test_error_of_the_service_is_harmless_on_the_terminal(service, monkeypatch, capsys):
    monkeypatch.setenv('HEAT_LITE_ENDPOINT', service.endpoint)
    assert command.main(['show', 'missing\x1b[2J']) == 1
    assert '\x1b' not in capsys.readouterr().err
    assert requests.get(f'{service.endpoint}/stacks', timeout=60).status_code == 200
