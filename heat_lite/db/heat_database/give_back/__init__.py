"""The rows of a database, brought into the form that Heat reads.

Each step is a series of small transactions, and can be interrupted and repeated. No engine may run.
"""

import json
import typing
import uuid
from collections.abc import Collection, Iterator, Sequence

from sqlalchemy import (
    ColumnElement,
    Table,
    Text,
    and_,
    column,
    func,
    insert,
    or_,
    select,
    table,
    true,
    type_coerce,
)

from heat_lite.common import cipher, status
from heat_lite.common.value_types import Value, Values
from heat_lite.db import batch, models, queries, session, traversals
from heat_lite.db.column_types import utcnow
from heat_lite.db.heat_database.give_back import relations
from heat_lite.db.maintenance import reencrypt

_S, _R, _D, _T = models.stack.c, models.resource.c, models.resource_data.c, models.raw_template.c
INTERRUPTED = 'Interrupted, as the database was given back to Heat: update or delete the stack.'
UNHANDLED = 'its signals that are not handled yet are lost: start an engine, which handles them'
UNWATCHED = 'Heat does not have its alarms of type OS::Heat::CWLiteAlarm: remove them first'
UNREADABLE = 'Heat does not have the version of its template: give it one of Heat first'
UNREACHED = 'addresses at the former places of its resources, as of signals, end: Heat has no moves'
UNDONE = 'its former definitions are removed: Heat keeps none'
#: keys of ``resource_data`` of this service, and those of Heat
SIGNAL_URL, TOKEN_URL, HEAT_URL = 'signal_url', 'endpoint', 'heat_signal_url'
TOKEN, USER, PASSWORD = 'token', 'user_id', 'password'
METADATA_URL = 'metadata_put_url'
#: the mark in the metadata of a group that is being scaled, and of one that is not
SCALED, RELEASED = '"scaling_in_progress": true', '"scaling_in_progress": false'
ATTACHMENTS, OWN_PORTS, OTHER_PORTS = 'plugs', 'internal_ports', 'external_ports'


@session.reader
def interrupted() -> list[tuple[typing.Any, str]]:
    """Return (row, consequence) of the stacks whose action has not ended."""
    query = select(_S.id, _S.name, _S.tenant, _S.action).where(*_in_progress())
    return [
        (row, f'its {row.action} has not ended: it becomes FAILED, for Heat to update or delete')
        for row in session.execute(query.order_by(_S.id))
    ]


def _in_progress() -> tuple[ColumnElement[bool], ...]:
    return _S.status == status.IN_PROGRESS, models.ALIVE, models.NO_BACKUP


@session.reader
def losses() -> list[tuple[typing.Any, str]]:
    """Return (row, reason) of the stacks that lose something, because Heat does not have it."""
    columns = select(_S.id, _S.name, _S.tenant).where(models.ALIVE)
    revised = select(models.stack_revision.c.stack_id).where(models.stack_revision.c.number > 1)
    conditions = {
        'it is protected from deletion, and will not be': _S.protected.is_(True),
        UNWATCHED: _S.id.in_(select(models.watch_rule.c.stack_id)),
        UNDONE: _S.id.in_(revised),
        UNREACHED: _S.moved.is_not(None),
        UNHANDLED: _S.id.in_(select(_R.stack_id).join(models.resource_signal)),
    }
    found = [
        (row, reason)
        for reason, condition in conditions.items()
        for row in session.execute(columns.where(condition))
    ]
    written = columns.add_columns(_T.template).join(
        models.raw_template, _T.id == _S.raw_template_id
    )
    for row in session.execute(written):
        if str(row.template.get('heat_template_version')).startswith('heat_lite'):
            found.append((row, UNREADABLE))
    return found


@session.reader
def stacks_without_project(last: str, limit: int) -> list[typing.Any]:
    """Return the (id, tenant) of living top-level stacks after ``last`` without one of users."""
    lacking = _S.stack_user_project_id.is_(None), _S.owner_id.is_(None)
    query = select(_S.id, _S.tenant).where(*lacking, models.ALIVE, _S.id > last)
    return list(session.rows(query.order_by(_S.id).limit(limit)))


