"""The page of a resource type as text: properties, attributes, an example."""

import itertools
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from heat_lite.common.value_types import Value
from heat_lite.template import constraints
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.schema import AttributeSchema, PropertySchema

Schema = TypeVar('Schema', PropertySchema, AttributeSchema)
STEP = 2
MIN_WIDTH, MAX_WIDTH = 40, 100
#: as many consecutive numbers read better as a range
LONG_RUN = 10
#: {type of a property: its name for people}
_TYPES = {
    constraints.STRING: 'string',
    constraints.INTEGER: 'integer',
    constraints.NUMBER: 'number',
    constraints.BOOLEAN: 'boolean',
    constraints.MAP: 'map',
    constraints.LIST: 'list',
    constraints.ANY: 'any value',
}


def summary(info: TypeInfo) -> str:
    """Return the first paragraph of the description of a type, on one line."""
    return ' '.join(info.description.partition('\n\n')[0].replace('``', '').split())


def lines_of(
    info: TypeInfo, attributes: Mapping[str, AttributeSchema], example: str, width: int
) -> Iterator[str]:
    """Yield the lines of the page, each at most ``width`` characters long where words allow it.

    ``attributes`` are those that the type declares.
    """
    width = min(max(width, MIN_WIDTH), MAX_WIDTH)
    yield info.name
    yield from _wrapped(info.support.note, STEP, width)
    yield from _wrapped(summary(info), STEP, width)
    yield '\nProperties'
    if info.properties is None:
        yield '  the type takes any property'
    else:
        yield from _properties(_in_order(info.properties), STEP, width, is_top=True) or ['  none']
    if info.update_policy:
        yield '\nUpdate policy'
        yield from _properties(_in_order(info.update_policy), STEP, width)
    yield '\nAttributes'
    yield from _attributes(attributes, width)
    if info.attributes is None:
        yield from _wrapped(
            'and others, which depend on the properties or members of the resource', STEP, width
        )
    yield '\nExample'
    yield from textwrap.indent(example, ' ' * STEP).splitlines()


def _wrapped(text: str, indent: int, width: int) -> list[str]:
    prefix = ' ' * indent
    return textwrap.wrap(
        ' '.join(text.split()),
        max(width, indent + 20),
        initial_indent=prefix,
        subsequent_indent=prefix,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _shown(schemata: Mapping[str, Schema]) -> dict[str, Schema]:
    return {name: schema for name, schema in schemata.items() if not schema.hidden}


def _in_order(schemata: Mapping[str, PropertySchema]) -> dict[str, PropertySchema]:
    """Return the properties that are shown, the required ones first."""
    return dict(sorted(_shown(schemata).items(), key=lambda pair: not pair[1].required))


def _properties(
    schemata: Mapping[str, PropertySchema], indent: int, width: int, is_top: bool = False
) -> list[str]:
    """Return the lines of properties (see ``_facts``)."""
    lines = []
    for name, schema in schemata.items():
        lines += _wrapped(f'{name}: {", ".join(_facts(schema, is_top))}', indent, width)
        lines += _wrapped(schema.description or '', indent + 2 * STEP, width)
        lines += _wrapped(schema.support.note, indent + 2 * STEP, width)
        children = schema.children()
        if children:
            item = 'each item' if schema.type == constraints.LIST else 'keys'
            lines.append(' ' * (indent + 2 * STEP) + f'{item}:')
            lines += _properties(_in_order(children), indent + 3 * STEP, width)
    return lines


def table_of(
    schemata: Mapping[str, PropertySchema], prefix: str = ''
) -> Iterator[tuple[str, str, str]]:
    """Yield (name, facts, description) of properties and, as ``name.key``, of those in them."""
    for name, schema in _in_order(schemata).items():
        facts = ', '.join(_facts(schema, not prefix))
        texts = [schema.description or '', schema.support.note]
        yield f'{prefix}{name}', facts, ' '.join(filter(None, texts))
        yield from table_of(schema.children() or {}, f'{prefix}{name}.')


def _facts(schema: PropertySchema, is_top: bool) -> Iterator[str]:
    """Yield what can be said about a property in a few words.

    ``is_top``: an update decides by the property at the top alone.
    """
    kind = _TYPES[schema.type]
    if schema.type == constraints.LIST and schema.schema is not None:
        kind = f'list of {_TYPES[schema.schema.type]}s'
    yield kind
    if schema.required:
        yield 'required'
    if schema.has_default:
        yield f'default {_value(schema.default)}'
    yield from map(rule_text, schema.constraints)
    if is_top:
        yield _update(schema)


def _value(value: Value) -> str:
    return repr(value) if value == '' or not isinstance(value, str) else value


def _update(schema: PropertySchema) -> str:
    if schema.update_allowed:
        return 'updated in place'
    return 'must not change' if schema.immutable else 'a change replaces the resource'


def rule_text(constraint: constraints.Constraint) -> str:
    """Return a constraint in words."""
    if isinstance(constraint, constraints.Range):
        return _bounds(constraint)
    if isinstance(constraint, constraints.Length):
        return f'length {_bounds(constraint)}'
    if isinstance(constraint, constraints.AllowedValues):
        ours = (
            f' (not in Heat: {", ".join(map(_value, constraint.ours))})' if constraint.ours else ''
        )
        return f'one of {" | ".join(_choices(constraint.allowed))}{ours}'
    if isinstance(constraint, constraints.AllowedPattern):
        return f'pattern {constraint.pattern}'
    if isinstance(constraint, constraints.Modulo):
        return f'a multiple of {constraint.step} plus {constraint.offset}'
    if isinstance(constraint, constraints.CustomConstraint):
        kind = constraint.name  # that of an object has its service before a dot
        article = 'an' if kind[0] in 'aeiou' else 'a'
        return f'name or id of {article} {kind}' if '.' in kind else f'format {kind}'
    return str(constraint.rule())


def _choices(values: Sequence[Value]) -> Iterator[str]:
    """Yield values as text; a long run of consecutive integers as its range."""
    for _, run in itertools.groupby(enumerate(values), _distance):
        texts = [_value(value) for _, value in run]
        yield from texts if len(texts) < LONG_RUN else [f'{texts[0]} to {texts[-1]}']


def _distance(item: tuple[int, Value]) -> Value:
    """Return what consecutive integers have in common, and no two other values."""
    place, value = item
    return value - place if isinstance(value, int) else str(place)


def _bounds(constraint: constraints.Range | constraints.Length) -> str:
    low, high = constraint.min, constraint.max
    if low is not None and high is not None:
        return f'{low} to {high}'
    return f'at least {low}' if high is None else f'at most {high}'


def _attributes(attributes: Mapping[str, AttributeSchema], width: int) -> Iterator[str]:
    for name, schema in _shown(attributes).items():
        kind = f' ({_TYPES[schema.type]})' if schema.type else ''
        yield from _wrapped(f'{name}{kind}', STEP, width)
        yield from _wrapped(schema.description or '', 3 * STEP, width)
        yield from _wrapped(schema.support.note, 3 * STEP, width)
