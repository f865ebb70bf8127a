"""Templates that describe the objects of a project: one module for each kind of service.

Tests: tests/functional/test_project_import.py.
"""

import collections
import dataclasses
import itertools
import json
import os
import re
from collections.abc import Iterable, Sequence

from heat_lite.common.value_types import Value, Values
from heat_lite.template import resource_registry, versions

VERSION = {'heat_template_version': '2021-04-16'}
#: modules and the services in them; a module refers to modules before it only
SERVICES = {
    'network': ('Neutron', 'Octavia', 'Designate'),
    'storage': ('Cinder', 'Glance', 'Manila'),
    'compute': ('Nova',),
    'other': (),
}
MODULES = list(SERVICES)
SERVER, ATTACHMENT = 'OS::Nova::Server', 'OS::Cinder::VolumeAttachment'
#: properties in which the servers of a group may differ
OWN = ('name', 'hostname', 'networks')
INDEX = '%index%'
#: an id of an object; the ids of objects that are not described become parameters
ID = re.compile(r'[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}')
#: the characters of a name of an object that its resource gets
NAME_LENGTH = 100


@dataclasses.dataclass
class Item:
    """An object, the resource of its module that has it, and what refers to it there."""

    type: str
    id: str
    properties: Values
    secrets: Sequence[str] = ()
    name: str = ''
    resource: str = ''
    reference: Value = None

    @property
    def module(self) -> str:
        if self.type == ATTACHMENT:
            return 'compute'
        service = self.type.split('::')[1]
        return next((name for name in MODULES if service in SERVICES[name]), 'other')


