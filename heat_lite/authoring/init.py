"""``heat-lite init``: writes a template to start from."""

import argparse
import os
import shlex
from pathlib import Path

from heat_lite.authoring import file_references, offline_types, template_files, type_examples
from heat_lite.cli import errors, runner
from heat_lite.cli.display import terminal
from heat_lite.cli.option_parser import Parser, argument, flag
from heat_lite.common import installation
from heat_lite.common.value_types import Values
from heat_lite.template.editing import yaml_writer

#: the folder of the templates: a kind is a file, or a folder with a file of the same name and the
#: templates that it uses
FOLDER = 'init'
SUFFIX = '.yaml'
INIT = (
    argument(
        'kind',
        metavar='KIND',
        nargs='?',
        help='a kind of template, or a resource type; else list the kinds',
    ),
    argument(
        '-o',
        '--output',
        metavar='FILE',
        help='write the template to this file; - prints it (default: KIND.yaml)',
    ),
    flag('--force', help='overwrite existing files'),
    flag('--json', help='print JSON'),
)


def parser() -> Parser:
    return Parser(
        'init',
        'write a template to start from',
        'heat-lite init\nheat-lite init server -o app.yaml\nheat-lite init OS::Neutron::Router',
        INIT,
    )


def main(argv: list[str] | None = None) -> int:
    """Run the command. Return its exit status."""
    return runner.guarded(_init, parser().parse_args(argv))


def kinds() -> dict[str, Path]:
    """Return ``{kind: its template}``."""
    folder = installation.data_path('etc', FOLDER)
    found = {path.stem: path for path in folder.glob(f'*{SUFFIX}')}
    found.update({path.parent.name: path for path in folder.glob(f'*/*{SUFFIX}') if _is_main(path)})
    return dict(sorted(found.items()))


def _is_main(path: Path) -> bool:
    return path.stem == path.parent.name


def _init(args: argparse.Namespace) -> None:
    out = terminal.Terminal(is_json=args.json)
    if args.kind is None:
        _list(out)
        return
    texts = _texts(args.kind)
    main_name = args.output or next(iter(texts))
    if main_name == file_references.STDIN:
        _print(args.kind, texts)
        return
    folder = os.path.dirname(main_name)
    main_text, *others = texts.items()
    files = {main_name: main_text[1]}
    files.update({os.path.join(folder, name): text for name, text in others})
    if len(files) < len(texts):
        raise errors.UsageError(f'{main_name} is the name of a file that the template uses')
    _write(files, args.force)
    _report(files, main_name, out)


def _list(out: terminal.Terminal) -> None:
    rows = [
        {'kind': kind, 'description': template_files.parse(kind, path.read_text())['description']}
        for kind, path in kinds().items()
    ]
    if out.is_json:
        out.write_json(rows)
        return
    out.table(['KIND', 'DESCRIPTION'], [[row['kind'], row['description']] for row in rows])
    out.write_line()
    out.write_line('`heat-lite init KIND` writes KIND.yaml. A resource type is a kind, too.')


def _texts(kind: str) -> dict[str, str]:
    """Return ``{name of file: text}`` of a kind, the template itself first."""
    known = kinds()
    if kind in known:
        path = known[kind]
        others = sorted(path.parent.glob(f'*{SUFFIX}')) if _is_main(path) else []
        return {
            each.name: each.read_text(encoding='utf-8') for each in dict.fromkeys([path, *others])
        }
    types = offline_types.OfflineTypes()
    kind = types.full_name(kind)
    if not types.knows(kind):
        hint = errors.suggest(kind, [*known, *types.names()])
        raise errors.CommandError(
            f'there is no kind {kind}.{hint} `heat-lite init` lists the kinds.'
        )
    example = type_examples.starter_of(types.get(kind))
    name = next(iter(example['resources']))
    return {name + SUFFIX: yaml_writer.to_yaml(example)}


def _print(kind: str, texts: dict[str, str]) -> None:
    if len(texts) > 1:
        raise errors.UsageError(
            f'{kind} consists of {len(texts)} files, which cannot be printed: leave out -o -'
        )
    print(*texts.values(), end='')


def _write(files: dict[str, str], force: bool) -> None:
    """Write all files, or none if one exists already."""
    existing = [name for name in files if os.path.lexists(name)]
    if existing and not force:
        raise errors.FileError(f'{", ".join(existing)} exists already: --force overwrites it')
    for name, text in files.items():
        template_files.create(name, text)


def _report(files: dict[str, str], main_name: str, out: terminal.Terminal) -> None:
    required = _required(template_files.parse(main_name, files[main_name]))
    if out.is_json:
        out.write_json({'files': list(files), 'required_parameters': required})
        return
    for name in files:
        out.write_line(f'wrote {name}')
    name = shlex.quote(main_name)
    values = ''.join(f' -P {parameter}=...' for parameter in required)
    stack = shlex.quote(Path(main_name).stem)
    out.write_line('next:')
    out.write_line(f'  heat-lite lint {name}')
    out.write_line(f'  heat-lite apply -t {name}{values} {stack}')


def _required(data: Values) -> list[str]:
    parameters = data.get('parameters') or {}
    return [name for name, each in parameters.items() if 'default' not in each]
