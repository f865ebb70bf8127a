"""Errors of an engine about the template of a request learn where in its text they are. Nothing is looked at before there is an error."""

import contextlib
import re

from heat_lite.common import exception
from heat_lite.template import positions

_PART = re.compile(r'\[(\d+)\]|([^.\[\]]+)')
_UNKNOWN = re.compile(r'Unknown Property ([^\s.]+)')


@contextlib.contextmanager
def told(data):
    """Around a question to the engine about the StackData ``data``: errors get their ``position``, where the body says it."""
    try:
        yield
    except exception.HeatException as error:
        error.position = _of_value(error, data) or of(path_of(error), str(error), data)  # type: ignore[attr-defined]
        raise


def _of_value(error, data):
    """The place in an environment of the value of a parameter that is refused, if it was given there."""
    name = _refused_value(error)
    if name is None or name in (data.body.get('parameters') or ()):
        return None
    files = data.files()
    texts = [(file, files.get(file)) for file in reversed(data.environment_files() or ())] or [
        ('environment', data.body.get('environment'))
    ]
    found = (positions.place(file, text, ('parameters', name), whole=True) for file, text in texts)
    return next((place._asdict() for place in found if place is not None), None)


def _refused_value(error):
    """The parameter whose value is wrong, or that does not exist."""
    if isinstance(error, exception.UnknownUserParameter):
        return error.kwargs.get('key')
    return error.kwargs.get('parameter') if isinstance(error, exception.StackValidationFailed) else None


def of(path, message, data):
    """What to show of the place that a path leads to: ``{file, line, column}``, or None."""
    if not path:
        return None
    # the path of an unknown property is, as it always was, the path of the map that it is in
    path = [*path, *_UNKNOWN.findall(message)[:1]]
    files = data.body.get('files')
    found = positions.locate(path, data.body.get('template'), files if isinstance(files, dict) else {})
    return None if found is None else found._asdict()


def path_of(error):
    """Where in a template an error is, as far as it says; () for most."""
    if isinstance(error, exception.StackValidationFailed) and error.path:
        return error.path
    facts = error.kwargs
    if 'parameter' in facts:
        return ('parameters', facts['parameter'])
    if isinstance(error, exception.UserParameterMissing):
        return ('parameters', facts.get('key'))
    if isinstance(error, exception.InvalidTemplateReference):
        return ('resources', *(int(index) if index else name for index, name in _PART.findall(str(facts.get('key')))))
    return ()
