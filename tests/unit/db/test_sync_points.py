import threading

from heat_lite.db import sync_points


def test_sync_points_are_created_updated_and_deleted(database, context, make_stack):
    stack_id = make_stack()
    sync_points.create(
        context,
        stack_id,
        't1',
        [{'entity_id': str(number), 'is_update': number % 2 == 0} for number in range(4)],
    )
    sync_points.create(
        context, stack_id, 't2', [{'entity_id': '0', 'is_update': True, 'extra_data': {'x': 1}}]
    )
    sync_points.create(context, stack_id, 't3', [])
    point = sync_points.get(context, '0', 't1', True)
    assert (point.stack_id, point.atomic_key, point.input_data, point.extra_data) == (
        stack_id,
        0,
        {},
        None,
    )
    assert sync_points.get(context, '0', 't1', False) is None
    assert sync_points.update(context, '0', 't1', True, 0, {'a': 1})
    assert not sync_points.update(context, '0', 't1', True, 0, {'b': 2})
    assert sync_points.get(context, '0', 't1', True).input_data == {'a': 1}
    assert sync_points.delete(context, stack_id, 't1') == 4
    assert sync_points.get(context, '0', 't2', True).extra_data == {'x': 1}


def test_concurrent_updates_are_not_lost(database, context, make_stack):
    sync_points.create(context, make_stack(), 't', [{'entity_id': 'meeting', 'is_update': True}])

    def bring(name):
        while True:
            point = sync_points.get(context, 'meeting', 't', True)
            if sync_points.update(
                context, 'meeting', 't', True, point.atomic_key, {**point.input_data, name: 1}
            ):
                return

    threads = [threading.Thread(target=bring, args=(f'n{number}',)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sync_points.get(context, 'meeting', 't', True).input_data == {
        f'n{number}': 1 for number in range(6)
    }
