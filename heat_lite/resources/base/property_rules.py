"""Rules between the properties of a resource type, as data. The texts are those of Heat.

A type lists them as ``property_rules``, and ``engine/resource/resource_type.py: check_rules``
checks them in this order for requests, previews and the linter; the linter has no cloud, so rules
that ask one come last. A rule gets ``read(name)``, which returns a property or a key of a map, and
the resource. It raises an error, or ValueUnknown if it needs a value that is not known yet. A test
of a value is a function of the value and ``read``, or a tuple of the values that pass.

Tests: tests/unit/resources/test_property_rules.py.
"""

import functools
import re
from collections.abc import Mapping

from heat_lite.common import exception
from heat_lite.engine.resource.resource_type import check_rules
from heat_lite.template.unknown import Unknown, ValueUnknown

# --------------------------------------------------------------- tests of a value


def given(value, read=None):
    """Whether the value is not null; that of ``get_resource`` never is."""
    if isinstance(value, Unknown) and not value.is_given:
        raise ValueUnknown(value)
    return value is not None


def missing(value, read=None):
    return not given(value)


def filled(value, read=None):
    """Whether the value is neither null nor empty nor zero, judged by Heat's value of a reference
    to a resource that does not exist yet.
    """
    if isinstance(value, Unknown) and value.shown:
        value = value.shown
    return bool(value)


def empty(value, read=None):
    return not filled(value)


def but(*values):
    """Return the test for another value than these."""
    return lambda value, read: value not in values


def above(name):
    """Return the test for a value that is greater than that of another property."""

    def test(value, read):
        other = read(name)
        return value is not None and other is not None and value > other

    return test


# --------------------------------------------------------------- rules


def refuse(error, where=None, **tests):
    """Return the rule that the tests do not all hold, each for the property of its name, in clouds
    for which ``where(resource)`` holds, if it is given.

    ``error`` is a function that returns the error, or the text of one, in which ``{name}`` stands
    for the value of a tested property and ``{resource.name}`` for the name of the resource.
    """

    def rule(read, resource):
        values = {}
        for name, test in tests.items():
            values[name] = value = read(name)
            if not (value in test if isinstance(test, tuple) else test(value, read)):
                return
        if where is None or where(resource):
            raise (
                error()
                if callable(error)
                else exception.StackValidationFailed(error.format(resource=resource, **values))
            )

    return rule


def needs_version(microversion, what, **tests):
    """Return the rule that the tests hold only where requests have at least a microversion."""
    return refuse(
        f'Cannot use "{what}" property - {{resource.default_client_name}} does not support '
        f'required api microversion {microversion}.',
        lambda resource: not resource.client().supports(microversion),
        **tests,
    )


def needs_api(microversion):
    """Return the rule that requests have at least a microversion, without which there is no such
    type.
    """
    return refuse(
        f'{{resource.resource_type}} needs microversion {microversion} of '
        '{resource.default_client_name}, and the cloud or its limit in [clients] is older.',
        lambda resource: not resource.client().supports(microversion),
    )


def conflict(*names, test=given, **tests):
    """Return the rule that the properties are not given at the same time. The last part of a name,
    such as ``networks/port``, is the key. ``tests`` tell for other keys what counts as given.
    """
    error = functools.partial(exception.ResourcePropertyConflict, *names)
    return refuse(error, **(tests or {re.split('[/.]', name)[-1]: test for name in names}))


def one_of(*names, test=missing):
    """Return the rule that at least one of the properties is given."""
    error = functools.partial(exception.PropertyUnspecifiedError, *names)
    return refuse(error, **dict.fromkeys(names, test))


def needs(name, other, given=given, missing=missing, **tests):
    """Return the rule that a property is given with another one only, if the tests hold."""
    error = functools.partial(exception.ResourcePropertyDependency, prop1=name, prop2=other)
    return refuse(error, **tests, **{name: given, other: missing})


def only_with(name, other, value, test=given):
    """Return the rule that a property is given only if another one has the value."""
    error = functools.partial(
        exception.ResourcePropertyValueDependency, prop1=name, prop2=other, value=value
    )
    return refuse(error, **{name: test, other: but(value)})


def for_each(name, *rules):
    """Return the rule that a map, or each map of a list, keeps these rules."""

    def rule(read, resource):
        value = read(name) or ()
        for entry in [value] if isinstance(value, Mapping) else value:
            check_rules(rules, lambda key, entry=entry: entry[key], resource)

    return rule
