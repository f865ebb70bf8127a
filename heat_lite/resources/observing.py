"""How an object compares with what was asked for, property by property: its live state, and what others have changed.

Only what an update could mend counts. What the template says nothing of is nobody's concern, nor are further keys of a map.
"""

import json
from collections.abc import Mapping

from heat_lite.template.constraints import BOOLEAN, INTEGER, LIST, MAP, NUMBER

#: what a property is that says nothing: the service, or who uses the object, may put there what they like
NOTHING = (None, '')


def live(schemata, shown, held, found):
    """``{property: value}`` as far as ``found`` tells it: as it is held where it is the same, else as it is there.

    ``shown`` are the keys in ``found`` of properties that are not in requests.
    """
    told = {}
    for name, schema in schemata.items():
        key = shown.get(name) or schema.key(name)
        if held.get(name) in NOTHING or key not in found or schema.alias_of:
            continue
        if schema.update_allowed and (schema.sent or name in shown):
            told[name] = held[name] if is_same(schema, held[name], found[key]) else named(schema, found[key])
    return told


def drift(held, told):
    """What differs, in words; None where nothing does."""
    words = [f'{name} is {_text(value)}, not {_text(held[name])}' for name, value in sorted(told.items()) if value != held[name]]
    return '; '.join(words) or None


def is_same(schema, wanted, there):
    """Whether a value is what was wanted; the services put many things in other words."""
    if isinstance(wanted, Mapping):
        return isinstance(there, Mapping) and all(_holds(schema, name, value, there) for name, value in wanted.items())
    if isinstance(wanted, list | tuple):
        return isinstance(there, list | tuple) and len(there) == len(wanted) and is_among(schema, wanted, there)
    if schema is not None and schema.type == BOOLEAN:
        return str(wanted).lower() == str(there).lower()
    if schema is not None and schema.type in (INTEGER, NUMBER) or _is_number(wanted) and _is_number(there):
        return _number(wanted) == _number(there)
    return _plain(wanted) == _plain(there)


def is_among(schema, wanted, there):
    """Whether all that was wanted is in a list, in whatever order."""
    left, items = list(there), schema.schema if schema is not None and schema.type == LIST else None
    for each in wanted:
        match = next((number for number, other in enumerate(left) if is_same(items, each, other)), None)
        if match is None:
            return False
        del left[match]
    return True


def named(schema, value):
    """What a service shows, under the names of properties."""
    if isinstance(value, Mapping) and schema.type == MAP and schema.schema:
        keys = {name: each.key(name) for name, each in schema.schema.items() if not each.alias_of}
        return {name: named(schema.schema[name], value[key]) for name, key in keys.items() if value.get(key) is not None}
    if isinstance(value, list | tuple) and schema.type == LIST and schema.schema:
        return [named(schema.schema, each) for each in value]
    return value


def _holds(schema, name, wanted, there):
    """Whether a map has a key with that value; one that nothing is said of may be anything."""
    if wanted is None:
        return True
    inner = schema.schema.get(name) if schema is not None and schema.type == MAP and schema.schema else None
    key = name if inner is None else inner.key(name)
    return key in there and is_same(inner, wanted, there[key])


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def _plain(value):
    return '' if value is None else str(value)


def _text(value):
    return json.dumps(value, default=str, sort_keys=True)
