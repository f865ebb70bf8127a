from heat_lite.db import snapshots
from tests import databases


def test_snapshot_is_created_updated_and_deleted(database, context, other, make_stack):
    stack_id, another = make_stack('one'), make_stack('two')
    first = snapshots.create(
        context, {'stack_id': stack_id, 'name': 's', 'status': 'IN_PROGRESS', 'action': 'SNAPSHOT'}
    )
    second = snapshots.create(context, {'stack_id': stack_id, 'data': {'resources': {'😀': 1}}})
    snapshots.create(context, {'stack_id': another})
    assert {row.id for row in snapshots.list_rows(stack_id)} == {first, second}
    assert snapshots.count(stack_id) == 2
    row = snapshots.get(context, first)
    assert (row.name, row.status, row.tenant, row.stack_id) == (
        's',
        'IN_PROGRESS',
        'tenant',
        stack_id,
    )
    assert snapshots.get(other, first) is None
    assert snapshots.get(context, second).data == {'resources': {'😀': 1}}
    assert snapshots.update(first, {'status': 'COMPLETE', 'status_reason': 'r' * 1000})
    assert snapshots.get(context, first).status == 'COMPLETE'
    assert snapshots.delete(first) and not snapshots.delete(first)
    assert not snapshots.update(first, {'status': 'FAILED'})
    assert snapshots.count(stack_id) == 1


def test_snapshots_of_resources_are_deleted_with_their_snapshot(database, context, make_stack):
    snapshot_id = snapshots.create(context, {'stack_id': make_stack()})
    databases.add_snapshot_part(context, snapshot_id, 'web', {'image': 'i'})
    databases.add_snapshot_part(context, snapshot_id, 'disk', None)
    assert databases.snapshot_parts(context, snapshot_id) == [
        ('disk', None),
        ('web', {'image': 'i'}),
    ]
    assert snapshots.delete(snapshot_id)
    assert databases.snapshot_parts(context, snapshot_id) == []


def test_resources_that_heat_saved_in_rows_of_their_own_are_in_the_document(
    database, context, make_stack
):
    stack_id = make_stack()
    document = {'name': 's', 'resources': {}}
    heats = snapshots.create(context, {'stack_id': stack_id, 'data': document})
    saved = {'disk': {'resource_data': {'backup_id': 'b'}}, 'web': {'resource_data': {}}}
    for name, data in saved.items():
        databases.add_snapshot_part(context, heats, name, data)
    begun = snapshots.create(context, {'stack_id': stack_id, 'data': document})
    assert snapshots.get(context, heats).data == {'name': 's', 'resources': saved}
    found = {row.id: row.data['resources'] for row in snapshots.list_rows(stack_id)}
    assert found == {heats: saved, begun: {}}
