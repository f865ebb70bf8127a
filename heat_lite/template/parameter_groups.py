"""Groups of parameters, for forms that ask for them."""

from collections.abc import Mapping

from heat_lite.common import exception
from heat_lite.template.suggest import say

ERROR = 'Parameter Groups error'


def validate(groups, parameter_names):
    """Check a template's groups (nothing when it has none): each names parameters of the template, and none of them twice."""
    if not groups:
        return
    if not isinstance(groups, list):
        raise _refused('The parameter_groups should be a list.')
    seen = set()
    for group in groups:
        _validate_group(group, parameter_names, seen)


def _validate_group(group, parameter_names, seen):
    if not isinstance(group, Mapping):
        # the class is what the API answers with: a map was expected to have keys
        raise AttributeError('A parameter group should be a map.')
    place = _place(group.get('label', ''))
    names = group.get('parameters')
    if names is None:
        raise _refused('The parameters must be provided for each parameter group.', place)
    if not isinstance(names, list):
        raise _refused('The parameters of parameter group should be a list.', place)
    for name in names:
        if not isinstance(name, str) or name not in parameter_names:
            raise _refused(say(f'The grouped parameter {name} does not reference a valid parameter.', name, parameter_names), place)
        if name in seen:
            raise _refused(f'The {name} parameter must be assigned to one parameter group only.', place)
        seen.add(name)


def _place(label):
    """Where a group is, by its label; a group without one shows as an empty name after the dot."""
    return ('parameter_groups', label) if label else ('parameter_groups.',)


def _refused(message, path=('parameter_groups',)):
    return exception.StackValidationFailed(message, error=ERROR, path=path)
