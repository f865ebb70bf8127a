"""Compare the properties of our types with the resource classes of openstacksdk.

usage: python -m tests.real.sdk_properties [--all]

A class belongs to the type with the same collection of the same service. The table has a row for
each field that the class can send, or shows, and no property of the type has: with the decision of
``sdk_properties.yaml``, or the mark UNDECIDED, which makes the exit status 1. ``--all`` lists the
fields that are properties, too. No cloud is asked.
"""

import fnmatch
import importlib
import pathlib
import pkgutil
import re
import sys

import openstack
import yaml
from openstack import resource

from heat_lite import resources
from heat_lite.clients.service_catalog import SERVICES
from heat_lite.resources.base.cloud import CloudResource

PROPERTY = 'property'
DECISIONS = yaml.safe_load(pathlib.Path(__file__).with_suffix('.yaml').read_text())


def main():
    undecided = 0
    print('TYPE\tFIELD\tDECISION')
    for name, field, decision in rows():
        undecided += decision is None
        if decision != PROPERTY or '--all' in sys.argv:
            print(f'{name}\t{field}\t{decision or "UNDECIDED"}')
    print(f'{undecided} undecided')
    return bool(undecided)


def rows():
    """Yield (name of the type, field, decision) of each field of the classes; see ``decided``."""
    for name, kind, sdk_class in pairs():
        known = fields_of(kind)
        for field in sorted(body_fields(sdk_class)):
            yield name, field, PROPERTY if field in known else decided(name, field)


def decided(type_name, field):
    """Return the reason why a field is no property; None if nobody has decided."""
    own, everywhere = DECISIONS['types'].get(type_name, {}), DECISIONS['everywhere']
    if field in own or field in everywhere:
        return own.get(field) or everywhere[field]
    found = (own[pattern] for pattern in own if fnmatch.fnmatchcase(field, pattern))
    return next(found, None)


def fields_of(kind):
    """Return the fields that properties and hooks of a type send, by their names on the wire."""
    schemata = kind.properties_schema
    sent = {schema.key(name) for name, schema in schemata.items()} | {*schemata}
    return sent | {*kind.observed_keys.values()}


def body_fields(sdk_class):
    """Return the names on the wire of the fields of a class of openstacksdk."""
    parts = (part for each in sdk_class.__mro__ for part in vars(each).values())
    return {part.name for part in parts if isinstance(part, resource.fields.Body)}


def pairs():
    """Yield (type name, class of the type, class of openstacksdk), sorted by name."""
    registry = resources.build_registry()
    known = {}
    for sdk_class in sdk_classes():
        if sdk_class.base_path and sdk_class.allow_create:
            package = sdk_class.__module__.split('.')[1]
            known.setdefault((package, _plain(sdk_class.base_path)), sdk_class)
    for name in registry.names():
        kind = registry.get(name)
        rest = getattr(kind, 'rest', None)
        if rest is None or not issubclass(kind, CloudResource) or not name.startswith('OS::'):
            continue
        package = SERVICES[rest.service].type.replace('-', '_')
        sdk_class = known.get((package, _plain(rest.path)))
        if sdk_class is not None:
            yield name, kind, sdk_class


def _plain(path):
    return re.sub(r'%\(\w+\)s|{\w+}', '*', path)


def sdk_classes():
    """Yield the resource classes of openstacksdk, newest version of an API first."""
    folders = sorted(pkgutil.iter_modules(openstack.__path__, 'openstack.'), key=lambda m: m.name)
    for service in folders:
        if not service.ispkg:
            continue
        package = importlib.import_module(service.name)
        versions = [m for m in pkgutil.iter_modules(package.__path__) if re.match(r'v\d', m.name)]
        for version in sorted(versions, key=lambda m: m.name, reverse=True):
            path = [f'{package.__path__[0]}/{version.name}']
            for module in pkgutil.iter_modules(path, f'{service.name}.{version.name}.'):
                if module.name.rpartition('.')[2].startswith('_'):
                    continue
                for each in vars(importlib.import_module(module.name)).values():
                    if (
                        isinstance(each, type)
                        and issubclass(each, resource.Resource)
                        and each.__module__ == module.name
                    ):
                        yield each


if __name__ == '__main__':
    sys.exit(main())
