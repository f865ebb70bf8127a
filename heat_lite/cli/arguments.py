"""The options of the verbs, as data, and the parser of a verb."""

import argparse
from collections.abc import Iterable, Sequence

from heat_lite.cli import connection, errors
from heat_lite.cli.display import terminal
from heat_lite.cli.option_parser import Argument, Parser, argument, count, flag, repeatable


def pair(text: str) -> tuple[str, str]:
    """Read NAME=VALUE."""
    name, sign, value = text.partition('=')
    if not sign or not name:
        raise argparse.ArgumentTypeError(f'{text!r} is not NAME=VALUE')
    return name, value


def minutes(text: str) -> int:
    """Read a number of minutes, at least 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'{text!r} is not a number of minutes')
    return int(text)


def confirm(args: argparse.Namespace, question: str, refusal: str) -> None:
    """Ask unless ``--yes`` is given.

    Raises UsageError without a terminal, CommandError with ``refusal`` for another answer.
    """
    require_answer(args)
    if not args.yes and not terminal.ask(question):
        raise errors.CommandError(refusal)


def require_answer(args: argparse.Namespace) -> None:
    """Raise UsageError if the user can neither be asked nor has accepted before.

    A template from standard input leaves no input for the answer.
    """
    if not args.yes and (getattr(args, 'template', None) == '-' or not terminal.can_ask()):
        raise errors.UsageError('standard input is no terminal to ask at: add -y to accept')


STACK = argument('stack', metavar='STACK', help='name or id of the stack')
RESOURCE = argument('resource', metavar='RESOURCE', help='name of the resource')
NO_WAIT = flag('--no-wait', help='return as soon as the service has accepted the request')
YES = flag('-y', '--yes', help='do not ask')
DETAILED_EXITCODE = flag('--detailed-exitcode', help='exit with status 3 if there are changes')
NESTED, ALL_DEPTHS = '--nested', 5
NESTED_DEPTH = argument(
    NESTED,
    nargs='?',
    type=count,
    metavar='DEPTH',
    default=0,
    const=ALL_DEPTHS,
    help=f'include nested stacks down to this depth, without DEPTH {ALL_DEPTHS} (default: 0)',
)
FILES = (
    repeatable(
        '-e',
        '--environment',
        metavar='FILE|URL',
        help='environment; may be repeated, later ones win',
    ),
    repeatable(
        '-P',
        '--parameter',
        type=pair,
        metavar='NAME=VALUE',
        help='value of a parameter, which wins over environments; may be repeated',
    ),
    repeatable(
        '--parameter-file',
        type=pair,
        metavar='NAME=FILE',
        help='file with the value of a parameter; may be repeated',
    ),
    argument(
        '-s',
        '--files-container',
        metavar='NAME',
        help='container of the object store that has the files that template and environments'
        ' name; only the template is read from this machine',
    ),
)
OPTIONS = (
    argument('--tags', metavar='TAG,TAG', help='tags of the stack, separated by commas'),
    argument(
        '--timeout',
        type=minutes,
        metavar='MINUTES',
        help='time for the action; none: that of the service or of the stack',
    ),
    argument(
        '--rollback',
        dest='disable_rollback',
        action='store_const',
        const=False,
        help='roll back after a failure (default: no for a new stack, as before for others)',
    ),
    argument(
        '--disable-rollback',
        dest='disable_rollback',
        action='store_const',
        const=True,
        help='do not roll back after a failure (default: as for --rollback)',
    ),
)
TEMPLATE_HELP = 'template; - reads standard input'
TEMPLATE = argument('-t', '--template', metavar='FILE|URL|-', help=TEMPLATE_HELP)
REQUIRED_TEMPLATE = argument(
    '-t', '--template', metavar='FILE|URL|-', required=True, help=TEMPLATE_HELP
)
EXISTING = flag(
    '--existing', help='keep template, parameters and environment that are not given (as PATCH)'
)

MESSAGE = argument('--message', metavar='TEXT', help='why the stack changes, for its history')
REVISION = argument(
    '--revision',
    type=count,
    metavar='REVISION',
    help='a definition of `heat-lite history`, with its parameters, instead of a template',
)

CONNECTION = (
    argument(
        '--endpoint',
        metavar='URL',
        help='http://HOST:PORT/v1/PROJECT (default: HEAT_LITE_ENDPOINT, else the cloud of'
        ' the OS_* variables, else that of a running `heat-lite up`, else'
        f' {connection.DEFAULT_ENDPOINT})',
    ),
    argument('--token', metavar='TOKEN', help='token for --endpoint (default: OS_TOKEN)'),
    argument('--os-cloud', metavar='NAME', help='cloud of clouds.yaml (default: OS_CLOUD)'),
    argument(
        '--os-region-name', metavar='REGION', help='region of the cloud (default: OS_REGION_NAME)'
    ),
)
JSON = flag('--json', help='print JSON; what arrives over time is one object a line')


def parser(verb: str, summary: str, example: str, specific: Iterable[Argument]) -> Parser:
    """Return the parser of a verb: its own options and those of all verbs."""
    top = Parser(verb, summary, example, specific)
    shared = top.add_argument_group('service and output')
    for each in (*CONNECTION, JSON):
        each.add_to(shared)
    return top


def split_leading(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options of the service in front of the verb, and the rest."""
    names = {name for each in (*CONNECTION, JSON) for name in each.names}
    index = 0
    while index < len(argv) and argv[index].partition('=')[0] in names:
        index += 2 if needs_value(argv[index]) else 1
    return list(argv[:index]), list(argv[index:])


def needs_value(option: str) -> bool:
    """Return whether the next word is the value of an option of the service."""
    return '=' not in option and option not in JSON.names


def with_depth(words: Sequence[str], parser: argparse.ArgumentParser) -> list[str]:
    """Return a command line whose ``--nested`` has a depth: the name of a stack is none."""
    action = parser._option_string_actions.get(NESTED)
    if action is None or action.nargs != '?' or NESTED not in words:
        return list(words)
    index = words.index(NESTED) + 1
    if words[index : index + 1] and words[index].isdigit():
        return list(words)
    return [*words[:index], str(action.const), *words[index:]]
