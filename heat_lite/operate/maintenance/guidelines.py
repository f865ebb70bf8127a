"""The guidelines for resource types: what readers of their documentation rely on.

Plug-ins of operators are held to the same as the types of this service.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from heat_lite.template import constraints

TYPE_NAME = re.compile(r'[A-Za-z][\w.-]*(::[A-Za-z0-9][\w.-]*)+')
#: names of properties and attributes: the services of the cloud have chosen many of them
MEMBER_NAME = re.compile(r'[A-Za-z][\w.:-]*')
#: the attribute that every template has as a type
OF_TEMPLATES = 'OS::stack_id'
#: what begins with a small letter on purpose, as names do
OWN_SPELLING = re.compile(r'[a-z]+[A-Z0-9_]|curl ')


def check(name: str, cls: Any) -> Iterator[str]:
    """Yield what a resource type does against the guidelines."""
    if not TYPE_NAME.fullmatch(name):
        yield 'the name is not of the form Vendor::Group::Type'
    yield from _sentence('the type', _first_paragraph(cls.__doc__))
    shown = {
        kind: {key: each for key, each in schemata.items() if not each.hidden}
        for kind, schemata in _declared(cls)
    }
    for kind, schemata in shown.items():
        yield from _members(kind, schemata)


def _declared(cls: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield 'property', cls.properties_schema or {}
    attributes = cls.attributes_schema or {}
    yield 'attribute', {key: each for key, each in attributes.items() if key != OF_TEMPLATES}


def _members(kind: str, schemata: Mapping[str, Any], prefix: str = '') -> Iterator[str]:
    for name, schema in schemata.items():
        label = f'{kind} {prefix}{name}'
        if not MEMBER_NAME.fullmatch(name):
            yield f'{label}: its name is no word of letters, digits and underscores'
        yield from _sentence(label, schema.description)
        if kind == 'property':
            yield from _value(label, schema)
            children = schema.children() or {}
            visible = {key: each for key, each in children.items() if not each.hidden}
            yield from _members(kind, visible, f'{prefix}{name}.')


def _value(label: str, schema: Any) -> Iterator[str]:
    if schema.required and schema.has_default:
        yield f'{label}: it is required and has a default'
    if not schema.has_default or schema.default is None:
        return
    for constraint in schema.constraints:
        is_custom = isinstance(constraint, constraints.CustomConstraint)  # only a cloud knows
        broken = not is_custom and constraint.violation(schema.default, None, lambda value: value)
        if broken:
            yield f'{label}: its default breaks its own constraint: {broken}'


def _sentence(label: str, text: str | None) -> Iterator[str]:
    text = ' '.join((text or '').split())
    if not text:
        yield f'{label}: it has no description'
        return
    if text[0].islower() and not OWN_SPELLING.match(text):
        yield f'{label}: its description begins with a small letter: {text[:40]}'
    if text[-1] not in '.?!':
        yield f'{label}: its description does not end with a full stop: ...{text[-40:]}'


def _first_paragraph(text: str | None) -> str:
    return (text or '').partition('\n\n')[0]
