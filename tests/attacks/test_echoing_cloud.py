"""Errors of a cloud service that quote a property, whose value is that of a hidden parameter.

API and engine are processes of their own, and log at level DEBUG.
"""

import json
import time

import kombu
import pytest

from tests import brokers, cloud, databases, identity
from tests.attacks import planted
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

CONFIGURATION = """
[DEFAULT]
debug = true
default_log_levels = keystoneauth=DEBUG,urllib3=DEBUG,oslo.messaging=DEBUG
action_retry_limit = 0
encrypt_parameters_and_properties = true

[oslo_messaging_notifications]
driver = messagingv2

[clients_keystone]
auth_uri = {auth_url}

[resource_finder_cache]
caching = false

[service_extension_cache]
caching = false
"""
TEXT, ITEM, NUMBER = 'planted "echo"\n<é>-zq1vw8k', 'planted-item-zq1vw8k', 62951413
#: parts of the values; none may be in any text
SECRETS = ('planted "echo', 'planted \\"echo', '-zq1vw8k', str(NUMBER))
PARAMETERS = {
    'text': {'type': 'string', 'hidden': True},
    'list': {'type': 'comma_delimited_list', 'hidden': True},
    'map': {'type': 'json', 'hidden': True},
}
VALUES = {'text': TEXT, 'list': ['a', ITEM], 'map': {'segment': NUMBER}}
NET = {
    'type': 'OS::Neutron::Net',
    'properties': {
        'name': {'get_param': 'text'},
        'tags': {'get_param': 'list'},
        'value_specs': {'provider:segmentation_id': {'get_param': ['map', 'segment']}},
    },
}
SENT = {'network': {'name': TEXT, 'tags': ['a', ITEM], 'provider:segmentation_id': NUMBER}}
#: what services write into their errors: the value, or the whole request, in the forms of languages
ECHOES = (
    f"Invalid input for name. Reason: '{TEXT}' is not a valid name.",
    f'Invalid input: {TEXT!r}, {ITEM!r}, {NUMBER}.',
    f'Invalid input: {SENT}',
    f'Invalid input: {json.dumps(SENT)}',
    f'Invalid input: {json.dumps(SENT, ensure_ascii=False)}',
)
QUEUE = 'echoes'
PARTS = (
    '',
    '/resources?nested_depth=5&with_detail=true',
    '/events?nested_depth=5',
    '/resources/net',
    '/resources/net/events',
    '/environment',
)


@pytest.fixture(scope='module')
def fake():
    """A fake cloud and the URLs of its services; Keystone is that of the shape."""
    made = cloud.Cloud()
    with identity.serve(made) as url:
        urls = {name: f'{url}{prefix}' for name, prefix in cloud.PREFIXES.items()}
        yield made, {name: url for name, url in urls.items() if name != 'identity'}


@pytest.fixture(scope='module')
def service(fake, tmp_path_factory):
    folder = tmp_path_factory.mktemp('echo')
    with shapes.split(
        folder, 'postgresql', 'postgresql', True, CONFIGURATION, services=fake[1]
    ) as running:
        yield running


@pytest.fixture
def reader(service):
    url = databases.option(service.folder / 'heat-lite.conf', 'DEFAULT', 'transport_url')
    with kombu.Connection(url.replace('rabbit://', 'amqp://')) as connection:
        yield brokers.Reader(connection.channel())


def template(resources, parameters=PARAMETERS):
    return {
        'heat_template_version': '2021-04-16',
        'parameters': parameters,
        'resources': resources,
    }


def body(name, **more):
    return {
        'stack_name': name,
        'template': template({'net': NET}),
        'parameters': VALUES,
        'environment': {'event_sinks': [{'type': 'zaqar-queue', 'target': QUEUE, 'ttl': 60}]},
        'disable_rollback': True,
        **more,
    }