class ProjectTemplates:
    """The modules of a project, the values of their parameters, and the objects to adopt.

    ``values`` are those of the parameters; ``adopted`` are the resources of the document of an
    adoption.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self.values: Values = {}
        self.adopted: dict[str, Values] = {}
        self._names = {*MODULES}
        self._items: dict[str, Item] = {}
        self._external: dict[str, str] = {}
        self._needs: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
        self._parameters: Values = {}
        self._arguments: dict[str, Values] = collections.defaultdict(dict)
        self._templates: dict[str, Values] = {
            name: {**VERSION, 'parameters': {}, 'resources': {}, 'outputs': {}} for name in MODULES
        }
        groups = _groups(items)
        for group in groups:
            self._name(group)
        for group in groups:
            self._add(group)

    def files(self) -> dict[str, Values]:
        """Return templates and environment by the names of their files."""
        used = {name: each for name, each in self._templates.items() if each['resources']}
        modules = {
            name: {'type': f'{name}.yaml', 'properties': self._arguments[name]} for name in used
        }
        top = {**VERSION, 'parameters': self._parameters, 'resources': modules}
        return {
            'project.yaml': top,
            **{
                f'{name}.yaml': {key: part for key, part in each.items() if part}
                for name, each in used.items()
            },
            'environment.yaml': {'parameters': self.values},
        }

    # ------------------------------------------------------------ names

    def _unique(self, text: str) -> str:
        plain = re.sub(r'[^A-Za-z0-9_-]+', '-', text).strip('-')[:NAME_LENGTH] or 'it'
        numbered = (f'{plain}-{number}' for number in itertools.count(2))
        name = next(each for each in itertools.chain([plain], numbered) if each not in self._names)
        self._names.add(name)
        return name

    def _name(self, group: list[Item]) -> None:
        """Name the resource of equal objects, and what outputs call each of them."""
        first = group[0]
        for item in group:
            given, kind = item.properties.get('name'), item.type.rpartition('::')[2].lower()
            item.name = self._unique(given if isinstance(given, str) else kind)
            item.resource, item.reference = item.name, {'get_resource': item.name}
            if item.type != ATTACHMENT:
                self._items.setdefault(item.id, item)
        if len(group) > 1:
            common = os.path.commonprefix([item.name for item in group]).rstrip('-_0123456789')
            name = self._unique(f'{common or "server"}-group')
            for number, item in enumerate(group):
                item.resource, item.reference = name, {'get_attr': [name, 'refs', number]}
        adopted = self.adopted.setdefault(first.module, {'resources': {}})['resources']
        ids = [{'resource_id': item.id} for item in group]
        adopted[first.resource] = (
            {'resources': {str(number): each for number, each in enumerate(ids)}}
            if len(group) > 1
            else ids[0]
        )

    # ------------------------------------------------------------ resources

    def _add(self, group: list[Item]) -> None:
        first = group[0]
        definition = {
            'type': first.type,
            'properties': {
                key: self._secret(first, key)
                if key in first.secrets
                else self._merged(first, key, [each.properties[key] for each in group])
                for key in first.properties
            },
        }
        if len(group) > 1:
            properties = {'count': len(group), 'resource_def': definition}
            definition = {'type': 'OS::Heat::ResourceGroup', 'properties': properties}
        self._templates[first.module]['resources'][first.resource] = definition

    def _secret(self, item: Item, key: str) -> Value:
        name, value = f'{item.resource}_{key}', item.properties[key]
        kind = 'string' if isinstance(value, str) else 'json'
        return self._parameter(item, name, value, {'type': kind, 'hidden': True})

    def _merged(self, item: Item, key: str, values: list) -> Value:
        """Return the value of the definition that equal objects share: each different part of it
        is a list by their index.
        """
        first = values[0]
        if all(each == first for each in values):
            return self._value(item, key, first)
        if all(isinstance(each, dict) and each.keys() == first.keys() for each in values):
            return {
                name: self._merged(item, name, [each[name] for each in values]) for name in first
            }
        if all(isinstance(each, list) and len(each) == len(first) for each in values):
            return [self._merged(item, key, list(each)) for each in zip(*values, strict=True)]
        given = [self._outside(item, each) for each in values]
        argument = self._parameter(item, f'{item.resource}_{key}', given, {'type': 'json'})
        return {'get_param': [argument['get_param'], INDEX]}

    def _value(self, item: Item, key: str, value: Value) -> Value:
        """Return a value of a property, with references instead of ids."""
        if isinstance(value, dict):
            return _quoted({name: self._value(item, name, each) for name, each in value.items()})
        if isinstance(value, list):
            return [self._value(item, key, each) for each in value]
        target = self._items.get(value) if isinstance(value, str) else None
        if target is None:
            is_id = isinstance(value, str) and ID.fullmatch(value)
            return self._external_id(item, key, value) if is_id else value
        if target.module == item.module:
            return value if self._closes_circle(item, target) else target.reference
        outside = self._outside(item, value)
        if outside == value:
            return value
        self._pass(item, target.name, {'type': 'string'}, outside)
        return {'get_param': target.name}

    def _closes_circle(self, item: Item, target: Item) -> bool:
        """Note that a resource needs another one of its module, unless that one needs it."""
        seen, pending = set(), [target.resource]
        while pending:
            name = pending.pop()
            if name == item.resource:
                return True
            if name not in seen:
                seen.add(name)
                pending += self._needs[item.module, name]
        self._needs[item.module, item.resource].add(target.resource)
        return False

    # ------------------------------------------------------------ parameters

    def _outside(self, item: Item, value: Value) -> Value:
        """Return what the top template passes to a module: the output of an earlier module, or
        the value.
        """
        target = self._items.get(value) if isinstance(value, str) else None
        if target is None or MODULES.index(target.module) >= MODULES.index(item.module):
            return value
        self._templates[target.module]['outputs'][target.name] = {'value': target.reference}
        return {'get_attr': [target.module, target.name]}

    def _external_id(self, item: Item, key: str, value: str) -> Value:
        """Return the parameter of an object that is not described, such as an image."""
        name = self._external.get(value)
        if name is None:
            made = self._parameter(item, key.rstrip('s'), value, {'type': 'string'})
            self._external[value] = made['get_param']
            return made
        self._pass(item, name, {'type': 'string'}, {'get_param': name})
        return {'get_param': name}

    def _parameter(self, item: Item, text: str, value: Value, schema: Values) -> Values:
        """Pass a value to the module of an object: as a parameter of the project, unless it
        contains references.
        """
        name = self._unique(text)
        passed: Value = {'get_param': name}
        if isinstance(value, list) and any(isinstance(each, dict) for each in value):
            passed = value
        else:
            self.values[name], self._parameters[name] = value, schema
        self._pass(item, name, schema, passed)
        return {'get_param': name}

    def _pass(self, item: Item, name: str, schema: Values, value: Value) -> None:
        self._templates[item.module]['parameters'][name] = schema
        self._arguments[item.module][name] = value


def literal(value: Value) -> Value:
    """Return what a template has in the place of a value of an object."""
    if isinstance(value, dict):
        return _quoted({name: literal(each) for name, each in value.items()})
    return [*map(literal, value)] if isinstance(value, list) else value


def _quoted(value: Values) -> Values:
    """Return what a template has in the place of a map of an object: no call of a function, and no
    name of a file, which the map may look like.
    """
    called = {f'literal {key}': key for key in value if _is_call(key, value[key])}
    if not called:
        return value
    names = {key: name for name, key in called.items()}
    return {
        'map_replace': [
            {names.get(key, key): each for key, each in value.items()},
            {'keys': called},
        ]
    }


def _is_call(key: str, argument: Value) -> bool:
    """Whether a key of a map makes a call of it, or a reference to a template."""
    functions = versions.template_version(VERSION).functions
    return key in functions or key == 'type' and resource_registry.is_template(argument)


def _is_plain(value: Value) -> bool:
    """Whether the definition of a group leaves a value as it is: it replaces INDEX, and its members
    have no quotes.
    """
    if isinstance(value, dict):
        return _quoted(value) is value and all(map(_is_plain, value.values()))
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not isinstance(value, str) or INDEX not in value


def _groups(items: Iterable[Item]) -> list[list[Item]]:
    """Return the items, servers that differ in OWN only together, in the order of their names."""
    groups: dict[Value, list[Item]] = collections.defaultdict(list)
    ordered = sorted(
        items, key=lambda each: (str(each.properties.get('name', '')), each.type, each.id)
    )
    for item in ordered:
        shared = {key: item.properties[key] for key in item.properties if key not in OWN}
        nics = len(item.properties.get('networks') or ())
        own = [key for key in OWN if key in item.properties]
        is_server = item.type == SERVER and not item.secrets and _is_plain(item.properties)
        key = (
            (json.dumps([shared, nics, own], sort_keys=True),)
            if is_server
            else (item.type, item.id)
        )
        groups[key].append(item)
    return list(groups.values())
