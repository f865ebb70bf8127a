"""Verbs about what the service offers: types, functions, versions, engines; and ``validate``."""

import argparse
import pkgutil
import re

from heat_lite.cli import api_client, arguments, errors, stack_body
from heat_lite.cli.display import terminal
from heat_lite.cli.option_parser import argument, flag
from heat_lite.common.value_types import Value

TYPES = (
    argument(
        'type',
        metavar='TYPE',
        nargs='?',
        help='show this type, also by its last word; else list all types',
    ),
    argument('--name', metavar='TEXT', help='list only types whose name contains this text'),
    flag('--available', help='list only types that the service offers'),
)
FUNCTIONS = (
    argument(
        'version',
        metavar='VERSION',
        nargs='?',
        help='list the functions of this version of templates, e.g. 2021-04-16; else list the'
        ' versions',
    ),
)
#: a version as templates in HOT write it
_IS_DATE = re.compile(r'\d{4}-\d{2}-\d{2}$')
#: what the service shows of a hidden value
HIDDEN = '******'
#: imports the template library, which starts slowly
CHECK_VALUES = 'heat_lite.authoring.parameter_values:check'
VALIDATE = (arguments.REQUIRED_TEMPLATE, *arguments.FILES, *arguments.OPTIONS)
ENGINES: tuple = ()
BUILD: tuple = ()


def types(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    if args.type:
        name = args.type if '::' in args.type else _full_name(api, args.type)
        _show_type(api.get(f'/resource_types/{api_client.quote(name)}'), out)
        return
    found = api.get('/resource_types', with_unavailable='true')
    wanted = (args.name or '').lower()
    offered = sorted(each for each in found['resource_types'] if wanted in each.lower())
    missing = [
        each
        for each in found.get('unavailable_types', ())  # Heat does not have the key
        if wanted in each['resource_type'].lower() and not args.available
    ]
    if out.is_json:
        rows = [{'resource_type': name, 'available': True} for name in offered]
        out.write_json([*rows, *({**each, 'available': False} for each in missing)])
        return
    for name in offered:
        out.write_line(name)
    _show_missing(missing, out)


def _full_name(api: api_client.ApiClient, word: str) -> str:
    """Return the only type that ends with a word, else the word."""
    found = api.get('/resource_types', with_unavailable='true')
    names = [*found['resource_types']]
    names += [each['resource_type'] for each in found.get('unavailable_types', ())]
    matching = [each for each in names if each.lower().endswith(f'::{word.lower()}')]
    if len(matching) > 1:
        raise errors.CommandError(f'{word} may be one of: {", ".join(sorted(matching))}')
    return matching[0] if matching else word


def _show_missing(rows: list[dict], out: terminal.Terminal) -> None:
    """Write the types that the service does not offer, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for each in rows:
        by_reason.setdefault(each['reason'], []).append(each['resource_type'])
    for reason, names in by_reason.items():
        out.write_line()
        out.write_line(f'not available: {reason}')
        for name in names:
            out.write_line(f'  {name}')


def _show_type(schema: dict, out: terminal.Terminal) -> None:
    if out.is_json:
        out.write_json(schema)
        return
    out.write_line(f'{schema["resource_type"]}  {schema["support_status"]["status"]}')
    if schema.get('description'):
        out.write_line(schema['description'])
    rows = [
        [
            name,
            each.get('type'),
            ', '.join(word for word in ('required', 'immutable') if each.get(word)),
            each.get('description'),
        ]
        for name, each in schema['properties'].items()
    ]
    if rows:
        out.write_line()
        out.table(['PROPERTY', 'TYPE', 'RULES', 'DESCRIPTION'], rows)
    if schema['attributes']:
        out.write_line()
        out.table(
            ['ATTRIBUTE', 'DESCRIPTION'],
            [[name, each.get('description')] for name, each in schema['attributes'].items()],
        )


def functions(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    if not args.version:
        found = api.get('/template_versions')['template_versions']
        rows = (
            [each['version'], each['type'], ', '.join(each.get('aliases') or ())] for each in found
        )
        out.show(found, ['VERSION', 'TYPE', 'ALIASES'], rows)
        return
    if _IS_DATE.match(args.version):  # as templates write it
        args.version = f'heat_template_version.{args.version}'
    path = f'/template_versions/{api_client.quote(args.version)}/functions'
    found = api.get(path)['template_functions']
    rows = ([each['functions'], each['description']] for each in found)
    out.show(found, ['FUNCTION', 'DESCRIPTION'], rows)


def validate(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Let the service validate a template, and check the given values.

    Raises RequestFailed for an invalid template, CommandError for an invalid value.
    """
    body = stack_body.build(args)
    found = api.call('POST', '/validate', body)
    pkgutil.resolve_name(CHECK_VALUES)(args.template, body)
    if out.is_json:
        out.write_json(found)
        return
    out.write_line('the template is valid')
    rows = [
        [name, each.get('Type'), _value(each), each.get('Description')]
        for name, each in found.get('Parameters', {}).items()
    ]
    if rows:
        out.table(['PARAMETER', 'TYPE', 'VALUE', 'DESCRIPTION'], rows)


def _value(parameter: dict) -> Value:
    """Return the value of a parameter; asterisks for a hidden one."""
    value = parameter.get('Value', parameter.get('Default'))
    is_hidden = str(parameter.get('NoEcho')).lower() == 'true'
    return HIDDEN if is_hidden and value not in (None, '') else value


def engines(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    found = api.get('/services')['services']
    keys = ('hostname', 'status', 'engine_id', 'updated_at', 'binary')
    rows = ([each[key] for key in keys] for each in found)
    out.show(found, ['HOST', 'STATUS', 'ENGINE', 'SEEN', 'PROGRAM'], rows)


def build(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    found = api.get('/build_info')
    # the API and the engines may be of different versions while a service is upgraded
    rows = ([name, each['revision']] for name, each in found.items())
    out.show(found, ['PART', 'REVISION'], rows)
