"""Events that the environment of a stack wants told elsewhere: in a queue of the messaging service."""

import time

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, place  # noqa: F401 - fixtures
from tests.waiting import PATIENCE

STACK = {'resources': {'r': {'type': 'OS::Heat::RandomString', 'properties': {'length': 5}}}}
EXPECTED = [
    ('OS::Heat::Stack', 'IN_PROGRESS', {}),
    ('OS::Heat::RandomString', 'IN_PROGRESS', {'length': 5}),
    ('OS::Heat::RandomString', 'COMPLETE', {'length': 5}),
    ('OS::Heat::Stack', 'COMPLETE', {}),
]


def with_sinks(*sinks):
    return {'event_sinks': list(sinks)}


def essence(events):
    payloads = [event['payload'] for event in events]
    assert {(event['type'], event['version']) for event in events} == {('os.heat.event', '0.1')}
    return [(each['resource_type'], each['resource_status'], each['resource_properties']) for each in payloads]


def until(found, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while len(found()) < len(EXPECTED):
        assert time.monotonic() < end, found()
        time.sleep(0.02)
    return found()


def test_a_queue(place, driver, ids):  # noqa: F811 - fixtures
    stack = driver.create(STACK, name='queued', params=with_sinks({'type': 'zaqar-queue', 'target': 'told', 'ttl': 60}))

    def told():
        asked = [(path, body) for method, path, body in place.cloud.asked if method == 'POST' and path.endswith('/queues/told/messages')]
        return [body['messages'][0] for _, body in asked]

    messages = until(told)
    assert essence([each['body'] for each in messages]) == EXPECTED and {each['ttl'] for each in messages} == {60}
    assert {each['body']['payload']['stack_id'] for each in messages} == {stack['stack_id']}
    driver.delete(stack)


@pytest.mark.parametrize('sink, text', [({'type': 'other'}, 'Unknown event sink type "other"'), ({'type': 'zaqar-queue'}, 'has no target')])
def test_what_is_no_sink(driver, sink, text):  # noqa: F811 - a fixture
    with pytest.raises((ValueError, exception.HeatException), match=text):
        driver.create(STACK, name='refused', params=with_sinks(sink))
