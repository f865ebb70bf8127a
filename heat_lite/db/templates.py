"""Templates with their environments and files.

Rows are immutable and deduplicated: stacks with the same content share one row.
"""

import datetime
import json
import typing
from collections.abc import Collection, Mapping

from sqlalchemy import Table, func, select

from heat_lite.common.value_types import Row, Value, without_none
from heat_lite.db import batch, encryption, models, session
from heat_lite.db.column_types import utcnow

# Interval at which the use of an existing row is recorded, for the purge.
FRESH = datetime.timedelta(hours=1)


class TemplateRow(typing.NamedTuple):
    """A template with its environment, its files, and its text if it came as one."""

    id: int
    template: dict
    environment: dict
    files: dict
    text: str | None


_T, _F = models.raw_template.c, models.raw_template_files.c
_GET = select(
    _T.id,
    _T.template,
    _T.environment,
    func.coalesce(_F.files, _T.files, type_=_T.files.type),
    _T.text,
).outerjoin(models.raw_template_files)


def store(*content: Value) -> int:
    """Return the id of the row with this content; insert it if there is none.

    ``content``: the template, and if there are the environment, the files, and the text. The row
    cannot be purged before the end of the transaction, so the stack that refers to it should be
    created in the same one.
    """
    return store_all([content])[0]


@session.repeatable_writer
def store_all(contents: list[tuple]) -> list[int]:
    """Store many contents, each (template, environment, files, text), and return their ids.

    It takes as many statements as one content.
    """
    keyed = [_keyed(*each) for each in contents]
    known = _find_all(models.raw_template, [digest for digest, *_ in keyed])
    new = {digest: (row, files) for digest, row, files in keyed if digest not in known}
    if new:
        ids = _files_ids([files for _, files in new.values()])
        rows = [
            {**row, 'files_id': files_id}
            for (row, _), files_id in zip(new.values(), ids, strict=True)
        ]
        known.update(_insert_missing(models.raw_template, dict(zip(new, rows, strict=True))))
    return [known[digest] for digest, *_ in keyed]


def _files_ids(all_files: list[dict]) -> list[int | None]:
    digests = [_digest(files) for files in all_files]
    wanted = {
        digest: {'files': files} for digest, files in zip(digests, all_files, strict=True) if files
    }
    known = _find_all(models.raw_template_files, wanted)
    known.update(
        _insert_missing(
            models.raw_template_files,
            {digest: row for digest, row in wanted.items() if digest not in known},
        )
    )
    return [known.get(digest) for digest in digests]


@session.reader
def get(template_id: int) -> Row:
    """Return the TemplateRow of this id, or None."""
    row = session.first(_GET.where(_T.id == template_id))
    return row and TemplateRow(
        row[0], row[1], encryption.decrypt_parameters(row[2]), row[3] or {}, row[4]
    )


@session.reader
def find(*content: Value) -> int | None:
    """Return the id of the row with this content, or None."""
    digest = _keyed(*content)[0]
    return session.scalar(select(_T.id).where(_T.content_hash == digest))


def _keyed(
    template: dict,
    environment: dict | None = None,
    files: dict | None = None,
    text: str | None = None,
) -> tuple[str, dict, dict]:
    """Return the digest of a content, its row, and its files."""
    row = {'template': template, 'environment': environment or {}, 'text': text}
    files = dict(files or {})
    # a template without a text keeps the digest that it had before there were texts
    return (
        _digest([without_none(row), files]),
        row,
        files,
    )


def _digest(content: Value) -> str:
    # Keys are not sorted: the API shows resources in the order of the template.
    return encryption.digest(json.dumps(content))


def _find_all(table: Table, digests: Collection[str]) -> dict[str, int]:
    """Return ``{digest: id}`` of existing rows.

    The rows are locked against the purge until the transaction ends, and their use is recorded.
    """
    if not digests:
        return {}
    columns = (
        table.c.content_hash,
        table.c.id,
        func.coalesce(table.c.updated_at, table.c.created_at),
    )
    query = select(*columns).where(table.c.content_hash.in_(sorted(digests)))
    found = session.rows(query.with_for_update(read=True, key_share=True))
    stale = [row.id for row in found if utcnow() - row[2] > FRESH]
    if stale:
        session.update(table, {'updated_at': utcnow()}, table.c.id.in_(stale))
    return {row.content_hash: row.id for row in found}


def _insert_missing(table: Table, wanted: Mapping[str, dict]) -> dict[str, int]:
    """Insert ``{digest: row}`` unless they exist by now, and return ``{digest: id}``."""
    found = {}
    while missing := [
        {**wanted[digest], 'content_hash': digest}
        for digest in sorted(wanted)
        if digest not in found
    ]:
        session.execute(batch.insert_or_ignore(table), missing)
        found.update(_find_all(table, wanted))
    return found
