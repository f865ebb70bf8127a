"""Positions of errors in the texts of a request: file, line and column.

A text is parsed for positions only after an error.
"""

import contextlib
from collections.abc import Iterator, Sequence

from heat_lite.api.v1.stack_request import StackRequest
from heat_lite.common import exception
from heat_lite.common.value_types import Values
from heat_lite.template import source_positions


@contextlib.contextmanager
def locate_errors(stack_request: StackRequest) -> Iterator[None]:
    """Context manager that sets ``position`` on errors of the engine, where it is known."""
    try:
        yield
    except exception.HeatException as error:
        error.position = _position_of_value(  # type: ignore[attr-defined]
            error, stack_request
        ) or position_of(error.place, error.subject, stack_request)
        raise


def _position_of_value(
    error: exception.HeatException, stack_request: StackRequest
) -> Values | None:
    """Return the position of the parameter's value that an error is about in an environment."""
    name, body = error.subject, stack_request.body
    is_value = tuple(error.place) == exception.UserParameterMissing.place
    if not (is_value or isinstance(error, exception.UnknownUserParameter)) or name in (
        body.get('parameters') or ()
    ):
        return None
    files = stack_request.files()
    texts = [
        (file, files.get(file)) for file in reversed(stack_request.environment_files() or ())
    ] or [('environment', body.get('environment'))]
    found = (
        source_positions.locate_in_text(file, text, ('parameters', name), whole=True)
        for file, text in texts
    )
    return next((position._asdict() for position in found if position is not None), None)


def position_of(
    place: Sequence[object], subject: object, stack_request: StackRequest
) -> Values | None:
    """Return the position of an error in the template: ``{file, line, column}``, or None."""
    files = stack_request.body.get('files')
    found = source_positions.locate(
        place,
        stack_request.body.get('template'),
        files if isinstance(files, dict) else {},
        subject,
    )
    return None if found is None else found._asdict()
