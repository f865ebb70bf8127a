"""Positions of errors in the texts of a request: file, line and column.

A text is parsed for positions only after an error.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from heat_lite.api.v1.stack_request import StackRequest
from heat_lite.common import exception
from heat_lite.template import source_positions

_PART = re.compile(r'\[(\d+)\]|([^.\[\]]+)')
_UNKNOWN_PROPERTY = re.compile(r'Unknown Property ([^\s.]+)')
#: characters of a message that are searched: the patterns take quadratic time on hostile names
_SEARCHED = 4096
#: the name that an error of a value is about
_NAMED = re.compile(
    r'reference "([^"]+)"|The Parameter \(([^)]+)\) was not|Referenced Attribute \(\S+ ([^)\s]+)\)'
    r'|Invalid condition "([^"]+)"'
)
_UNKNOWN_TYPE = re.compile(r'The Resource Type \((\S+)\) could not be found')
_TYPE_KEYS = ('type', 'Type')
#: the first resource of a cycle, as ``{Value "a": {Value "b"}, ...}``
_IN_CYCLE = re.compile(r'\{\S+ "([^"]+)"')


@contextlib.contextmanager
def locate_errors(stack_request: StackRequest) -> Iterator[None]:
    """Context manager that sets ``position`` on errors of the engine, where it is known."""
    try:
        yield
    except exception.HeatException as error:
        position = _position_of_parameter_value(error, stack_request)
        if position is None:
            position = position_of(path_of(error), str(error), stack_request)
        error.position = position  # type: ignore[attr-defined]
        raise


def _position_of_parameter_value(
    error: exception.HeatException, stack_request: StackRequest
) -> dict[str, Any] | None:
    """Return the position of an invalid parameter value in an environment, if it is in one."""
    name = _invalid_parameter(error)
    if name is None or name in (stack_request.body.get('parameters') or ()):
        return None
    files = stack_request.files()
    texts = [
        (file, files.get(file)) for file in reversed(stack_request.environment_files() or ())
    ] or [('environment', stack_request.body.get('environment'))]
    found = (
        source_positions.locate_in_text(file, text, ('parameters', name), whole=True)
        for file, text in texts
    )
    return next((position._asdict() for position in found if position is not None), None)


def _invalid_parameter(error: exception.HeatException) -> str | None:
    """Return the name of the parameter that is unknown or has an invalid value."""
    if isinstance(error, exception.UnknownUserParameter):
        return error.kwargs.get('key')
    if isinstance(error, exception.StackValidationFailed):
        return error.kwargs.get('parameter')
    return None


def position_of(
    path: Sequence[Any] | None, message: str, stack_request: StackRequest
) -> dict[str, Any] | None:
    """Return the position of a path in the template: ``{file, line, column}``, or None."""
    message = message[:_SEARCHED]
    unknown_type = _UNKNOWN_TYPE.search(message)
    if unknown_type:
        return _position_of_type(unknown_type.group(1), stack_request)
    if not path:
        return None
    # In Heat, the path of an unknown property is that of the map that contains it.
    path = [*path, *_UNKNOWN_PROPERTY.findall(message)[:1]]
    is_in_parameter = path[0] in ('parameters', 'Parameters')
    named = None if is_in_parameter else _NAMED.search(message)
    found = source_positions.locate(
        path,
        stack_request.body.get('template'),
        _files_of(stack_request),
        next(filter(None, named.groups())) if named else None,
    )
    return None if found is None else found._asdict()


def _files_of(stack_request: StackRequest) -> dict[str, Any]:
    files = stack_request.body.get('files')
    return files if isinstance(files, dict) else {}


def _position_of_type(type_name: str, stack_request: StackRequest) -> dict[str, Any] | None:
    """Return the position of an unknown resource type: of its first use in a template."""
    found = source_positions.locate_value(
        stack_request.body.get('template'),
        _files_of(stack_request),
        _TYPE_KEYS,
        type_name,
    )
    return None if found is None else found._asdict()


def path_of(error: exception.HeatException) -> tuple[Any, ...]:
    """Return the path of an error in the template; empty if the error has none."""
    if isinstance(error, exception.StackValidationFailed) and error.path:
        return error.path
    details = error.kwargs
    if exception.PLACE in details:
        return tuple(details[exception.PLACE])
    if isinstance(error, exception.CircularDependencyException):
        return ('resources', *_IN_CYCLE.findall(str(error)[:_SEARCHED])[:1])
    if 'parameter' in details:
        return ('parameters', details['parameter'])
    if isinstance(error, exception.UserParameterMissing):
        return ('parameters', details.get('key'))
    if isinstance(error, exception.InvalidTemplateVersion):
        return ('heat_template_version',)
    if isinstance(error, exception.InvalidTemplateReference):
        parts = _PART.findall(str(details.get('key')))
        return ('resources', *(int(index) if index else name for index, name in parts))
    return ()
