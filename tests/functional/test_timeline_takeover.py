"""The timeline of an action whose engine has stopped while a resource was waited for."""

from heat_lite.api.v1 import timeline
from heat_lite.common.event_cursor import MAX_ID
from tests import databases, engines

SLOW = {
    'resources': {
        'r': {
            'type': 'OS::Heat::TestResource',
            'properties': {'action_wait_secs': {'create': 3}},
        }
    }
}


def phases(driver, identity):
    """Return the names and the lengths of the phases of the resource."""
    page = driver.client.read_past_events(
        driver.context, stack_identity=identity, nested_depth=0, after=[0, []], until=[MAX_ID, []]
    )
    stack_id = identity['stack_id']
    (action,) = timeline.actions_of(stack_id, page['events'], 'CREATE')
    (resource,) = timeline.timeline(stack_id, action, {}, {})['resources']
    return [
        (each['phase'], each['seconds'])
        for each in resource['phases']
        if each['phase'] != timeline.WAITING
    ]


def test_calls_and_polls_are_told_apart_after_a_takeover(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url) as driver:
            identity = driver.create(SLOW, wait=False)
            driver.wait_for_resource(identity, 'r', 'CREATE_IN_PROGRESS')
            assert phases(driver, identity) == [('working', None)]
            driver.service.stop(0)
        with engines.running(url) as other:
            other.context = driver.context
            other.wait(identity)
            assert other.state(identity) == 'CREATE_COMPLETE'
            (first, _), (second, called), (third, polled) = phases(other, identity)
    assert (first, second, third) == ('working', 'calling', 'polling')
    assert called <= 1 <= polled
