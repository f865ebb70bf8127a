"""``heat-lite fmt``: writes templates and environments in their usual form."""

import argparse
import difflib
import sys

from heat_lite.authoring import file_references, template_files
from heat_lite.cli import errors, runner
from heat_lite.cli.option_parser import Parser, argument, flag
from heat_lite.common import printable
from heat_lite.template import reader
from heat_lite.template.editing import formatting

FMT = (
    argument(
        'files',
        nargs='+',
        metavar='FILE',
        help='a template, an environment, or a folder of them; - formats standard input to standard'
        ' output',
    ),
    flag('--check', help='write nothing; name the files with another form, and exit with status 1'),
    flag('--diff', help='write nothing; print the changes'),
)


def parser() -> Parser:
    return Parser(
        'fmt',
        'write templates and environments in their usual form: order of keys, two spaces a level,'
        ' one empty line between sections. Comments, quotes and short forms are kept, and the data'
        ' are compared before a file is written',
        'heat-lite fmt app.yaml\nheat-lite fmt --check --diff templates/',
        FMT,
    )


def main(argv: list[str] | None = None) -> int:
    """Run the command. Return its exit status."""
    return runner.guarded(_format_all, parser().parse_args(argv))


def _format_all(args: argparse.Namespace) -> int:
    """Format all files. A file that cannot be formatted does not stop the others."""
    status = errors.DONE
    names = template_files.expand(args.files)
    if not names:
        raise errors.FileError(f'{", ".join(args.files)}: no template or environment is there')
    for name in names:
        try:
            is_changed = _format(name, args)
        except errors.FileError as error:
            errors.complain_of(error)
            status = errors.FAILED
            continue
        if is_changed and args.check:
            status = errors.FAILED
    return status


def _format(name: str, args: argparse.Namespace) -> bool:
    """Format one file. Return whether its form differs from the usual one."""
    text = template_files.read(name)
    done = _formatted(name, text)
    is_changed = done != text
    if args.diff:
        _print_diff(name, text, done)
    if name == file_references.STDIN and not (args.check or args.diff):
        sys.stdout.write(done)
    elif is_changed and args.check:
        print(printable.escape(name))
    elif is_changed and not args.diff:
        template_files.write(name, done)
        print(f'formatted {printable.escape(name)}')
    return is_changed


def _formatted(name: str, text: str) -> str:
    if not template_files.parse(name, text):
        raise errors.FileError(f'{name}: not formatted: The document is empty.')
    try:
        return formatting.formatted(text)
    except (reader.FormatError, formatting.NotFormattable) as error:
        raise errors.FileError(f'{name}: not formatted: {error}') from None


def _print_diff(name: str, text: str, done: str) -> None:
    changes = difflib.unified_diff(
        text.splitlines(), done.splitlines(), name, f'{name} (formatted)', lineterm=''
    )
    for line in changes:
        print(printable.escape(line))
