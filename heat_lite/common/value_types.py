"""Names for what has no type before it is read, and a map without what is not given."""

from collections.abc import Generator, Mapping
from typing import Any, TypeAlias

#: a value of a template, of JSON or of a column: a text, a number, a list, a map or None
Value: TypeAlias = Any
#: such values by their names
Values: TypeAlias = dict[str, Any]
#: a row of a query, whose attributes are the selected columns
Row: TypeAlias = Any
#: the steps of a task; each value that it yields is a wait (see ``engine.scheduler``)
Work: TypeAlias = Generator[Any, None, Any]


def without_none(values: Mapping[str, Any]) -> Values:
    """Return the entries whose value is not None."""
    return {name: value for name, value in values.items() if value is not None}
