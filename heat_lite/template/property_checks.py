"""The rules about the names of properties that the engine and the linter share (see ``checks``)."""

from collections.abc import Iterable, Iterator, Mapping

from heat_lite.common import exception
from heat_lite.template.checks import Violation
from heat_lite.template.suggest import suggest

PROPERTY_ERROR = 'Property error'


def property_error(
    text: str, path: tuple = (), subject: str | None = None
) -> exception.StackValidationFailed:
    return exception.StackValidationFailed(text, PROPERTY_ERROR, path, subject=subject)


def property_names(
    schemata: Mapping, given: Iterable[str], error_path: tuple = (), nested: bool = False
) -> Iterator[Violation]:
    """Yield the properties that the type does not know or does not implement.

    A ``nested`` property that is not implemented is accepted: the engine checks the top level only.
    """
    for key in given:
        if key not in schemata:
            hint = suggest(key, visible_names(schemata))
            error = property_error(
                exception.append_hint(f'Unknown Property {key}', hint), error_path, key
            )
            message = exception.append_hint(f'There is no property "{key}"', hint)
            yield Violation('unknown-property', (key,), error, message)
        elif not nested and not schemata[key].implemented:
            error = property_error(f'Property {key} not implemented yet', error_path)
            message = f'The property "{key}" is not implemented yet'
            yield Violation('property-value', (key,), error, message)


def missing_property(name: str) -> Violation:
    """Return the violation for a required property that is not given."""
    error = property_error(f'Property {name} not assigned')
    return Violation('missing-property', (), error, f'The property "{name}" is required')


def property_conflict(names: Iterable[str]) -> Violation:
    """Return the violation for a property that is given under its name and under an older one."""
    listed = ', '.join(names)
    error = exception.ResourcePropertyConflict(
        message=f'Cannot define the following properties at the same time: {listed}'
    )
    return Violation('property-value', (), error, f'Give one of these only: {listed}')


def visible_names(schemata: Mapping) -> list[str]:
    """Return the names of properties that users see: older names are hidden."""
    return [name for name, schema in schemata.items() if not schema.hidden]
