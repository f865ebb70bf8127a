"""The parser of commands: help with defaults and an example, suggestions for misspelt options.

It imports only the standard library, since ``up`` chooses the kind of threads before other imports.
"""

import argparse
import difflib
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, NoReturn

from heat_lite.common.value_types import Value, Values

#: the first required option that argparse misses
_REQUIRED_OPTION = re.compile(r'arguments are required:.*?(?<!\S)(-[-\w]+)')
#: characters of a line of a description
WIDTH = 79


class Argument(NamedTuple):
    """The arguments of ``add_argument``."""

    names: tuple[str, ...]
    settings: Values

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        parser.add_argument(*self.names, **self.settings)


def argument(*names: str, **settings: Value) -> Argument:
    return Argument(names, settings)


def count(text: str) -> int:
    """Read a number that is not negative."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f'{text!r} is not a number')
    return int(text)


def flag(*names: str, help: str, **settings: Value) -> Argument:
    return Argument(names, {'action': 'store_true', 'help': help, **settings})


def repeatable(*names: str, help: str, **settings: Value) -> Argument:
    return Argument(names, {'action': 'append', 'default': [], 'help': help, **settings})


def folder(text: str) -> str:
    """Read the name of a folder that exists."""
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f'{text!r} is no folder')
    return text


#: folders of plug-ins, for the commands that need no service
PLUGIN_DIR = repeatable(
    '--plugin-dir',
    type=folder,
    metavar='FOLDER',
    help='load resource types from the modules in this folder, and run them; may be repeated',
)


def timeout(default: float, effect: str = 'end with status 2') -> Argument:
    """Return the option for the time of a command that needs no service."""
    help_ = f'{effect} after this time (default: %(default)g)'
    return argument('--timeout', type=float, default=default, metavar='SECONDS', help=help_)


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Adds the default to the help of each option that does not name it."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ''
        if not action.option_strings or 'default' in text or action.required or action.nargs == 0:
            is_flag = action.option_strings and isinstance(action.const, bool)
            return text + (' (default: no)' if is_flag and 'default' not in text else '')
        return f'{text} (default: {"none" if action.default in (None, []) else action.default})'


class Parser(argparse.ArgumentParser):
    """A parser that suggests an option for a misspelt one."""

    def __init__(
        self,
        name: str,
        summary: str,
        example: str,
        arguments: Iterable[Argument] = (),
        note: str = '',
        files: str = '',
    ) -> None:
        super().__init__(
            prog=f'heat-lite {name}',
            description=textwrap.fill(f'{summary[:1].upper()}{summary[1:].rstrip(".")}.', WIDTH),
            epilog='\n\n'.join(
                [
                    *([textwrap.fill(note, WIDTH)] if note else []),
                    *([files] if files else []),
                    _example(example),
                ]
            ),
            formatter_class=Formatter,
            allow_abbrev=False,
        )
        self._given: list[str] = []
        for each in arguments:
            each.add_to(self)

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        self._given = list(sys.argv[1:] if args is None else args)
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            hint = self._suggestion(unknown[0].partition('=')[0])
            self.error(f'unrecognized arguments: {" ".join(unknown)}{hint}')
        return found

    def error(self, message: str) -> NoReturn:
        super().error(f'{message}{self._file_hint(message)}')

    def _file_hint(self, message: str) -> str:
        """Return the hint that a file needs the option that is required, or else that of templates
        where the command has one more word than it takes.
        """
        required = _REQUIRED_OPTION.search(message)
        files = [each for each in self._given if os.path.isfile(each)]
        takes_template = '-t' in self._option_string_actions and '-t' not in self._given
        option = (
            required[1] if required else '-t' if takes_template and 'unrecog' in message else ''
        )
        return f'\nDid you mean {option} {files[0]}?' if option and files else ''

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse drops an error of the output, e.g. of a full disk.
        print(message, end='', file=file or sys.stderr, flush=True)

    def _suggestion(self, name: str) -> str:
        options = [each for each in self._option_string_actions if each.startswith('--')]
        match = difflib.get_close_matches(name, options, n=1, cutoff=0.6)
        return f'\nDid you mean {match[0]}?' if name.startswith('-') and match else ''


def _example(text: str) -> str:
    return 'example:\n' + textwrap.indent(text, '  ')
