"""Templates with their environments and files. They never change: the same content is one row, however many stacks are made of it."""

import datetime
import json
import typing

from sqlalchemy import func, select, update

from heat_lite.db import batch, models, seals, session
from heat_lite.db.types import row_type, utcnow

# how often the use of an old row is noted
FRESH = datetime.timedelta(hours=1)


_TemplateRow: typing.Any = row_type('id', 'template', 'environment', 'files')


class TemplateRow(_TemplateRow):
    """A template with all that belongs to it."""

    __slots__ = ()


_T, _F = models.raw_template, models.raw_template_files
_GET = select(_T.c.id, _T.c.template, _T.c.environment, func.coalesce(_F.c.files, _T.c.files, type_=_T.c.files.type)).outerjoin(_F)


@session.writer
def store(context, template: dict, environment: dict | None = None, files: dict | None = None) -> int:
    """The id of the row with this content, new or not.

    Until the caller's transaction ends the row cannot be purged; so a stack is best created in the same one.
    """
    files = dict(files or {})
    content: dict = {'template': template, 'environment': environment or {}}
    digest = _digest([content, files])
    found = _find(_T, digest)
    if found is not None:
        return found
    content['files_id'] = _files_id(files) if files else None
    return _once(_T, digest, content)


@session.writer
def store_all(context, contents: list[tuple]) -> list[int]:
    """The ids for many contents, each what ``store`` takes, with as few statements as for one."""
    files = [dict(each[2] or {}) for each in contents]
    wanted = [{'template': template, 'environment': environment or {}} for template, environment, *_ in contents]
    digests = [_digest(each) for each in zip(wanted, files, strict=True)]
    known = _find_all(_T, digests)
    new = {digest: number for number, digest in enumerate(digests) if digest not in known}
    if new:
        ids = _files_ids([files[number] for number in new.values()])
        rows = [{**wanted[number], 'files_id': files_id} for number, files_id in zip(new.values(), ids, strict=True)]
        known.update(_once_all(_T, dict(zip(new, rows, strict=True))))
    return [known[digest] for digest in digests]


def _files_ids(all_files):
    digests = [_digest(files) if files else None for files in all_files]
    wanted = {digest: {'files': files} for digest, files in zip(digests, all_files, strict=True) if files}
    known = _find_all(_F, wanted)
    known.update(_once_all(_F, {digest: row for digest, row in wanted.items() if digest not in known}))
    return [known.get(digest) for digest in digests]


@session.reader
def get(context, template_id: int) -> TemplateRow | None:
    row = session.execute(_GET.where(_T.c.id == template_id)).first()
    return row and TemplateRow(row[0], row[1], row[2] or {}, row[3] or {})


@session.reader
def find(context, template: dict, environment: dict | None = None, files: dict | None = None) -> int | None:
    """The id under which ``store`` keeps this content already; None where it does not."""
    digest = _digest([{'template': template, 'environment': environment or {}}, dict(files or {})])
    return session.execute(select(_T.c.id).where(_T.c.content_hash == digest)).scalar()


def _files_id(files):
    digest = _digest(files)
    found = _find(_F, digest)
    return _once(_F, digest, {'files': files}) if found is None else found


def _digest(content):
    # in the order of its keys: resources are shown in that order
    return seals.digest(json.dumps(content))


def _find(table, digest):
    """The id of the row, which is held until the transaction ends, and marked as fresh: the purge goes by that."""
    return _find_all(table, [digest]).get(digest)


def _find_all(table, digests):
    """``{digest: id}`` of those that are there."""
    if not digests:
        return {}
    columns = table.c.content_hash, table.c.id, func.coalesce(table.c.updated_at, table.c.created_at)
    query = select(*columns).where(table.c.content_hash.in_(sorted(digests)))
    found = session.execute(query.with_for_update(read=True, key_share=True)).all()
    stale = [row.id for row in found if utcnow() - row[2] > FRESH]
    if stale:
        session.execute(update(table).where(table.c.id.in_(stale)).values(updated_at=utcnow()))
    return {row.content_hash: row.id for row in found}


def _once_all(table, wanted):
    """Insert ``{digest: row}``, unless they are there by now. Gives ``{digest: id}``."""
    found = {}
    while missing := [{**wanted[digest], 'content_hash': digest} for digest in sorted(wanted) if digest not in found]:
        session.execute(batch.insert_or_ignore(table), missing)
        found.update(_find_all(table, wanted))
    return found


def _once(table, digest, values):
    """Insert, unless it is there by now."""
    found = None
    while found is None:
        done = session.execute(batch.insert_or_ignore(table), {**values, 'content_hash': digest})
        found = done.inserted_primary_key[0] if done.rowcount == 1 else _find(table, digest)
    return found
