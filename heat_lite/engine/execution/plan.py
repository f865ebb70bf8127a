"""The plan of an action: a graph, built from the stored rows and the wanted resources alone.

Without rows it is a create, without wanted resources a delete, with both an update, a rollback or
a restore.
"""

import typing
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from heat_lite.template import dependencies

if TYPE_CHECKING:
    from heat_lite.engine.resource.record import Record


class Node(typing.NamedTuple):
    """``Node(name, True)`` applies a definition; ``Node(row id, False)`` deletes a row."""

    key: typing.Any
    forward: bool


#: the nodes that come before each node
Graph = dict[Node, set[Node]]
Names = Collection[str]


def build(rows: 'Collection[Record]', wanted: Mapping[str, Names]) -> Graph:
    """``{node: nodes that come first}``.

    ``rows`` have ``id``, ``name`` and ``requires`` (ids of rows); ``wanted`` is
    ``{name: names that it requires}``.

    The edges of an update in which ``b`` requires ``a``, and both have rows::

        apply a --> apply b --> delete b's old row --> delete a's old row
    """
    plan = {
        Node(name, True): {Node(required, True) for required in requires}
        for name, requires in wanted.items()
    }
    row_ids = {row.id for row in rows}
    for row in rows:
        before = plan.setdefault(Node(row.id, False), set())
        if row.name in wanted:
            # the old row is deleted after the new one is in use
            before.add(Node(row.name, True))
        for needed in row.requires or ():
            if needed in row_ids:
                # a row is deleted after the rows that require it
                plan.setdefault(Node(needed, False), set()).add(Node(row.id, False))
    return plan


def with_order(wanted: Mapping[str, Names], pairs: Iterable[tuple[str, str]]) -> dict[str, Names]:
    """Return ``wanted`` with further requirements: in each pair, the first requires the second.

    A pair that would close a circle is left out.
    """
    result = dict(wanted)
    for later, earlier in pairs:
        closes = later == earlier or later in dependencies.reached(result, [earlier])
        if later in result and earlier in result and not closes:
            result[later] = {*result[later], earlier}
    return result


def forward(wanted: Mapping[str, Names]) -> Graph:
    """The plan of CHECK, RESUME and SNAPSHOT: each resource after those that it requires."""
    return build((), wanted)


def backward(rows: 'Collection[Record]') -> Graph:
    """The plan of SUSPEND: each row after those that require it."""
    return build(rows, {})
