"""Verbs that move a stack as a document: ``export``, ``abandon`` and ``adopt``."""

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import TextIO

from heat_lite.authoring import located_errors
from heat_lite.cli import api_client, arguments, errors, stack_body, stack_files
from heat_lite.cli.display import outcome, terminal
from heat_lite.cli.option_parser import argument
from heat_lite.common.value_types import Value
from heat_lite.template import reader

#: seconds to wait for the end of an abandon
GONE_SECONDS = 60.0
OUTPUT = argument(
    '-o',
    '--output-file',
    metavar='FILE',
    help='new file for the document, readable for its owner only, since it may contain secrets'
    ' (default: standard output)',
)
EXPORT = (arguments.STACK, OUTPUT)
ABANDON = (arguments.STACK, OUTPUT, arguments.YES)
ADOPT = (
    argument('stack', metavar='NAME', help='name of the new stack'),
    argument('--adopt-file', metavar='FILE|URL|-', required=True, help='document of a stack'),
    arguments.TEMPLATE,
    *arguments.FILES,
    *arguments.OPTIONS,
    arguments.NO_WAIT,
)


def export(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    with _destination(args.output_file) as target:
        _write(out, target, api.get(api.find(args.stack) + '/export'))


def abandon(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Delete a stack without its objects. The file is opened before: the document comes once."""
    path = api.find(args.stack)
    arguments.confirm(args, f'Abandon {args.stack}? Its objects stay.', 'nothing is abandoned')
    with _destination(args.output_file) as target:
        _write(out, target, api.call('DELETE', path + '/abandon'))
    _wait_until_gone(api, path)


def _wait_until_gone(api: api_client.ApiClient, path: str) -> None:
    """Wait until the service has ended an abandon, so that the name of the stack is free."""
    until = time.monotonic() + GONE_SECONDS
    while time.monotonic() < until:
        try:
            stack = api.stack_at(path)
        except api_client.RequestFailed:
            return
        if stack['stack_status'] in ('DELETE_COMPLETE', 'DELETE_FAILED'):
            return
        time.sleep(0.1)


@contextlib.contextmanager
def _destination(name: str | None) -> Iterator[TextIO | None]:
    """Create the file of the document; None for the standard output.

    The file is removed if there is no document.
    """
    if name is None:
        yield None
        return
    try:
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise errors.FileError(f'{name} exists: choose the name of a new file') from None
    with open(descriptor, 'w') as target:
        try:
            yield target
        except api_client.RequestFailed:
            os.unlink(name)
            raise
    print(f'wrote {name}', file=sys.stderr)


def _check_document(text: str, name: str) -> None:
    """Raise FileError for a document, in JSON or YAML, that describes no stack."""
    try:
        document = reader.parse(text)
    except reader.FormatError as error:
        raise located_errors.format_error(name, error, text) from None
    if 'template' not in document:
        raise errors.FileError(
            f'{name} describes no stack: it has no "template". `heat-lite export` and '
            '`heat-lite abandon` write such documents'
        )


def _write(out: terminal.Terminal, target: TextIO | None, document: Value) -> None:
    if target is None:
        out.write_json(document)
    else:
        target.write(terminal.json_text(document, indent=2) + '\n')


def adopt(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    text = stack_files.StackFiles().text(args.adopt_file)
    _check_document(text, args.adopt_file)
    body = {'disable_rollback': True, **stack_body.build(args), 'adopt_stack_data': text}
    path = api.create_stack(args.stack, body)
    outcome.follow_or_tell(api, path, out, 'ADOPT', args.no_wait)
