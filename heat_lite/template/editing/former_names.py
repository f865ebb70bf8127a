"""The section ``moved`` of our own version: the names that the resources of a template had.

A name may be a path: of a member of a group, or a resource of a nested stack.
"""

from collections.abc import Collection, Iterator, Mapping

from heat_lite.common import exception
from heat_lite.common.value_texts import as_json
from heat_lite.common.value_types import Value
from heat_lite.template.checks import Violation


def violations(value: Value, declared: Collection[str]) -> Iterator[Violation]:
    """Yield what is wrong with ``moved``: each entry leads from a former name to a resource.

    It may lead there by further entries.
    """
    ends: dict[str, str] = {}
    places: dict[str, int] = {}
    if not isinstance(value, list):
        text = f'moved must be a list of moves, not {as_json(value)}'
        yield Violation('moved', (), exception.StackValidationFailed(text))
        return
    for index, each in enumerate(value):
        pair = each if isinstance(each, dict) else {}
        source, to = pair.get('from'), pair.get('to')
        if len(pair) != 2 or not isinstance(source, str) or not isinstance(to, str):
            yield _no_move(index, f'A move is {{from: NAME, to: NAME}}, not {as_json(each)}')
        elif source in ends:
            yield _no_move(index, f'"{source}" moves twice')
        elif source in declared:
            text = f'"{source}" is the name of a resource now: no former name moves from there'
            yield _no_move(index, text)
        elif '' in source.split('/'):
            yield _no_move(index, f'"{source}" is no name of a resource, and no path to one')
        else:
            ends[source], places[source] = to, index
    for source, index in places.items():
        to = _end(source, ends)
        if to.partition('/')[0] not in declared or '' in to.split('/'):
            yield _no_move(index, f'There is no resource "{to}" to move to')


def _no_move(index: int, text: str) -> Violation:
    return Violation('moved', (index,), exception.StackValidationFailed(text))


def valid(value: list[Value], declared: Collection[str]) -> list[Value]:
    """Return the entries that are right for these resources."""
    wrong = {violation.path for violation in violations(value, declared)}
    return [each for index, each in enumerate(value) if (index,) not in wrong]


def targets(value: list[Value]) -> dict[str, str]:
    """Return ``{former name: name}`` of a section without violations."""
    ends = {each['from']: each['to'] for each in value}
    return {source: _end(source, ends) for source in ends}


def _end(name: str, ends: Mapping[str, str]) -> str:
    """Return the name to which the entries lead; each of them is used once."""
    for _ in ends:
        name = ends.get(name, name)
    return name