def nested_twice():
    """Return a template and files: the network is two stacks below, no parameter there hidden."""
    shown = {name: {'type': row['type']} for name, row in PARAMETERS.items()}
    given = {name: {'get_param': name} for name in PARAMETERS}
    below = {file: {'below': {'type': file, 'properties': given}} for file in ('a.yaml', 'b.yaml')}
    files = {'a.yaml': template(below['b.yaml'], shown), 'b.yaml': template({'net': NET}, shown)}
    return {
        'template': template(below['a.yaml']),
        'files': {name: json.dumps(each) for name, each in files.items()},
    }


def until_at_rest(service, path):
    end = time.monotonic() + WAIT_SECONDS
    while True:
        stack = service.ask('GET', path).json()['stack']
        if not stack['stack_status'].endswith('_IN_PROGRESS'):
            return stack
        assert time.monotonic() < end, stack
        time.sleep(0.1)


def until_gone(service, path):
    end = time.monotonic() + WAIT_SECONDS
    while service.ask('GET', path).json().get('stack', {}).get('stack_status') not in (
        None,
        'DELETE_COMPLETE',
        'DELETE_FAILED',
    ):
        assert time.monotonic() < end
        time.sleep(0.1)


def create(service, name, **more):
    made = service.ask('POST', '/stacks', body(name, **more))
    assert made.status_code == 201, made.text
    path = f'/stacks/{name}/{made.json()["stack"]["id"]}'
    return path, until_at_rest(service, path)


def sent_to_sink(made):
    """Return the messages that the queue has received, as text."""
    return [
        json.dumps(sent, ensure_ascii=False)
        for method, path, sent in list(made.asked)
        if method == 'POST' and path.endswith(f'/queues/{QUEUE}/messages')
    ]


def check(service, made, path, told):
    """Fail if a value is in any text about a stack; ``told`` are its notifications."""
    shown = [planted.without_shown(service.ask('GET', path + part).json()) for part in PARTS]
    texts = [json.dumps(shown), json.dumps(shown, ensure_ascii=False)]
    texts += [json.dumps(told, ensure_ascii=False), json.dumps(told), *sent_to_sink(made)]
    texts += [file.read_text() for file in service.folder.glob('*.log')]
    for text in texts:
        for secret in SECRETS:
            at = text.find(secret)
            assert at < 0, (secret, text[max(0, at - 300) : at + 100])
    assert any('CREATE' in text for text in sent_to_sink(made))
    errors = [each['payload']['state_reason'] for level, each in told if level.endswith('error')]
    assert errors and all('******' in each for each in errors), errors


@pytest.mark.parametrize('echo', ECHOES, ids=range(len(ECHOES)))
def test_error_of_a_create_shows_no_value(service, reader, fake, echo):
    fake[0].fail('POST', '/networks', 400, message=echo)
    path, stack = create(service, 'create')
    assert stack['stack_status'] == 'CREATE_FAILED'
    assert 'Invalid input' in stack['stack_status_reason'], stack
    check(service, fake[0], path, reader.until('orchestration.stack.create.error'))
    service.ask('DELETE', path)
    until_gone(service, path)


def test_error_two_stacks_deep_shows_no_value(service, reader, fake):
    fake[0].fail('POST', '/networks', 400, message=ECHOES[2])
    path, stack = create(service, 'nested', **nested_twice())
    assert 'Invalid input' in stack['stack_status_reason'], stack
    check(service, fake[0], path, reader.until('orchestration.stack.create.error'))


def test_errors_of_update_check_and_delete_show_no_value(service, reader, fake):
    path, stack = create(service, 'later')
    assert stack['stack_status'] == 'CREATE_COMPLETE', stack
    changed = {**NET, 'properties': {**NET['properties'], 'admin_state_up': False}}
    update = body('later', template=template({'net': changed}))
    steps = [
        ('update', 'PUT', 'PUT', '', update),
        ('check', 'GET', 'POST', '/actions', {'check': None}),
        ('delete', 'DELETE', 'DELETE', '', None),
    ]
    for action, verb, method, part, sent in steps:
        fake[0].fail(verb, '/networks/', 400, message=ECHOES[3])
        service.ask(method, path + part, sent)
        stack = until_at_rest(service, path)
        assert stack['stack_status'] == f'{action.upper()}_FAILED', stack
    check(service, fake[0], path, reader.until('orchestration.stack.delete.error'))
