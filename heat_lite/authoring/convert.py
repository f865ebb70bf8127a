"""``heat-lite convert``: CFN and compose files to HOT, YAML to JSON, JSON to YAML."""

import argparse
import json
import os
import pathlib
import re
import sys

from heat_lite.authoring import compose, compose_reader, located_errors, template_files
from heat_lite.cli import errors, runner
from heat_lite.cli.option_parser import Parser, argument, flag, repeatable
from heat_lite.common import printable
from heat_lite.common.value_types import Values
from heat_lite.template import reader, source_positions
from heat_lite.template.conversion import cfn_reader, cfn_to_hot, comments
from heat_lite.template.editing import formatting, yaml_writer

HOT, YAML, JSON = 'hot', 'yaml', 'json'
#: lines of lost comments that are named
MAX_LINES = 20
COMPOSE = re.compile(r'^(services|include):', re.MULTILINE)
RESOURCES = re.compile(r'^["\']?resources["\']?:', re.MULTILINE | re.IGNORECASE)
CONVERT = (
    argument('file', metavar='FILE', help='a template or an environment; - reads standard input'),
    argument(
        '--to',
        choices=(HOT, YAML, JSON),
        help='hot: a template in HOT, as YAML; yaml and json: the same document in another format'
        ' (default: hot for a template in CFN, else yaml for JSON and json for YAML)',
    ),
    argument(
        '-o', '--output', metavar='FILE', help='write to this file (default: standard output)'
    ),
    flag('--force', help='overwrite an existing file'),
    repeatable(
        '--profile',
        metavar='NAME',
        help='convert the services of this profile of a compose file, too; * for all; may be '
        'repeated',
    ),
    flag(
        '--partial',
        help='write the template even if parts of it have no equivalent; these parts stay as they'
        ' are, and the exit status is 1',
    ),
)


def parser() -> Parser:
    return Parser(
        'convert',
        'convert a template from CFN to HOT, from JSON to YAML, or from YAML to JSON, and a compose'
        ' file to HOT. What has no equivalent is named, and nothing is written',
        'heat-lite convert old.template -o app.yaml\nheat-lite convert --to json app.yaml',
        CONVERT,
    )


def main(argv: list[str] | None = None) -> int:
    """Run the command. Return its exit status."""
    return runner.guarded(_convert, parser().parse_args(argv))


def _convert(args: argparse.Namespace) -> int:
    if args.output and os.path.lexists(args.output) and not args.force:
        raise errors.FileError(f'{args.output} exists already: --force overwrites it')
    text = template_files.read(args.file)
    data, target, problems = _converted(args, text)
    count = f'{problems} parts have' if problems > 1 else 'one part has'
    if problems and not args.partial:
        raise errors.CommandError(
            f'{args.file}: {count} no equivalent, so nothing is written; --partial writes the rest'
        )
    lost = _write(args, data, target, [] if _is_json(text) else comments.read(text))
    if lost:
        lines = [str(each.line) for each in lost[:MAX_LINES]] + ['...'] * (len(lost) > MAX_LINES)
        why = 'JSON has none' if target == JSON else 'their parts are not in the new text'
        _say(
            f'{args.file}: note: comments are not carried over, of lines {", ".join(lines)}: {why}'
        )
    if args.output:
        _say(f'wrote {args.output}' + f'; {count} no equivalent, as named above' * bool(problems))
    return errors.FAILED if problems else errors.DONE


def _converted(args: argparse.Namespace, text: str) -> tuple[Values, str, int]:
    """Return the new document, its format, and the number of parts without an equivalent."""
    if COMPOSE.search(text) and args.to in (None, HOT) and not RESOURCES.search(text):
        data, problems = _from_compose(args, text)
        return data, HOT, problems
    try:
        data = cfn_reader.parse(text, args.file)
    except reader.FormatError as error:
        raise located_errors.format_error(args.file, error, text) from None
    is_cfn = cfn_to_hot.is_cfn(data)
    target = args.to or (HOT if is_cfn else YAML if _is_json(text) else JSON)
    if target != HOT:
        return data, target, 0
    if not is_cfn:
        raise errors.FileError(
            f'{args.file} is no template in CFN and no compose file: write --to yaml or json'
        )
    data, problems = _to_hot(args.file, text, data)
    return data, HOT, problems


def _is_json(text: str) -> bool:
    return text.lstrip().startswith('{')


def _to_hot(name: str, text: str, data: Values) -> tuple[Values, int]:
    """Return the template in HOT, and the number of parts without an equivalent."""
    done = cfn_to_hot.convert(data)
    positions = source_positions.Positions(text)
    for level, remarks in (('error', done.problems), ('note', done.notes)):
        for remark in remarks:
            line, column = positions.find(remark.path)
            _say(f'{name}:{line}:{column}: {level}: {remark.text}')
    return done.data, len(done.problems)


def _from_compose(args: argparse.Namespace, text: str) -> tuple[Values, int]:
    """Return the template of a compose file, and the number of parts without an equivalent."""
    path = pathlib.Path('compose.yaml' if args.file == '-' else args.file)
    reader_of_file = compose_reader.Reader(os.environ, args.profile)
    folder = pathlib.Path(args.output).parent if args.output else path.parent
    try:
        given = text if args.file == '-' else None
        data = reader_of_file.read(pathlib.Path(os.path.abspath(path)), given)
        conversion = compose.Conversion(data, folder, os.environ)
        template = conversion.template()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _located(args.file, text, str(error)) from error
    for each in conversion.problems:
        _say(str(_located(args.file, text, each)).partition('\n')[0])
    for each in (*reader_of_file.notes, *conversion.notes):
        _say(f'{args.file}: note: {each}')
    return template, len(conversion.problems)


def _located(name: str, text: str, remark: str) -> errors.LocatedError:
    """Return a remark that begins with its path as an error at the deepest part that exists."""
    path, subject = remark.partition(':')[0].split('.'), located_errors.quoted_in(remark)
    return located_errors.at_path(name, path, remark, text, subject)


def _say(text: str) -> None:
    print(printable.escape(text), file=sys.stderr)


def _write(
    args: argparse.Namespace, data: Values, target: str, found: list[comments.Comment]
) -> list[comments.Comment]:
    """Write the data with the comments. Return the comments that are left out."""
    if target == JSON:
        text, lost = json.dumps(data, indent=2, ensure_ascii=False) + '\n', found
    else:
        text, lost = _with_comments(yaml_writer.to_yaml(data), data, found)
    if not formatting.is_equal(reader.parse(text), data):
        raise errors.CommandError(f'{args.file}: the new text would have other data')
    if args.output:
        template_files.create(args.output, text)
    else:
        sys.stdout.write(text)
    return lost


def _with_comments(
    text: str, data: Values, found: list[comments.Comment]
) -> tuple[str, list[comments.Comment]]:
    """Return a text with comments, and the comments that cannot be put into it."""
    done, lost = comments.insert(text, found)
    try:
        is_kept = formatting.is_equal(reader.parse(done), data)
    except reader.FormatError:
        is_kept = False
    return (done, lost) if is_kept else (text, found)
