"""What an action will do, as a graph: a pure function of the rows that are there and the resources that are wanted.

No rows: create. Nothing wanted: delete. Both: update, rollback, restore.
"""

import typing


class Node(typing.NamedTuple):
    """``Node(name, True)`` makes the resource of that name so; ``Node(row id, False)`` takes that row away."""

    key: str | int
    forward: bool


def build(rows, wanted):
    """``{node: nodes that come first}``.

    ``rows`` have ``id``, ``name`` and ``requires`` (ids of rows); ``wanted`` is ``{name: names that it requires}``.

    The edges of an update in which ``b`` requires ``a``, and both are there already::

        make a --> make b --> take b's old row --> take a's old row
    """
    plan = {Node(name, True): {Node(required, True) for required in requires} for name, requires in wanted.items()}
    there = {row.id for row in rows}
    for row in rows:
        away = plan.setdefault(Node(row.id, False), set())
        if row.name in wanted:
            away.add(Node(row.name, True))  # first the new, then away with the old
        for needed in row.requires or ():
            if needed in there:
                plan.setdefault(Node(needed, False), set()).add(Node(row.id, False))  # first its users
    return plan


def forward(wanted):
    """Only the making: what check and resume walk."""
    return build((), wanted)


def backward(rows):
    """Only the taking away: what suspend, snapshot and delete walk."""
    return build(rows, {})
