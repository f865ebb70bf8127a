"""The verb ``import``: describes an existing object as a part of a template, or all objects of a
project as modules, and adopts them.
"""

import argparse
import collections
import json
import os
import pkgutil
import re
import sys
import uuid
from collections.abc import Iterator

from heat_lite.authoring import project_templates
from heat_lite.cli import api_client, arguments, errors, stack_body
from heat_lite.cli.display import outcome, progress, terminal
from heat_lite.cli.option_parser import argument, flag, repeatable
from heat_lite.common.value_types import Value, Values
from heat_lite.template import reader

VERSION = '2021-04-16'
IMPORT_OBJECT = (
    argument('type', metavar='TYPE', nargs='?', help='type of the resource'),
    argument('id', metavar='ID', nargs='?', help='id of the object in its service'),
    argument(
        'stack',
        metavar='STACK',
        nargs='?',
        help='stack that gets the resource; a new one owns the object (default: print the part)',
    ),
    argument(
        '--name', metavar='NAME', help='name of the resource (default: that of the object or type)'
    ),
    repeatable(
        '--property',
        type=arguments.pair,
        metavar='NAME=VALUE',
        help='property that the object does not show; may be repeated',
    ),
    flag('--print', help='only print the part of the template, with its external_id for STACK'),
    argument(
        '--project',
        metavar='STACK',
        help='instead of one object: write templates of all objects of the project that belong to'
        ' no stack, and adopt them into this new stack; with --print only write',
    ),
    argument(
        '-d',
        '--directory',
        metavar='FOLDER',
        help='new folder for the templates of --project (default: the name of the stack)',
    ),
    flag('--external', help='refer to the object by external_id: a new stack does not own it'),
    flag('--own', help='an existing stack owns the object, instead of a reference to it'),
    arguments.YES,
    arguments.NO_WAIT,
)
NOT_SHOWN = (
    'the service does not show live properties: it is older than this command, or no heat_lite'
)
#: the beginning of the error of the service for an object that it cannot find
NO_OBJECT = 'Invalid external resource'
ID_NEEDED = 'Give the id of the object in its service; a name is not enough.'
NO_EXTERNAL_ID = (
    'the template of {} is not in HOT, and has no external_id: import the object into a new stack'
)


def import_object(
    api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace
) -> None:
    if args.project:
        _import_project(api, out, args)
        return
    if not args.id:
        raise errors.UsageError('give TYPE and ID of an object, or --project STACK')
    given = {name: value_of(text) for name, text in args.property}
    stack = None if args.stack is None else api.find_stack(args.stack)
    part = {'type': args.type}
    is_owned = args.own or stack is None and not args.external
    properties = observe(api, args.type, args.id, given, is_owned and bool(args.stack))
    name = args.name or resource_name(args.type, properties)
    if args.stack and not is_owned:
        part['external_id'] = args.id
    part['properties'] = properties
    out.write_document({'resources': {name: part}}, None if args.stack else 2)
    _tell_missing(api, args.type, properties, is_owned and bool(args.stack) and not args.print)
    if args.print or args.stack is None:
        return
    _confirm(args, name, is_owned)
    if stack is not None and is_owned:
        _adopt_into(api, out, args, name, part)
    elif stack is not None:
        _add(api, out, args, stack, name, part)
    else:
        _create(api, out, args, name, part, is_owned)