def convert(keys: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Convert all rows; yield (what, number of changed rows) for each step.

    ``keys`` are auth_encryption_key and the keys before it. Heat reads only what the first one
    has encrypted. ``reencrypt.undecryptable`` must have found nothing.
    """
    yield 'stack, resource, snapshot: interrupted actions set to FAILED', _fail_interrupted()
    yield 'stack_revision: former definitions removed', relations.forget_revisions()
    yield 'stack: templates before the last action removed', relations.forget_previous_templates()
    # before the values, since the copies are encrypted if parameters are
    yield 'snapshot: rows added for what resources have saved', relations.part_snapshots()
    yield 'raw_template: templates copied for each stack', _unshare_templates()
    # before the secrets: those that Heat reads as they are become plain with the properties
    yield 'resource_data: URLs for metadata made plain', _reveal_urls()
    target = reencrypt.Target(False, keys, method=cipher.HEAT_METHOD, checked=True)
    for name, count in reencrypt.reencrypt_tables(target, relations.BATCH):
        yield f'{name}: values re-encrypted or decrypted', count
    yield 'resource_data: URLs of signals renamed', _rename_signal_urls()
    yield 'resource_data: ids of stack users added', _add_user_ids()
    yield 'resource_data: ports of servers renamed', _rename_ports()
    yield 'resource: groups whose scaling was interrupted released', _release_groups()
    yield 'stack: stacks of this service marked for the convergence engine', _mark_convergence()
    yield 'resource: replaced rows related to their replacements', relations.relate_replacements()
    yield 'stack: stacks without a login given an empty one', relations.add_logins()
    yield 'stack: nested stacks with the users and the login of their root', _share_users()
    yield 'locks and engines of this service removed', _remove_engines()


# --------------------------------------------------------------- data of resources


@session.writer
def _rename_signal_urls() -> int:
    """Heat stores the URL of TOKEN_SIGNAL, which has a token, by another key than others."""
    with_token = select(_D.resource_id).where(_D.key == TOKEN)
    ids = session.scalars(with_token)
    count = 0
    for chosen in queries.any_of(_D.resource_id, ids):
        count += session.update(
            models.resource_data, {'key': TOKEN_URL}, _D.key == SIGNAL_URL, chosen
        )
    return count + session.update(models.resource_data, {'key': HEAT_URL}, _D.key == SIGNAL_URL)


@session.writer
def _reveal_urls() -> int:
    """Heat sends metadata to the stored text of the URL, and decrypts nothing."""
    secret = _D.key == METADATA_URL, _D.redact.is_(True)
    return session.update(models.resource_data, {'redact': False}, *secret)


@session.writer
def _add_user_ids() -> int:
    """Heat finds the user of a resource by its data, even where it is the id of the resource."""
    known = select(_D.resource_id).where(_D.key == USER)
    users = (
        select(_R.id, _R.nova_instance)
        .join(models.resource_data, _D.resource_id == _R.id)
        .where(_D.key == PASSWORD, _R.nova_instance.is_not(None), _R.id.not_in(known))
    )
    rows = [_data(resource_id, USER, user_id) for resource_id, user_id in session.rows(users)]
    batch.insert(insert(models.resource_data), rows)
    return len(rows)


@session.writer
def _rename_ports() -> int:
    """Heat stores the ports that it has made for a server and other ports in two lists."""
    found = session.rows(select(_D.id, _D.resource_id, _D.value).where(_D.key == ATTACHMENTS))
    for row in found:
        lists: dict[str, list] = {OWN_PORTS: [], OTHER_PORTS: []}
        for _, port, own in json.loads(row.value or '[]'):
            if port:
                lists[OWN_PORTS if own else OTHER_PORTS].append({'id': port})
        old = _D.key.in_([ATTACHMENTS, *lists]), _D.resource_id == row.resource_id
        session.delete(models.resource_data, *old)
        rows = [_data(row.resource_id, key, json.dumps(ports)) for key, ports in lists.items()]
        session.execute(insert(models.resource_data), rows)
    return len(found)


def _data(resource_id: int, key: str, value: Value) -> Values:
    return {
        'resource_id': resource_id,
        'key': key,
        'value': value,
        'redact': False,
        reencrypt.METHOD: '',
        'created_at': utcnow(),
    }


# --------------------------------------------------------------- templates

_REFERENCES = (
    (_S.raw_template_id, _S.id),
    (_S.prev_raw_template_id, _S.id),
    (_R.current_template_id, _R.stack_id),
)


def _unshare_templates() -> int:
    """Give each stack templates of its own: Heat deletes them together with the stack."""
    return relations.by_ids(models.raw_template, true(), _unshare)


def _unshare(ids: Collection[int | str]) -> int:
    users: dict[int, set[str]] = {}
    for template, stack in _REFERENCES:
        pairs = select(template, stack).where(template.in_(ids)).distinct()
        for template_id, stack_id in session.execute(pairs):
            users.setdefault(template_id, set()).add(stack_id)
    copies = [
        (template_id, stack_id)
        for template_id, stack_ids in sorted(users.items())
        for stack_id in sorted(stack_ids)[1:]
    ]
    for template_id, stack_id in copies:
        _copy_template(template_id, stack_id)
    return len(copies)


def _copy_template(template_id: int, stack_id: str) -> None:
    names = [name for name in _T.keys() if name not in ('id', reencrypt.HASH)]
    # Columns without types: those of the models would encrypt the copy.
    plain = table(models.raw_template.name, column('id'), *map(column, names))
    row = session.execute(
        select(*(plain.c[name] for name in names)).where(plain.c.id == template_id)
    )
    values = dict(row.one()._mapping)
    copy = session.insert_row(models.raw_template, {'template': {}})
    session.update(plain, values, plain.c.id == copy)
    for template, stack in _REFERENCES:
        chosen = (template == template_id) & (stack == stack_id)
        relations.change(template.table, chosen, {template.name: copy})


# --------------------------------------------------------------- stacks and engines


def _mark_convergence() -> int:
    """Mark the stacks whose last action was of this service: their rows have what the convergence
    engine of Heat needs. Those that only the legacy engine has changed remain legacy stacks.
    """
    ours = (
        _S.digest.is_not(None),
        models.ALIVE,
        models.NO_BACKUP,
        _S.convergence.is_not(True),
    )
    return relations.by_ids(models.stack, and_(*ours), _mark_batch)


def _mark_batch(ids: Collection[str]) -> int:
    for stack_id in ids:
        values = {'convergence': True, 'current_traversal': str(uuid.uuid4())}
        # Heat reads the graph to show resources that the last update has not come to
        values['current_deps'] = traversals.deps_of_rows(stack_id)
        relations.change(models.stack, _S.id == stack_id, values)
    return len(ids)


def _share_users() -> int:
    """Heat stores the project of a tree's users and its credentials with each of its stacks.

    Without them it would make others for a nested stack and leave them behind.
    """
    count = 0
    # the children of each level follow those of the level above
    while changed := _share_users_batch():
        count += changed
    return count


@session.writer
def _share_users_batch() -> int:
    parent = models.stack.alias('parent')
    names = ('stack_user_project_id', 'user_creds_id')
    lacking = or_(*(_S[name].is_(None) & parent.c[name].is_not(None) for name in names))
    query = (
        select(_S.id, *(func.coalesce(_S[name], parent.c[name]).label(name) for name in names))
        .join(parent, parent.c.id == _S.owner_id)
        .where(models.ALIVE, lacking)
    )
    rows = session.rows(query.limit(relations.BATCH))
    for row in rows:
        relations.change(
            models.stack, _S.id == row.id, {name: getattr(row, name) for name in names}
        )
    return len(rows)


def _fail_interrupted() -> int:
    """Heat refuses to change stacks, resources and snapshots that are in progress.

    Resources of backup stacks count, too. Heat keeps the backup stacks themselves in progress.
    """
    living = select(_S.id).where(models.ALIVE)
    snapshot = models.snapshot
    return (
        _fail(models.resource, _R.stack_id.in_(living))
        + _fail(snapshot, snapshot.c.stack_id.in_(living))
        + _fail(models.stack, *_in_progress())
    )


def _fail(table: Table, *conditions: ColumnElement[bool]) -> int:
    unfinished = and_(table.c.status == status.IN_PROGRESS, *conditions)
    return relations.by_ids(table, unfinished, lambda ids: _fail_batch(table, ids))


def _fail_batch(table: Table, ids: Collection[int | str]) -> int:
    values = {'status': status.FAILED, 'status_reason': INTERRUPTED}
    relations.change(table, table.c.id.in_(ids), values)
    if table is models.stack:
        session.delete(models.sync_point, models.sync_point.c.stack_id.in_(ids))
    return len(ids)


def _release_groups() -> int:
    """Heat refuses to scale a group that is being scaled. The metadata is plain by now."""
    marked = type_coerce(_R.rsrc_metadata, Text).like(f'%{SCALED}%')
    return relations.by_ids(models.resource, marked, _release_batch)


def _release_batch(ids: Collection[int | str]) -> int:
    query = select(_R.id, _R.rsrc_metadata).where(_R.id.in_(ids))
    for row in session.rows(query):
        metadata = json.loads(json.dumps(row.rsrc_metadata).replace(SCALED, RELEASED))
        relations.change(models.resource, _R.id == row.id, {'rsrc_metadata': metadata})
    return len(ids)


@session.writer
def _remove_engines() -> int:
    count = session.delete(models.stack_lock)
    relations.change(models.resource, _R.engine_id.is_not(None), {'engine_id': None})
    return count + session.delete(models.service)
