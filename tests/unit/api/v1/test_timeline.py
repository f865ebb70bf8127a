"""The timeline of an action from its events."""

import datetime

from heat_lite.api.v1 import timeline

START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def event(second, name, state, lineage=('s',), first_wait=None):
    action, _, status = state.partition('_')
    time = START + datetime.timedelta(seconds=second)
    is_stack = name is None
    return {
        'resource_name': name or lineage[0],
        'resource_type': 'OS::Heat::Stack' if is_stack else 'OS::Heat::None',
        'physical_resource_id': lineage[0] if is_stack else f'id of {name}',
        'resource_action': action,
        'resource_status': status,
        'resource_status_reason': '',
        'stack_name': lineage[0],
        'lineage': list(lineage),
        'event_time': time.strftime('%Y-%m-%dT%H:%M:%SZ'),
        'timestamp': time.timestamp(),
        'first_wait': first_wait and START.timestamp() + first_wait,
    }


NESTED = ('n', 's')
CREATE = [
    event(0, None, 'CREATE_IN_PROGRESS'),
    event(0, 'quick', 'CREATE_IN_PROGRESS'),
    event(0, 'slow', 'CREATE_IN_PROGRESS'),
    event(1, 'quick', 'CREATE_COMPLETE'),
    event(5, 'slow', 'CREATE_COMPLETE'),
    event(5, 'group', 'CREATE_IN_PROGRESS'),
    event(5, None, 'CREATE_IN_PROGRESS', NESTED),
    event(6, 'x', 'CREATE_IN_PROGRESS', NESTED),
    event(8, 'x', 'CREATE_COMPLETE', NESTED),
    event(8, None, 'CREATE_COMPLETE', NESTED),
    event(9, 'group', 'CREATE_COMPLETE'),
    event(9, None, 'CREATE_COMPLETE'),
]
REQUIREMENTS = {'s/group': ['s/quick', 's/slow']}


def find(found, key):
    return next(each for each in found['resources'] if each['id'] == key)


def test_resources_have_their_phases():
    (action,) = timeline.actions_of('s', CREATE, 'CREATE')
    found = timeline.timeline('s', action, REQUIREMENTS, {'s/group': 'n'})
    assert (found['action'], found['status'], found['seconds']) == ('CREATE', 'COMPLETE', 9)
    phases = [(each['phase'], each['seconds']) for each in find(found, 's/group')['phases']]
    assert phases == [('waiting', 5), ('working', 4)]
    # the wait of a nested resource begins with its own stack
    assert find(found, 'n/x')['phases'][0]['seconds'] == 1
    assert find(found, 'n/x')['seconds'] == 2


def test_critical_path_goes_through_what_ended_last():
    (action,) = timeline.actions_of('s', CREATE, 'CREATE')
    found = timeline.timeline('s', action, REQUIREMENTS, {'s/group': 'n'})
    assert found['critical_path'] == ['s/slow', 's/group', 'n/x']
    assert not find(found, 's/quick')['critical']


def test_action_in_progress_has_no_end():
    (action,) = timeline.actions_of('s', CREATE[:8], 'CREATE')
    found = timeline.timeline('s', action, REQUIREMENTS, {'s/group': 'n'})
    assert (found['status'], found['ended_at']) == ('IN_PROGRESS', None)
    assert find(found, 'n/x')['phases'][-1]['ended_at'] is None
    assert found['critical_path'] == ['s/slow', 's/group', 'n/x']
    assert find(found, 's/group')['ended_at'] is None


def test_actions_are_numbered():
    later = [event(20, None, 'UPDATE_IN_PROGRESS'), event(21, None, 'UPDATE_FAILED')]
    found = timeline.actions_of('s', [*CREATE, *later], 'UPDATE')
    assert [(each.number, each.name) for each in found] == [(1, 'CREATE'), (2, 'UPDATE')]
    assert found[1].view()['status'] == 'FAILED'


def phases_of(end, *later):
    begin = [event(0, None, 'CREATE_IN_PROGRESS'), event(2, 'r', 'CREATE_IN_PROGRESS')]
    (action,) = timeline.actions_of('s', [*begin, end, *later], 'CREATE')
    return find(timeline.timeline('s', action, {}, {}), 's/r')


def test_work_is_split_at_the_first_wait():
    found = phases_of(event(9, 'r', 'CREATE_COMPLETE', first_wait=3))
    assert found['phases'][1:] == [
        {
            'phase': 'calling',
            'started_at': '2026-01-01T00:00:02.000Z',
            'ended_at': '2026-01-01T00:00:03.000Z',
            'seconds': 1,
            'status': 'CREATE_COMPLETE',
        },
        {
            'phase': 'polling',
            'started_at': '2026-01-01T00:00:03.000Z',
            'ended_at': '2026-01-01T00:00:09.000Z',
            'seconds': 6,
            'status': 'CREATE_COMPLETE',
        },
    ]
    assert found['seconds'] == 7


def test_handler_that_never_waits_only_calls():
    found = phases_of(event(9, 'r', 'CREATE_FAILED', first_wait=9))
    assert [(each['phase'], each['seconds']) for each in found['phases'][1:]] == [('calling', 7)]


def test_time_outside_of_the_work_is_not_taken_for_its_first_wait():
    for first_wait in (1, 10):
        found = phases_of(event(9, 'r', 'CREATE_COMPLETE', first_wait=first_wait))
        assert [each['phase'] for each in found['phases']] == ['waiting', 'working']


def test_work_of_a_dead_engine_is_not_split():
    again = event(5, 'r', 'CREATE_IN_PROGRESS')
    found = phases_of(again, event(9, 'r', 'CREATE_COMPLETE', first_wait=6))
    assert [(each['phase'], each['seconds']) for each in found['phases']] == [
        ('waiting', 2),
        ('working', 3),
        ('calling', 1),
        ('polling', 3),
    ]
    assert found['ended_at'] == '2026-01-01T00:00:09.000Z'


def test_action_without_its_begin_is_partial():
    later = [event(20, 'slow', 'UPDATE_IN_PROGRESS'), event(21, 'slow', 'UPDATE_COMPLETE')]
    update = [event(19, None, 'UPDATE_IN_PROGRESS'), *later]
    first, second = timeline.actions_of('s', [*CREATE[4:], *update], 'UPDATE')
    assert (first.partial, first.name, second.partial) == (True, 'CREATE', False)
    found = timeline.timeline('s', first, REQUIREMENTS, {'s/group': 'n'})
    assert (found['partial'], found['status']) == (True, 'COMPLETE')
    # no phase is invented for work whose begin is not stored
    assert find(found, 's/slow')['phases'] == []
    assert [each['phase'] for each in find(found, 's/group')['phases']] == ['working']
    (only,) = timeline.actions_of('s', later, 'UPDATE')
    assert (only.partial, only.name, only.view()['status']) == (True, 'UPDATE', 'IN_PROGRESS')


def test_events_of_earlier_nested_stacks_begin_no_action():
    assert timeline.actions_of('s', CREATE[6:10], 'CREATE') == []