def value_of(text: str) -> Value:
    """Return a value that is written in JSON; another text is itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def observe(
    api: api_client.ApiClient, type_name: str, object_id: str, given: dict, is_owned: bool
) -> dict:
    """Return the properties of an object as it is, and the given ones.

    ``is_owned``: whether a stack is to own it. Raises CommandError if they cannot be read, and if
    another stack owns it already.
    """
    resource = {'type': type_name, 'external_id': object_id, 'properties': given}
    body = {
        'stack_name': f'import-{uuid.uuid4().hex}',
        'template': {'heat_template_version': VERSION, 'resources': {'it': resource}},
        'observe': True,
    }
    try:
        [found] = api.call('POST', '/stacks/preview', body)['stack']['resources']
    except api_client.RequestFailed as error:
        if not error.text.startswith(NO_OBJECT):
            raise
        raise errors.CommandError(f'{error.text.rstrip(".")}. {ID_NEEDED}') from error
    found = found if isinstance(found, dict) else {}
    owner, project = found.get('live_owner'), found.get('live_project')
    if is_owned and (owner or project):
        raise errors.CommandError(
            f'{type_name} {object_id} belongs to {owner} already: move the resource '
            '(heat-lite move), or import with --external'
            if owner
            else f'{type_name} {object_id} belongs to the project {project}: import with --external'
        )
    if 'live_properties' in found:
        live = found['live_properties'].items()
        return {**{key: project_templates.literal(value) for key, value in live}, **given}
    reason = found.get('live_error')
    raise errors.CommandError(f'{type_name} {object_id}: {reason}' if reason else NOT_SHOWN)


def _tell_missing(
    api: api_client.ApiClient, type_name: str, properties: dict, is_refused: bool
) -> None:
    """Warn of required properties that the object does not show.

    Raises CommandError if the object is to be adopted with them.
    """
    try:
        schemata = api.get(f'/resource_types/{api_client.quote(type_name)}')['properties']
    except api_client.RequestFailed as error:
        if error.status != 400:  # a type that is hidden, whose schema the service does not show
            raise
        return
    missing = [name for name, schema in schemata.items() if schema.get('required')]
    missing = [name for name in missing if name not in properties]
    if not missing:
        return
    options = ' '.join(f'--property {name}=VALUE' for name in missing)
    text = f'{type_name} requires properties that the object does not show: add {options}'
    if is_refused:
        raise errors.CommandError(text)
    print(f'heat-lite: {text}', file=sys.stderr)


def resource_name(type_name: str, properties: Values) -> str:
    """Return a name for the resource: that of the object, else the last word of its type."""
    given = properties.get('name')
    text = given if isinstance(given, str) else type_name.rpartition('::')[2].lower()
    return re.sub(r'[^A-Za-z0-9_.-]+', '-', text).strip('-') or 'imported'


def _confirm(args: argparse.Namespace, name: str, is_owned: bool) -> None:
    """Ask, unless the user has accepted before. Raises UsageError, CommandError."""
    effect = (
        f'The stack {args.stack} owns the object and deletes it with itself.'
        if is_owned
        else f'The stack {args.stack} refers to the object, and never changes or deletes it.'
    )
    arguments.confirm(args, f'\n{effect} Import {name}?', 'nothing is imported')


def _create(
    api: api_client.ApiClient,
    out: terminal.Terminal,
    args: argparse.Namespace,
    name: str,
    part: dict,
    is_owned: bool,
    stack: str = '',
) -> str:
    """Create the stack, by adoption if it owns the object. Return its path."""
    template = {'heat_template_version': VERSION, 'resources': {name: part}}
    body = {'disable_rollback': True, 'template': template}
    if is_owned:
        adopted = {'resource_id': args.id, 'resource_data': {}, 'metadata': {}, 'type': args.type}
        document = {'template': template, 'resources': {name: adopted}}
        body['adopt_stack_data'] = json.dumps(document)
    path = api.create_stack(stack or args.stack, body)
    wait = bool(stack) or not args.no_wait
    outcome.follow_or_tell(api, path, out, 'ADOPT' if is_owned else 'CREATE', not wait)
    return path


def _adopt_into(
    api: api_client.ApiClient,
    out: terminal.Terminal,
    args: argparse.Namespace,
    name: str,
    part: dict,
) -> None:
    """Make the object a resource of an existing stack: adopted by a stack of its own, it moves."""
    own = f'import-{uuid.uuid4().hex}'
    path = _create(api, out, args, name, part, True, own)
    places = {'from': f'{own}/{name}', 'to': f'{args.stack}/{name}'}
    try:
        api.call('POST', '/stacks/refactor', {'moves': [places]})
    except api_client.RequestFailed:
        api.call('DELETE', f'{path}/abandon')
        raise
    api.call('DELETE', path)
    out.confirm(f'{name} is now a resource of {args.stack}')


def _add(
    api: api_client.ApiClient,
    out: terminal.Terminal,
    args: argparse.Namespace,
    stack: dict,
    name: str,
    part: dict,
) -> None:
    """Add the resource to an existing stack. Raises CommandError if that is impossible."""
    path = api_client.stack_path(stack)
    template = api.get(path + '/template')
    if 'heat_template_version' not in template:
        raise errors.CommandError(NO_EXTERNAL_ID.format(args.stack))
    resources = template.get('resources') or {}
    if name in resources:
        raise errors.CommandError(
            f'{args.stack} has a resource {name} already: choose another name with --name'
        )
    before = progress.state_before(api, path)
    body = {
        'template': {**template, 'resources': {**resources, name: part}},
        'files': api.get(path + '/files'),
    }
    api.call('PATCH', path, body)
    outcome.follow_or_tell(api, path, out, 'UPDATE', args.no_wait, before)


def _import_project(
    api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace
) -> None:
    """Write the templates of a project, and adopt its objects."""
    folder = args.directory or args.project
    if os.path.lexists(folder):
        raise errors.FileError(f'{folder} exists: remove it, or name another --directory')
    items = list(_list_items(api))
    if not items:
        raise errors.CommandError('there is nothing to import')
    project = project_templates.ProjectTemplates(items)
    _write_files(folder, project.files())
    out.confirm(f'{len(items)} objects are described in {folder}')
    if args.print:
        return
    effect = f'The new stack {args.project} owns the objects and deletes them with itself.'
    arguments.confirm(args, f'{effect} Adopt them?', 'nothing is adopted')
    names = [os.path.join(folder, name) for name in ('project.yaml', 'environment.yaml')]
    given = argparse.Namespace(
        template=names[0],
        environment=names[1:],
        parameter=(),
        parameter_file=(),
        tags=None,
        timeout=None,
        disable_rollback=True,
    )
    body = stack_body.build(given)
    document = {'template': reader.parse(body['template']), 'resources': project.adopted}
    path = api.create_stack(args.project, {**body, 'adopt_stack_data': json.dumps(document)})
    outcome.follow_or_tell(api, path, out, 'ADOPT', args.no_wait)


def _list_items(api: api_client.ApiClient) -> Iterator[project_templates.Item]:
    """Yield the objects that can be described, and tell of the others."""
    seen: set[tuple[str, str]] = set()
    others: list[tuple[str | None, str]] = []
    unlisted = []
    for kind in api.get('/resource_types')['resource_types']:
        if not kind.startswith('OS::') or kind.startswith('OS::Heat::'):
            continue
        try:
            found = api.get(f'/resource_types/{api_client.quote(kind)}/objects')['objects']
        except api_client.RequestFailed as error:
            if error.status == 404:
                raise errors.CommandError(NOT_SHOWN) from error
            found = [{'id': None, 'error': error.text}]
        if found is None:
            unlisted.append(kind)
        for each in found or ():
            reason = 'in a stack already' if each.get('in_stack') else each.get('error')
            if reason is not None:
                others.append((each['id'], f'{kind}: not imported: {reason}'))
                continue
            item = project_templates.Item(kind, each['id'], each['properties'], each['secrets'])
            if (item.module, item.id) not in seen:  # a network is a provider network, too
                seen.add((item.module, item.id))
                yield item
    described = {one for _, one in seen}
    texts = collections.Counter(text for one, text in others if one not in described)
    for text, count in texts.items():
        print(f'{text} ({count})', file=sys.stderr)
    print(f'not looked at: {", ".join(unlisted)}', file=sys.stderr)


def _write_files(folder: str, files: dict[str, dict]) -> None:
    """Write the templates, readable for their owner only: the environment may have secrets."""
    dump = pkgutil.resolve_name('yaml:safe_dump')  # it starts slowly, and few verbs need it
    try:
        os.mkdir(folder, 0o700)
    except OSError as error:
        raise errors.FileError(f'{folder}: {error.strerror}') from None
    for name, data in files.items():
        with open(os.path.join(folder, name), 'w') as file:
            # parsed anew, so that no part is an alias of another
            dump(json.loads(json.dumps(data)), file, sort_keys=False, allow_unicode=True, width=100)
