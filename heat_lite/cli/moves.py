"""Verbs that give resources and stacks other names and places: ``move``, ``rename``, ``refactor``.

No object changes by them: the service refuses what would change one.
"""

import argparse
import collections
import json
import pathlib
from collections.abc import Iterator, Mapping

from heat_lite.cli import api_client, arguments, errors, stack_body, stack_files
from heat_lite.cli.display import terminal
from heat_lite.cli.option_parser import argument, flag, repeatable
from heat_lite.common.value_types import Value, Values
from heat_lite.template import reader

ENDINGS = ('.yaml', '.yml', '.json', '.template')
#: what follows the name of a stack in the name of the file of its environment
ENVIRONMENT = '.env.yaml'
MOVE = (
    argument(
        'place',
        metavar='STACK/RESOURCE',
        nargs='+',
        help='what moves; a path leads to a member of a group, or into a nested stack',
    ),
    argument(
        'target',
        metavar='STACK[/NAME]',
        help='the stack that gets it, and its new name; STACK/RESOURCE/ is a nested stack',
    ),
    flag('--create', help='create the target stack if there is none'),
    flag('--dry-run', help='only check whether the move is possible'),
)
RENAME = (
    argument('stack', metavar='STACK', help='name of the stack'),
    argument('name', metavar='NAME', help='its new name'),
)
PLAN = (
    argument(
        'folder',
        metavar='FOLDER',
        help='has STACK.yaml for each stack as it shall be, and STACK.env.yaml for its environment',
    ),
    repeatable(
        '--move',
        type=arguments.pair,
        metavar='STACK/RESOURCE=STACK/RESOURCE',
        help='a move that cannot be found; may be repeated',
    ),
)
APPLY = (*PLAN, arguments.YES)
Place = tuple[str, str]


