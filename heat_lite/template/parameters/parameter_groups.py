"""The rules about parameter groups."""

from collections.abc import Collection, Iterator, Mapping

from heat_lite.common import exception
from heat_lite.common.value_texts import bare
from heat_lite.common.value_types import Value
from heat_lite.template.checks import Violation, below
from heat_lite.template.suggest import with_suggestion


def check(groups: Value, names: Collection[str]) -> Iterator[Violation]:
    """Yield the violations in groups: they list declared parameters, none of them twice.

    A template without groups is valid.
    """
    if not groups:
        return
    if not isinstance(groups, list):
        yield _violation('The parameter_groups should be a list.')
        return
    seen: set[str] = set()
    for index, group in enumerate(groups):
        yield from below((index,), _check_group(group, names, seen))


def _check_group(group: Value, names: Collection[str], seen: set[str]) -> Iterator[Violation]:
    if not isinstance(group, Mapping):
        # Heat raises AttributeError here, and clients see the name of the class
        error = AttributeError('A parameter group should be a map.')
        yield Violation('parameter-groups', (), error)
        return
    path, listed = _path(group.get('label', '')), group.get('parameters')
    if listed is None:
        yield _violation('The parameters must be provided for each parameter group.', path)
    elif not isinstance(listed, list):
        yield _violation('The parameters of parameter group should be a list.', path)
    else:
        yield from _check_names(listed, path, names, seen)


def _check_names(
    listed: list[Value], path: tuple, names: Collection[str], seen: set[str]
) -> Iterator[Violation]:
    for name in listed:
        if not isinstance(name, str) or name not in names:
            text = f'The grouped parameter {bare(name)} does not reference a valid parameter.'
            yield _violation(with_suggestion(text, name, names), path)
        elif name in seen:
            text = f'The {name} parameter must be assigned to one parameter group only.'
            yield _violation(text, path)
        else:
            seen.add(name)


def _path(label: Value) -> tuple:
    """Return the path of a group for errors; without a label it ends in a dot, as in Heat."""
    return ('parameter_groups', bare(label)) if label else ('parameter_groups.',)


def _violation(text: str, path: tuple = ('parameter_groups',)) -> Violation:
    error = exception.StackValidationFailed(text, error='Parameter Groups error', path=path)
    return Violation('parameter-groups', (), error)
