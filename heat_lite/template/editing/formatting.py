"""The usual form of a template or an environment: order of keys, indentation, empty lines.

Comments, quotes and short forms are kept. The data of the new text are those of the old one.
"""

import json
from collections.abc import Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import reader
from heat_lite.template.editing import indentation, key_order, lines
from heat_lite.template.editing.key_order import Order
from heat_lite.template.editing.lines import NotFormattable

INDENT = 2


def formatted(text: str) -> str:
    """Return the text in its usual form.

    Raises FormatError for a text that is no template or environment, NotFormattable for one that
    cannot be laid out without a change of its data.
    """
    data = reader.parse(text)
    order = key_order.order_of(data)
    if text.lstrip().startswith('{'):
        done = _formatted_json(text, order)
    else:
        done = _formatted_yaml(text, order)
    if not is_equal(data, _parsed(done)):
        raise NotFormattable('the new text would have other data')
    return done


def is_equal(first: Value, second: Value) -> bool:
    """Whether two documents are equal, also in the types of their values."""
    return _fingerprint(first) == _fingerprint(second)


def _fingerprint(data: Mapping[str, Value]) -> str:
    return json.dumps(data, sort_keys=True)


def _parsed(text: str) -> dict[str, Value]:
    try:
        return reader.parse(text)
    except reader.FormatError as error:
        raise NotFormattable(f'the new text would not be valid: {error}') from None


def _formatted_json(text: str, order: Order | None) -> str:
    """Return JSON with two spaces a level; flow style of YAML stays as it is."""
    try:
        data = json.loads(text, object_pairs_hook=_without_duplicates)
    except json.JSONDecodeError:
        return text
    if order is not None:
        data = key_order.sorted_data(data, order)
    return json.dumps(data, indent=INDENT, ensure_ascii=False) + '\n'


def _without_duplicates(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotFormattable('a map has a key twice')
    return found


def _formatted_yaml(text: str, order: Order | None) -> str:
    found = indentation.reindent(lines.split(text))
    if order is not None:
        found = key_order.reorder(found, order)
    found = _without_last_blank_lines(_with_single_blank_lines(found))
    return '\n'.join(found).lstrip('\n') + '\n'


def _without_last_blank_lines(found: list[str]) -> list[str]:
    """Return the lines without empty ones at the end, except those of a value."""
    top = lines.read([*found, ''])  # the last line ends, too
    last = 0 if top is None else top.last_line()
    end = len(found)
    while end - 1 > last and not found[end - 1]:
        end -= 1
    return found[:end]


def _with_single_blank_lines(found: list[str]) -> list[str]:
    """Return the lines without repeated empty lines, except those inside of values."""
    inside = _lines_of_values(found)
    done: list[str] = []
    for number, line in enumerate(found):
        is_repeated = not line and (not done or not done[-1])
        if not is_repeated or number in inside:
            done.append(line)
    return done


def _lines_of_values(found: list[str]) -> set[int]:
    """Return the numbers of the second and later lines of all scalars and brackets."""
    inside: set[int] = set()
    top = lines.read(found)
    pending = [] if top is None else [top]
    while pending:
        part = pending.pop()
        if part.is_block:
            pending += part.children
        else:
            inside.update(range(part.line + 1, part.end + 1))
    return inside
