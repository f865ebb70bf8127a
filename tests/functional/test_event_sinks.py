"""Event sinks of an environment: events of a stack are sent to a Zaqar queue."""

import time

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures
from tests.timeouts import WAIT_SECONDS

STACK = {'resources': {'r': {'type': 'OS::Heat::RandomString', 'properties': {'length': 5}}}}
EXPECTED = [
    ('OS::Heat::Stack', 'IN_PROGRESS', {}),
    ('OS::Heat::RandomString', 'IN_PROGRESS', {'length': 5}),
    ('OS::Heat::RandomString', 'COMPLETE', {'length': 5}),
    ('OS::Heat::Stack', 'COMPLETE', {}),
]


def with_sinks(*sinks):
    return {'event_sinks': list(sinks)}


def resource_fields(events):
    payloads = [event['payload'] for event in events]
    assert {(event['type'], event['version']) for event in events} == {('os.heat.event', '0.1')}
    return [
        (each['resource_type'], each['resource_status'], each['resource_properties'])
        for each in payloads
    ]


def wait_for_events(get_events, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while len(get_events()) < len(EXPECTED):
        assert time.monotonic() < end, get_events()
        time.sleep(0.02)
    return get_events()


def queued_text(cloud, queue):
    """Return the messages that were sent to a queue, as text."""
    return [
        str(body)
        for method, path, body in list(cloud.asked)
        if method == 'POST' and path.endswith(f'/queues/{queue}/messages')
    ]


def test_sink_receives_no_hidden_parameter(running_cloud, driver, ids):  # noqa: F811 - fixtures
    value = {'get_param': 'secret'}
    template = {
        'parameters': {'secret': {'type': 'string', 'hidden': True}},
        'resources': {
            'kept': {'type': 'OS::Heat::TestResource', 'properties': {'value': value}},
            'broken': {
                'type': 'OS::Heat::RandomString',
                # the error quotes the attribute
                'properties': {'length': {'get_attr': ['kept', 'output']}},
            },
        },
    }
    sink = {'type': 'zaqar-queue', 'target': 'secrets', 'ttl': 60}
    driver.create(
        template, name='secret', params={'parameters': {'secret': 'planted'}, **with_sinks(sink)}
    )
    end = time.monotonic() + WAIT_SECONDS
    while not any('CREATE failed' in text for text in queued_text(running_cloud.cloud, 'secrets')):
        assert time.monotonic() < end, queued_text(running_cloud.cloud, 'secrets')
        time.sleep(0.02)
    text = ''.join(queued_text(running_cloud.cloud, 'secrets'))
    assert "'value': '******'" in text and 'planted' not in text


def test_zaqar_sink_receives_events_of_stack(running_cloud, driver, ids):  # noqa: F811 - fixtures
    stack = driver.create(
        STACK,
        name='queued',
        params=with_sinks({'type': 'zaqar-queue', 'target': 'events', 'ttl': 60}),
    )

    def queued():
        requests = [
            (path, body)
            for method, path, body in running_cloud.cloud.asked
            if method == 'POST' and path.endswith('/queues/events/messages')
        ]
        return [body['messages'][0] for _, body in requests]

    messages = wait_for_events(queued)
    assert resource_fields([each['body'] for each in messages]) == EXPECTED and {
        each['ttl'] for each in messages
    } == {60}
    assert {each['body']['payload']['stack_id'] for each in messages} == {stack['stack_id']}
    driver.delete(stack)


@pytest.mark.parametrize(
    'sink, text',
    [
        ({'type': 'other'}, 'Unknown event sink type "other"'),
        ({'type': 'zaqar-queue'}, 'has no target'),
    ],
)
def test_invalid_event_sink_is_refused(driver, sink, text):  # noqa: F811 - a fixture
    with pytest.raises((ValueError, exception.HeatException), match=text):
        driver.create(STACK, name='refused', params=with_sinks(sink))
