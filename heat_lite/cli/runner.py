"""Runs a verb: parses its arguments, connects to the service, and reports errors."""

import argparse
import importlib
import os
import pkgutil
import traceback
from collections.abc import Callable
from typing import TypeAlias

from heat_lite.cli import api_client, arguments, connection, errors, verbs
from heat_lite.cli.display import terminal
from heat_lite.cli.option_parser import Parser

#: set to any value, it shows the traceback of an unexpected error
DEBUG = 'HEAT_LITE_DEBUG'
MORE = f' ({DEBUG}=1 shows more)'
#: the beginning of the errors about a template as a whole, which are shown at its first line
NO_TEMPLATE = 'Template not in valid format'
LOCATE_RESPONSE = 'heat_lite.authoring.located_errors:locate_response'
#: that of a verb: (client of the service, output, arguments) -> exit status
Function: TypeAlias = Callable[..., int | None]


def run(argv: list[str], known: list[str]) -> int:
    """Run the verb that ``argv`` names. Return its exit status.

    ``known``: the names of all commands, for suggestions.
    """
    leading, words = arguments.split_leading(argv)
    if words[:1] == ['stack']:
        more, words = arguments.split_leading(words[1:])
        leading += more
    name, length = verbs.find(words)
    if not name:
        return _unknown(words, known)
    function, parser = resolve(name)
    args = parser.parse_args(arguments.with_depth([*leading, *words[length:]], parser))
    offline = verbs.VERBS[name].offline
    if offline and getattr(args, offline):
        return guarded(function, None, terminal.Terminal(is_json=args.json), args)
    return guarded(_call, function, args)


def resolve(name: str) -> tuple[Function, Parser]:
    """Return the function of a verb and its parser."""
    verb = verbs.VERBS[name]
    module_name, function = verb.target.split('.')
    module = importlib.import_module(f'heat_lite.cli.{module_name}')
    specific = getattr(module, function.upper())
    parser = arguments.parser(name, verb.summary, verb.example, specific)
    return getattr(module, function), parser


def _unknown(words: list[str], known: list[str]) -> int:
    if not words:
        errors.complain('a command is missing. `heat-lite --help` lists all commands.')
        return errors.USAGE
    below = [each for each in known if each.startswith(words[0] + ' ') and each in verbs.VERBS]
    if below and words[1:] in (['--help'], ['-h']):
        rows = [f'  {name:18}{verbs.VERBS[name].summary}' for name in below]
        print('\n'.join([f'usage: heat-lite {words[0]} COMMAND [options]', '', *rows]), flush=True)
        return errors.DONE
    found = verbs.OTHER_WORDS.get(words[0]) or _closest(words, known)
    hint = f' Did you mean `{found}`?' if found else ''
    if below:
        hint = f' Write one of: {", ".join(below)}.'
    errors.complain(f'unknown command {words[0]!r}.{hint} `heat-lite --help` lists all commands.')
    return errors.USAGE


def _closest(words: list[str], known: list[str]) -> str | None:
    """Return the most similar command, also one after a misspelt ``stack``."""
    named = [*known, *(f'stack {each}' for each in known)]
    return errors.closest(' '.join(words[:2]), named) or errors.closest(words[0], known)


def _call(function: Function, args: argparse.Namespace) -> int | None:
    """Call the function of a verb with a client of the service. Return its exit status."""
    choice = connection.Choice(args.endpoint, args.token, args.os_cloud, args.os_region_name)
    api = connection.connect(choice)
    try:
        return function(api, terminal.Terminal(is_json=args.json), args)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        _show_traceback()
        errors.complain(api.unexpected_text(error) + MORE)
        return errors.FAILED
    except api_client.RequestFailed as error:
        if error.position is not None or error.status == 400:
            _raise_at_its_place(error, args)
        hint = errors.suggestion(api, error, args) or errors.advice(error, args)
        errors.complain(f'{str(error).rstrip(".")}.{hint}' if hint else str(error))
        return errors.FAILED


def _raise_at_its_place(error: Exception, args: argparse.Namespace) -> None:
    """Raise LocatedError, if the error of the service is at a place of a file of the user."""
    # It imports the library yaml, which starts slowly.
    place = pkgutil.resolve_name(LOCATE_RESPONSE)(error, args)
    if place is not None:
        raise place from None


def guarded(work: Callable[..., int | None], *arguments: object) -> int:
    """Return the exit status of ``work(*arguments)``; errors are shown without traceback.

    Raises OSError for a file or an output, which `main` shows.
    """
    try:
        return work(*arguments) or errors.DONE
    except errors.CommandError as error:
        errors.complain_of(error)
        return error.exit_status
    except api_client.RequestFailed as error:
        errors.complain(str(error))
        return error.exit_status
    except OSError:
        raise
    except Exception as error:
        _show_traceback()
        errors.complain(f'unexpected {type(error).__name__}: {error}{MORE}')
    return errors.FAILED


def _show_traceback() -> None:
    if os.environ.get(DEBUG):
        traceback.print_exc()
