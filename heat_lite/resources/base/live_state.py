"""Objects as their services show and take them: live state, drift, and bodies of requests.

Only properties that an update could correct are compared. Properties that the template does not
set, and further keys of a map, are ignored.
"""

import contextlib
import datetime
import ipaddress
import json
import re
from collections.abc import Mapping

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.common.redaction import MASK, is_secret_name
from heat_lite.template.constraints import BOOLEAN, INTEGER, LIST, MAP, NUMBER, STRING
from heat_lite.template.stored_properties import with_stored_parts

#: values of a property that is not set: the service or a user of the object may set it freely
UNSET = (None, '')
UTC = datetime.UTC
TIME = re.compile(r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?')
#: an IP address, a CIDR or a MAC address
ADDRESS = re.compile(r'[0-9a-fA-F]*[.:][0-9a-fA-F.:]*(/\d+)?')
#: the constraints of texts whose case means nothing
DNS_NAMES = ('dns_name', 'rel_dns_name', 'dns_domain')
ABSENT = object()
#: the key of a map whose entries are keys of the object, such as ``value_specs``
ENTRIES = 'entries of the object'
#: a property in the path of a collection, and the key of its value in a listed object
FIELD, PARENT = re.compile(r'{(\w+)}'), 'parent of the object'


def list_key(path):
    """Return the key that wraps the list of a collection in most responses."""
    return path.rpartition('/')[2].replace('-', '_').removeprefix('os_')


class PathProperties(dict):
    """The stored properties of a resource, as the fields of a path."""

    def __init__(self, resource):
        super().__init__()
        self._resource = resource

    def __missing__(self, name):
        found = self._resource.parents
        return found[name] if name in found else self._resource.stored_property(name)


def find_unique(resource):
    """Return the id of the object with the values of ``unique_by``; None if there is none."""
    schemata, rest = resource.properties_schema, resource.rest
    keys = {schemata[name].key(name): name for name in resource.unique_by}
    wanted = resource.body({key: resource.stored_property(keys[key]) for key in keys})
    path = rest.list_path or resource.collection()
    for each in resource.client().list(path, rest.list_key):
        if all(is_equal(schemata[keys[key]], wanted[key], each.get(key)) for key in keys):
            return str(each[rest.id])
    return None


def find_parents(resource):
    """Return the properties in the path of an external object that its definition does not give:
    its id names one, or one of the parents lists it. Those that cannot be listed are left out.
    """
    if resource.definition.external_id is None:
        return {}
    schemata, given = resource.properties_schema, resource.definition.properties or {}
    fields = [each for each in FIELD.findall(resource.rest.path) if each in schemata]
    if all(name in given for name in fields):
        return {}
    own = resource.rest.id.removesuffix('_id')
    if own in fields:
        return {own: resource.resource_id}
    if not all(schemata[name].ref for name in fields):
        return {}
    try:
        return only(each_object(resource), resource.resource_id)[PARENT]
    except KeyError:  # the list has another form
        return {}


def each_object(resource):
    """Yield (id, object) of the collection of a resource, in each of its parents."""
    rest = resource.rest
    path, parents = rest.list_path or rest.path, [{}]
    for name in FIELD.findall(path):
        kind = resource.properties_schema[name].ref
        parents = [{name: each['id']} for each in resource.stack.clients().choices(kind)]
    for parent in parents:
        with contextlib.suppress(errors.NotFound, errors.Forbidden):  # of one of the parents
            for each in resource.client().list(path.format(**parent), rest.list_key):
                if resource.is_described(each):
                    yield str(each[rest.id]), {**each, PARENT: parent}


def list_objects(resource):
    """Return the objects of the collection of a resource, in each of its parents, by id; None if
    the parents cannot be listed.
    """
    parents = FIELD.findall(resource.rest.list_path or resource.rest.path)
    known = all(resource.properties_schema[name].ref for name in parents)
    return dict(each_object(resource)) if known else None


def describe_listed(resource):
    """Return the properties of the object, from the list of all; None without such a list."""
    found = resource.objects()
    return found if found is None else resource.described(only(found.items(), resource.resource_id))


def only(items, object_id):
    """Return the object with an id among (id, object). Raises NotFound without one, Error if
    several parents have one.
    """
    found = [each for one, each in items if one == object_id]
    if not found:
        raise errors.NotFound(f'no list of the service has {object_id}')
    if len(found) > 1:
        [(name, parent), *_] = found[0][PARENT].items()
        raise exception.Error(f'several have {object_id}: add --property {name}={parent}')
    return found[0]


def observe(resource, found, fixed=()):
    """Return the ``observed_values`` of an object, with those of ``parts`` that are set."""
    schemata, stored = resource.properties_schema, resource.stored_properties()
    parts = [
        name for name in resource.parts if stored.get(name) not in (*UNSET, schemata[name].default)
    ]
    found = {**found, **{name: resource.fetch_part(name) for name in parts}}
    keys = {**resource.observed_keys, **{name: name for name in parts}}
    return observed_values(schemata, keys, stored, found, fixed)


def describe(resource, found):
    """Return the ``described_values`` of an object, with all ``parts`` that can be read."""
    shown = dict(found)
    for name in resource.parts:
        with contextlib.suppress(errors.NotFound, errors.Forbidden):  # of one part
            shown[name] = resource.fetch_part(name)
    keys = {**resource.observed_keys, **{name: name for name in resource.parts}}
    return described_values(resource.properties_schema, keys, shown)


def observed_values(schemata, observed_keys, stored, found, fixed=()):
    """Return ``{property: value}`` for each comparable property that ``found`` contains.

    The value is the stored one if the two are equal, else the one in ``found``. ``observed_keys``
    are the keys in ``found`` of properties that it shows elsewhere than requests have them:
    ``volume.size`` is the size in the map ``volume``. ``fixed``: the names of further ones, which
    no update changes.
    """
    observed = {}
    for name, schema in schemata.items():
        key = observed_keys.get(name) or schema.key(name)
        if stored.get(name) in UNSET or schema.alias_of:
            continue
        if not schema.sent and name not in observed_keys:
            continue
        if key == ENTRIES:
            there = {each: found.get(each, value) for each, value in stored[name].items()}
        elif (there := _shown(found, key)) is ABSENT:
            continue
        if is_equal(schema, stored[name], there):
            there = stored[name]
        elif schema.update_allowed:
            there = with_property_names(schema, there)
        elif is_equal(schema, stored[name], there := _described(schema, there)):
            there = stored[name]
        if schema.update_allowed or name in fixed:
            observed[name] = there
    return observed


def described_values(schemata, observed_keys, found):
    """Return ``{property: value}`` by which a template would describe an object.

    Defaults are left out, and so are properties that the object does not show.
    """
    described = {**found.get(PARENT, {})}
    for name, schema in schemata.items():
        key = observed_keys.get(name) or schema.key(name)
        value = _shown(found, key)
        if value in (ABSENT, *UNSET, [], {}) or schema.alias_of or schema.hidden:
            continue
        if not schema.sent and name not in observed_keys:
            continue
        value = _described(schema, value)
        # each map contains the keys of an empty default
        if schema.default in (None, {}) or not is_equal(schema, schema.default, value):
            described[name] = value
    return described


def _shown(found, key):
    """Return the value of a key, or of a path through maps; ABSENT without one."""
    for part in key.split('.'):
        if not isinstance(found, Mapping) or part not in found:
            return ABSENT
        found = found[part]
    return found


def _described(schema, value):
    """Return a value as a template gives it: an object by its id or name, without empty keys."""
    if isinstance(value, Mapping) and schema.type == STRING:
        return next((value[key] for key in ('id', 'original_name', 'name') if value.get(key)), None)
    if isinstance(value, list | tuple) and not (schema.type == LIST and schema.schema):
        return [each['name'] if _is_named(each) else each for each in value]
    if isinstance(value, list | tuple):
        return [_described(schema.schema, each) for each in value]
    if isinstance(value, Mapping) and schema.schema:
        shown = with_property_names(schema, value)
        return {
            name: _described(schema.schema[name], each)
            for name, each in shown.items()
            if each not in UNSET
        }
    return value


def _is_named(value):
    return isinstance(value, Mapping) and 'name' in value


def with_name(found, key, name, find):
    """Return the object with the ``name`` that the template gives in the place of what
    ``find(name)`` returns for it, as its create sends it.
    """
    with contextlib.suppress(exception.EntityNotFound):
        if name and name != found.get(key) and find(name) == found.get(key):
            return {**found, key: name}
    return found


def describe_drift(stored, observed, ignored=()):
    """Return the differences as text, but those at ``ignored`` paths; None if there are none."""
    observed = with_stored_parts(observed, stored, ignored)
    differences = [
        f'{name} is {MASK}, not {MASK}'
        if is_secret_name(name)
        else f'{name} is {_text(value)}, not {_text(stored[name])}'
        for name, value in sorted(observed.items())
        if value != stored[name]
    ]
    return '; '.join(differences) or None


def to_wire(schema, value):
    """Return the value of a property as a request holds it.

    Keys have their names on the wire. Values that are not given are left out.
    """
    if isinstance(value, Mapping) and schema.type == MAP and schema.schema:
        return map_to_wire(schema.schema, value)
    if isinstance(value, list | tuple) and schema.type == LIST and schema.schema:
        return [to_wire(schema.schema, item) for item in value]
    return value


def map_to_wire(schemata, values):
    """Return a map of properties as a request holds it (see ``to_wire``)."""
    return {
        schema.key(name): to_wire(schema, values[name])
        for name, schema in schemata.items()
        if schema.sent and not schema.alias_of and values.get(name) is not None
    }


def is_equal(schema, wanted, there):
    """Return whether the value of a service equals the stored one.

    Services format many values differently from requests.
    """
    if isinstance(wanted, Mapping):
        return isinstance(there, Mapping) and all(
            _has_value(schema, name, value, there) for name, value in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return (
            isinstance(there, list | tuple)
            and len(there) == len(wanted)
            and contains_all(schema, wanted, there)
        )
    if isinstance(wanted, bool) and there in ('0', '1'):  # as a database of texts keeps it
        return wanted == (there == '1')
    if (
        isinstance(there, bool)
        or schema is not None
        and (schema.type == BOOLEAN or _is_dns_name(schema))
    ):
        return str(wanted).lower() == str(there).lower()
    if (
        schema is not None
        and schema.type in (INTEGER, NUMBER)
        or _is_number(wanted)
        and _is_number(there)
    ):
        return _number(wanted) == _number(there)
    return comparable_text(wanted) == comparable_text(there) or _is_same_time(wanted, there)


def comparable_text(value):
    """Return a value as text; an IP address or CIDR as its network, a MAC address in small letters.

    Services show these in another notation than requests have.
    """
    text = _plain(value)
    if not ADDRESS.fullmatch(text):
        return text
    with contextlib.suppress(ValueError):
        return ipaddress.ip_network(text, strict=False)
    return text.lower() if ':' in text else text


def contains_all(schema, wanted, there):
    """Return whether a list contains all stored items, in any order."""
    left, items = list(there), schema.schema if schema is not None and schema.type == LIST else None
    for each in wanted:
        match = next(
            (number for number, other in enumerate(left) if is_equal(items, each, other)), None
        )
        if match is None:
            return False
        del left[match]
    return True


def with_property_names(schema, value):
    """Return what a service shows, by the names of properties."""
    if isinstance(value, Mapping) and schema.type == MAP and schema.schema:
        keys = {name: each.key(name) for name, each in schema.schema.items() if not each.alias_of}
        return {
            name: with_property_names(schema.schema[name], value[key])
            for name, key in keys.items()
            if value.get(key) is not None
        }
    if isinstance(value, list | tuple) and schema.type == LIST and schema.schema:
        return [with_property_names(schema.schema, each) for each in value]
    return value


def _has_value(schema, name, wanted, there):
    """Return whether a map has a key with the stored value. A stored None matches any value, an
    empty text a missing key.
    """
    if wanted is None:
        return True
    nested = (
        schema.schema.get(name)
        if schema is not None and schema.type == MAP and schema.schema
        else None
    )
    key = name if nested is None else nested.key(name)
    return is_equal(nested, wanted, there.get(key, ''))


def _is_dns_name(schema):
    return any(getattr(each, 'name', None) in DNS_NAMES for each in schema.constraints)


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def _is_same_time(wanted, there):
    """Return whether two texts are the same time; one without a time zone is in UTC."""
    if not TIME.fullmatch(_plain(wanted)) or not TIME.fullmatch(_plain(there)):
        return False
    try:
        moments = [datetime.datetime.fromisoformat(each) for each in (wanted, there)]
    except ValueError:
        return False
    first, second = (each if each.tzinfo else each.replace(tzinfo=UTC) for each in moments)
    return first == second


def _plain(value):
    return '' if value is None else str(value)


def _text(value):
    return json.dumps(value, default=str, sort_keys=True)