def move(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    home, _, name = (args.target if '/' in args.target else f'{args.target}/').rpartition('/')
    if name and len(args.place) > 1:
        raise errors.UsageError('several resources move to a STACK/: end it with a slash')
    for each in args.place:
        _split(each)
    moves = [{'from': each, 'to': f'{home}/{name or each.split("/")[-1]}'} for each in args.place]
    body: Values = {'moves': moves, 'dry_run': args.dry_run}
    stack = home.partition('/')[0]
    if args.create and not api.find_stack(stack):
        body['stacks'] = {stack: {}}
    _request(api, out, body)


def rename(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    api.call(
        'POST',
        '/stacks/refactor',
        {'moves': [], 'stacks': {args.stack: {'stack_name': args.name}}},
    )
    out.confirm(f'{args.stack} is now {args.name}')


def plan(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    _request(api, out, {**_planned(api, args), 'dry_run': True})


def apply(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    body = _planned(api, args)
    _request(api, out, {**body, 'dry_run': True})
    arguments.confirm(args, f'Move {len(body["moves"])} resources?', 'nothing is moved')
    _request(api, out, body)


def _request(api: api_client.ApiClient, out: terminal.Terminal, body: Values) -> None:
    answer = api.call('POST', '/stacks/refactor', body)
    if out.is_json:
        out.write_json({'moves': body['moves'], **answer})
        return
    if not body['moves']:
        out.write_line('Nothing moves: each resource is where the templates have it')
    word = 'can become' if body.get('dry_run') else 'is now'
    for each in body['moves']:
        out.write_line(f'{each["from"]} {word} {each["to"]}')
    if not body.get('dry_run'):
        commands = [f'`heat-lite template {name}`' for name in answer['templates']]
        paths = [path.split('/') for each in body['moves'] for path in each.values()]
        nested = dict.fromkeys(path[0] for path in paths if len(path) > 2)
        commands += [f'`heat-lite file list {name}`' for name in nested]
        out.write_line(f'the templates are now those of {", ".join(commands)}')


def _planned(api: api_client.ApiClient, args: argparse.Namespace) -> Values:
    """Return the body of the refactoring that leads from the stacks to the files of a folder."""
    stacks = {name: _files(path) for name, path in _templates(pathlib.Path(args.folder))}
    if not stacks:
        raise errors.CommandError(f'{args.folder} has no file STACK.yaml')
    present: dict[Place, Values] = {}
    wanted: dict[Place, Values] = {}
    for name, body in stacks.items():
        if stack := api.find_stack(name):
            template = api.get(f'{api_client.stack_path(stack)}/template')
            present |= {(name, key): each for key, each in _resources(name, template).items()}
        wanted |= {(name, key): each for key, each in _resources(name, body['template']).items()}
    given = {_split(old): _split(new) for old, new in args.move}
    moves, open_places = _find_moves(present, wanted, given)
    if open_places:
        places = ', '.join('/'.join(each) for each in open_places)
        raise errors.CommandError(
            f'where do these go, or come from: {places}? Say it with --move OLD=NEW; what shall be '
            'created or deleted is for an update afterwards'
        )
    listed = [{'from': '/'.join(old), 'to': '/'.join(new)} for old, new in sorted(moves.items())]
    return {'moves': listed, 'stacks': stacks}


def _find_moves(
    present: Mapping[Place, Values], wanted: Mapping[Place, Values], given: Mapping[Place, Place]
) -> tuple[dict[Place, Place], list[Place]]:
    """Return the moves, and the places on both sides for which there is none, or several.

    A resource is found again by its type with its name, by its type with its properties, or by its
    type alone, where only one on each side is like that. The service refuses a move that would
    change an object.
    """
    gone = {place for place in present if place not in wanted} - given.keys()
    new = {place for place in wanted if place not in present} - set(given.values())
    moves = dict(given)
    for key_of in (_name_and_type, _type_and_properties, lambda place, snippet: _type(snippet)):
        old_by, new_by = (
            _grouped(places, resources, key_of)
            for places, resources in ((gone, present), (new, wanted))
        )
        for key in old_by.keys() & new_by.keys():
            if len(old_by[key]) == len(new_by[key]) == 1:
                (old,), (to,) = old_by[key], new_by[key]
                moves[old] = to
                gone.discard(old)
                new.discard(to)
    return moves, sorted(gone | new)


def _grouped(places: set[Place], resources: Mapping[Place, Values], key_of: Value) -> Value:
    found = collections.defaultdict(list)
    for place in places:
        found[key_of(place, resources[place])].append(place)
    return found


def _name_and_type(place: Place, snippet: Values) -> Value:
    return place[1], _type(snippet)


def _type_and_properties(place: Place, snippet: Values) -> Value:
    properties = snippet.get('properties', snippet.get('Properties'))
    return _type(snippet), json.dumps(properties or {}, sort_keys=True, default=str)


def _type(snippet: Values) -> Value:
    return snippet.get('type', snippet.get('Type'))


def _templates(folder: pathlib.Path) -> Iterator[tuple[str, pathlib.Path]]:
    """Yield the names of stacks with the files of their templates."""
    if not folder.is_dir():
        raise errors.CommandError(f'{folder} is no folder')
    for path in sorted(folder.iterdir()):
        if path.suffix in ENDINGS and not path.name.endswith(ENVIRONMENT):
            yield path.stem, path


def _files(path: pathlib.Path) -> Values:
    """Return a template with its files, and the environment beside it if there is one."""
    files = stack_files.StackFiles(with_references=True)
    body: Values = {'template': files.template(str(path)), 'files': files.contents}
    environment = path.with_name(path.stem + ENVIRONMENT)
    if environment.exists():
        body |= stack_body.environments([str(environment)], files, {})
    return body


def _resources(name: str, template: Value) -> Values:
    """Return the resources of a template. Raises CommandError if it has none by the rules."""
    try:
        data = reader.parse(template) if isinstance(template, str) else template
        found: Values = data.get('resources') or data.get('Resources') or {}
        if all(isinstance(_type(each), str) for each in found.values()):
            return found
    except (ValueError, AttributeError):  # no map
        pass
    raise errors.CommandError(
        f'the template of {name} is wrong: it is a map, and has resources, each with a type'
    )


def _split(text: str) -> Place:
    stack, _, name = text.partition('/')
    if not stack or not name:
        raise errors.UsageError(f'{text!r} is not STACK/RESOURCE')
    return stack, name
