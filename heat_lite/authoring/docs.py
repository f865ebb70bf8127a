"""``heat-lite docs``: describes resource types and functions without a service."""

import argparse
import dataclasses
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from heat_lite.authoring import type_examples, type_page
from heat_lite.authoring.offline_types import OfflineTypes
from heat_lite.cli import errors, runner
from heat_lite.cli.display import terminal
from heat_lite.cli.option_parser import PLUGIN_DIR, Parser, argument, flag
from heat_lite.common.value_types import Values
from heat_lite.template import schema, support, versions
from heat_lite.template.editing import yaml_writer
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.schema import AttributeSchema

DOCS = (
    argument(
        'subject',
        metavar='TYPE',
        nargs='?',
        help='a resource type, or a function of templates; else list all types',
    ),
    argument('--name', metavar='TEXT', help='list only types with this text in the name'),
    PLUGIN_DIR,
    flag('--json', help='print JSON'),
)


def parser() -> Parser:
    return Parser(
        'docs',
        'describe a resource type: its properties, its attributes, and a valid example',
        'heat-lite docs OS::Neutron::Port\nheat-lite docs --name Neutron\nheat-lite docs get_attr',
        DOCS,
    )


def main(argv: list[str] | None = None) -> int:
    """Run the command. Return its exit status."""
    return runner.guarded(_docs, parser().parse_args(argv))


def _docs(args: argparse.Namespace) -> None:
    out = terminal.Terminal(is_json=args.json)
    types = OfflineTypes(args.plugin_dir)
    if not args.subject:
        _list(types, args.name or '', out)
        return
    functions = _functions()
    if args.subject in functions:
        _show_function(args.subject, functions[args.subject], out)
    else:
        _show_type(types, args.subject, out, functions)


def _list(types: OfflineTypes, text: str, out: terminal.Terminal) -> None:
    found = [name for name in types.names() if text.lower() in name.lower()]
    infos = {name: types.get(name) for name in found}
    shown = {
        name: type_page.summary(info)
        for name, info in infos.items()
        if info.support.status != support.HIDDEN
    }
    if out.is_json:
        rows = [{'resource_type': name, 'description': text} for name, text in shown.items()]
        out.write_json(rows)
        return
    if not shown:
        raise errors.CommandError(f'no resource type has {text!r} in its name')
    out.table(['TYPE', 'DESCRIPTION'], shown.items())


def _functions() -> dict[str, list[tuple[str, str]]]:
    """Return ``{function: [(version, description)]}``, the oldest version first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for key in versions.TABLE:
        for name in sorted({version.name for version in versions.TABLE[key].values()}):
            full_name = f'{key}.{name}'
            for row in versions.list_functions(full_name, with_condition=True) or ():
                found.setdefault(row['functions'], []).append((full_name, row['description']))
    return found


def _show_function(name: str, rows: Sequence[tuple[str, str]], out: terminal.Terminal) -> None:
    first, (last, description) = rows[0][0], rows[-1]
    if out.is_json:
        listed = [each for each, _ in rows]
        out.write_json({'function': name, 'description': description, 'versions': listed})
        return
    out.write_line(name)
    for line in textwrap.wrap(description, terminal.columns() - 2):
        out.write_line(f'  {line}')
    out.write_line(f'  since {first}' + ('' if last == first else f', up to {last}'))


def _suggest(name: str, known: list[str]) -> str:
    """Return a question for the names that end with a word, else for the most similar one."""
    ends = [each for each in known if each.rpartition('::')[2].lower() == name.lower()]
    return f' Did you mean {" or ".join(sorted(ends))}?' if ends else errors.suggest(name, known)


def _show_type(
    types: OfflineTypes, name: str, out: terminal.Terminal, functions: Iterable[str]
) -> None:
    name = types.full_name(name)
    if not types.knows(name):
        hint = _suggest(name, [*types.names(), *functions])
        raise errors.CommandError(
            f'there is no resource type {name}.{hint} `heat-lite docs` lists all types.'
        )
    info = types.get(name)
    attributes = types.registry.get(name).all_attributes_schema()
    example = type_examples.template_of(dataclasses.replace(info, attributes=attributes))
    if out.is_json:
        out.write_json(_as_json(info, attributes, example))
        return
    for line in type_page.lines_of(
        info, attributes, yaml_writer.to_yaml(example), terminal.columns()
    ):
        out.write_line(line)


def _as_json(info: TypeInfo, attributes: Mapping[str, AttributeSchema], example: Values) -> Values:
    return {
        'resource_type': info.name,
        'description': type_page.summary(info),
        'support_status': info.support.to_wire(),
        'properties': schema.to_wire(info.properties or {}),
        'update_policy': schema.to_wire(info.update_policy or {}),
        'attributes': schema.to_wire(attributes),
        'example': example,
    }
