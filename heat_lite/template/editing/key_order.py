"""The usual order of the keys of a template, and moving the lines of entries into it.

An entry moves with the comments above it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from heat_lite.common.value_types import Value
from heat_lite.template import dialects
from heat_lite.template.editing.lines import Part, indent_of, is_blank, is_comment, read

_TOP = (
    'heat_template_version AWSTemplateFormatVersion HeatTemplateFormatVersion description'
    ' moved parameter_groups parameters mappings conditions resources outputs'
).split()
#: {section: the order of the keys of its entries}
_ENTRIES = {
    'parameters': 'type label description default hidden immutable tags constraints'.split(),
    'resources': (
        'type description condition external_id import depends_on properties metadata update_policy'
        ' deletion_policy lifecycle'
    ).split(),
    'outputs': 'description condition value'.split(),
    'parameter_groups': 'label description parameters'.split(),
}
_CFN_PARAMETER = (
    'Type Label Description Default NoEcho AllowedValues AllowedPattern MinLength MaxLength'
    ' MinValue MaxValue ConstraintDescription'
).split()


class Order(NamedTuple):
    """The order of the keys at the top, and ``{section: order of the keys of its entries}``."""

    top: Sequence[str]
    entries: Mapping[str, Sequence[str]]


def order_of(data: Mapping) -> Order | None:
    """Return the order for a template, None for another document."""
    if 'heat_template_version' in data:
        return Order(_TOP, _ENTRIES)
    if any(key in data for key in _TOP[:3]):
        cfn = dialects.CFN
        top = [cfn.sections.get(name, name) for name in _TOP]
        entries = {
            'Parameters': _CFN_PARAMETER,
            'Resources': [cfn.resource.get(name, '') for name in _ENTRIES['resources']],
            'Outputs': [cfn.output[name] for name in _ENTRIES['outputs']],
        }
        return Order(top, entries)
    return None


def sorted_keys(keys: Iterable[str], order: Sequence[str]) -> list[str]:
    """Return keys in an order; unknown ones follow in their own order."""
    rank = {name: index for index, name in enumerate(order)}
    return sorted(keys, key=lambda key: rank.get(key, len(rank)))


def sorted_data(data: dict, order: Order) -> dict:
    """Return a template with its keys in order."""
    done = {key: data[key] for key in sorted_keys(data, order.top)}
    for section, keys in order.entries.items():
        if isinstance(done.get(section), dict):
            done[section] = {
                name: _sorted_entry(each, keys) for name, each in done[section].items()
            }
    return done


def _sorted_entry(entry: Value, order: Sequence[str]) -> Value:
    if not isinstance(entry, dict):
        return entry
    return {key: entry[key] for key in sorted_keys(entry, order)}


def reorder(lines: list[str], order: Order) -> list[str]:
    """Return the lines of a text with its entries in order, and an empty line between sections."""
    top = read(lines)
    if top is None or not _is_sortable(top, lines):
        return list(lines)
    done = list(lines)
    for key, section in top.pairs():
        keys = order.entries.get(key.event.value)
        if keys is None or not section.is_block:
            continue
        values = section.children[1::2] if section.is_map else section.children
        for entry in values:
            if _is_sortable(entry, lines):
                _sort(done, entry, keys)
    _sort(done, top, order.top, is_top=True)
    return done


def _is_sortable(part: Part, lines: list[str]) -> bool:
    """Whether each entry of a map begins a line of its own."""
    return (
        part.is_block
        and part.is_map
        and all(is_blank(lines[key.line][: key.column]) for key, _ in part.pairs())
    )


class _Segment(NamedTuple):
    """The lines of one entry; ``above``: the empty lines in front of it."""

    key: str
    above: list[str]
    lines: list[str]


def _sort(lines: list[str], part: Part, order: Sequence[str], is_top: bool = False) -> None:
    """Sort the entries of a map. The map keeps its range within ``lines``."""
    pairs = part.pairs()
    if not pairs:
        return
    first = start = _first_line(lines, pairs[0][0])
    segments = []
    for index, (key, value) in enumerate(pairs):
        last = max(key.line, value.last_line())
        limit = pairs[index + 1][0].line if index + 1 < len(pairs) else len(lines)
        while last + 1 < limit and _belongs_to_block(lines[last + 1], key.column):
            last += 1
        above = start
        while is_blank(lines[above]):
            above += 1
        segments.append(_Segment(key.event.value, lines[start:above], lines[above : last + 1]))
        start = last + 1
    rank = {name: number for number, name in enumerate(order)}
    in_order = sorted(segments, key=lambda each: rank.get(each.key, len(rank)))
    if is_top:
        gaps = [segments[0].above, *([''] for _ in segments[1:])]
    else:
        gaps = [each.above for each in segments]
    lines[first:start] = [
        line for gap, each in zip(gaps, in_order, strict=True) for line in (*gap, *each.lines)
    ]


def _first_line(lines: list[str], key: Part) -> int:
    """Return the first line of the comment above the first key of a map."""
    line = key.line
    while line > 0 and is_comment(lines[line - 1]) and indent_of(lines[line - 1]) == key.column:
        line -= 1
    return line


def _belongs_to_block(line: str, column: int) -> bool:
    """Whether a line below an entry is a comment that ends the block of the entry."""
    return is_comment(line) and indent_of(line) > column
