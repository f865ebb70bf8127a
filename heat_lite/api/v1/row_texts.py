"""The JSON of long lists, written by columns.

A view is called once for a table, with gaps in the place of texts that differ from row to row. The
gaps of its JSON are then filled for each row, which takes a third of the time of views of all rows.
So a view may copy texts and join them in links, but not decide by a text; what it decides by, such
as ``nested_stack_id``, is a map or a key that all rows of a table have in common. Rows with
texts that links quote have their views one by one.
"""

import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from json.encoder import encode_basestring_ascii

from heat_lite.api import wsgi
from heat_lite.common.value_texts import to_json
from heat_lite.common.value_types import Value, Values
from heat_lite.rpc import tables

View = Callable[[Values], Values]
#: texts that neither links nor JSON quote
PLAIN = re.compile(r'[A-Za-z0-9_.~-]*')
#: the mark of gaps: a plain text that no other text contains
MARK = f'~{uuid.uuid4().hex}.'
#: a gap that is a whole text of JSON, or a part of one
GAP = re.compile(rf'"{re.escape(MARK)}(\d+)~"|{re.escape(MARK)}(\d+)~')
#: the column of paths such as ``/resources/NAME``, from which views take parts
PATH = 'path'


def response(name: str, reply: Value, view: View) -> Value:
    """Return the response ``{name: views}`` to a list of the engine: rows or tables."""
    if not tables.is_packed(reply):
        return {name: [view(row) for row in reply]}
    texts: list[str] = []
    for table in reply['tables']:
        texts += _texts(table, view)
    return wsgi.JsonText(f'{{"{name}": [{", ".join(texts)}]}}')


def _texts(table: tables.Table, view: View) -> Iterable[str]:
    """Return the JSON of the view of each row."""
    columns: list[Sequence[Value]] = []
    row = _with_gaps(table, columns)
    form = to_json(view(row)).replace('%', '%%')
    cells = []
    for gap in GAP.finditer(form):
        values = columns[int(gap[1] or gap[2])]
        if gap[2] and not _are_plain(values):
            return [to_json(view(row)) for row in tables.rows(table)]
        cells.append(values if gap[2] else _json_of_each(values))
    values_of_rows = zip(*cells, strict=True) if cells else [()] * table[0]
    return map(GAP.sub('%s', form).__mod__, values_of_rows)


def _with_gaps(table: tables.Table, columns: list[Sequence[Value]]) -> Values:
    """Return a row with gaps; append the values of each gap to ``columns``."""
    return {key: _gap(key, column, columns) for key, column in table[1].items()}


def _gap(key: str, column: tables.Column, columns: list[Sequence[Value]]) -> Value:
    if tables.ALL in column:
        return column[tables.ALL]
    if tables.ROWS in column:
        return _with_gaps(column[tables.ROWS], columns)
    values = column[tables.EACH]
    if key != PATH:
        return _new_gap(values, columns)
    parts = zip(*(path.split('/') for path in values), strict=False)
    return '/'.join(
        part[0] if part.count(part[0]) == len(part) else _new_gap(part, columns) for part in parts
    )


def _new_gap(values: Sequence[Value], columns: list[Sequence[Value]]) -> str:
    columns.append(values)
    return f'{MARK}{len(columns) - 1}~'


def _are_plain(values: Sequence[Value]) -> bool:
    """Return whether all are plain texts, and none is empty."""
    return all(values) and {*map(type, values)} == {str} and bool(PLAIN.fullmatch(''.join(values)))


def _json_of_each(values: Sequence[Value]) -> Sequence[str]:
    if {*map(type, values)} == {str}:
        return [*map(encode_basestring_ascii, values)]
    return [to_json(value) for value in values]
