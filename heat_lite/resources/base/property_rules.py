"""Rules between the properties of a resource type, as data. The texts are those of Heat.

A type lists them as ``property_rules``, and ``engine/validation/validation.py: validate_resource``
checks them in this order for requests, previews and the linter. A rule gets ``read(name)``, which
returns a property or a key of a map, and the resource. It raises an error, or ValueUnknown if it
needs a value that is not known yet. A test of a value is a function of the value and ``read``, or a
tuple of the values that pass.

Tests: tests/unit/resources/test_property_rules.py.
"""

import contextlib
import functools
import re
from collections.abc import Mapping

from heat_lite.common import exception
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


def refuse(error, **tests):
    """Return the rule that the tests do not all hold, each for the property of its name.

    ``error`` is a function that returns the error, or the text of one, in which ``{name}`` stands
    for the value of a tested property and ``{resource.name}`` for the name of the resource.
    """

    def rule(read, resource):
        values = {}
        for name, test in tests.items():
            values[name] = value = read(name)
            if not (value in test if isinstance(test, tuple) else test(value, read)):
                return
        raise (
            error()
            if callable(error)
            else exception.StackValidationFailed(error.format(resource=resource, **values))
        )

    return rule


def conflict(*names, test=given):
    """Return the rule that the properties are not given at the same time. The last part of a name,
    such as ``networks/port``, is the key.
    """
    error = functools.partial(exception.ResourcePropertyConflict, *names)
    return refuse(error, **{re.split('[/.]', name)[-1]: test for name in names})


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
            check(rules, lambda key, entry=entry: entry[key], resource)

    return rule


def check(rules, read, resource):
    """Raise the error of the first rule that is broken."""
    for rule in rules:
        with contextlib.suppress(ValueUnknown):
            rule(read, resource)
