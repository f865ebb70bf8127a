"""``heat-lite completion``: completion for bash, zsh and fish, by argcomplete.

The script of a shell runs ``heat-lite`` with the variable _ARGCOMPLETE for each word to complete.
Names of stacks, resources and types come from the service, within a short time and without errors.
"""

import argparse
import contextlib
import functools
import os
import pkgutil
import threading
from collections.abc import Callable, Iterable

import argcomplete
import argcomplete.lexers

from heat_lite.cli import api_client, arguments, connection, option_parser, runner, verbs
from heat_lite.cli.display import resource_tree
from heat_lite.cli.main import COMMANDS
from heat_lite.common.value_types import Value, Values

SHELLS = {
    'bash': 'eval "$(heat-lite completion bash)"   # in ~/.bashrc',
    'zsh': 'eval "$(heat-lite completion zsh)"   # in ~/.zshrc, after compinit',
    'fish': 'heat-lite completion fish | source   # in ~/.config/fish/config.fish',
}
#: seconds after which a completion without an answer of the service ends
SECONDS = 2.0
#: number of stacks that are completed
MAX_STACKS = 1000
TYPES, KINDS = 'heat_lite.resources.type_table:TYPES', 'heat_lite.authoring.init:kinds'
#: {metavar of a program's argument: the tables of its words}
PROGRAM_WORDS = {'TYPE': [TYPES], 'KIND': [KINDS, TYPES]}
#: what a failed question to the service, or to the loaders of clouds, raises
ERRORS = (api_client.RequestFailed, OSError, ValueError, KeyError, TypeError, AttributeError)


def parser() -> argparse.ArgumentParser:
    return option_parser.Parser(
        'completion',
        'print the completion of a shell: commands, options, and the names of stacks, resources and'
        ' types of the service',
        '\n'.join(SHELLS.values()),
        [option_parser.argument('shell', choices=list(SHELLS), help='the shell')],
    )


def main(argv: list[str]) -> int:
    """Print the script of a shell. Return the exit status."""
    args = parser().parse_args(argv)
    print(argcomplete.shellcode(['heat-lite'], shell=args.shell))
    return 0


def complete() -> None:
    """Write the completions of the command line of the shell, and end the process."""
    line, point = os.environ['COMP_LINE'], int(os.environ['COMP_POINT'])
    words = argcomplete.lexers.split_line(line, point)[3]
    consumed, found = parser_of(words[1:])
    # argcomplete takes the words from this one on, which stands for the program
    os.environ['_ARGCOMPLETE'] = str(1 + consumed)
    with contextlib.suppress(OSError):  # names of files are completed by bash, if there is one
        argcomplete.autocomplete(found, always_complete_options=False)
    os._exit(0)


def parser_of(words: list[str]) -> tuple[int, argparse.ArgumentParser]:
    """Return the parser of a command line without its last word, and the words in front of it."""
    leading, rest = arguments.split_leading(words)
    if _is_open(leading):
        return 0, _service_parser()
    if rest[:1] == ['stack']:
        leading, rest = [*leading, 'stack'], rest[1:]
    name, length = verbs.find(rest)
    is_first_of_two = len(rest) == 1 and any(each.startswith(rest[0] + ' ') for each in verbs.VERBS)
    if name and not is_first_of_two:
        _, found = runner.resolve(name)
        _add_completers(found, _service_options(leading))
        return len(leading) + length, found
    if rest and rest[0] in COMMANDS:
        return len(leading) + 1, _program_parser(rest[0])
    return len(leading) + len(rest), _name_parser(rest)


def _is_open(leading: list[str]) -> bool:
    """Whether the last of the leading options still needs its value."""
    return bool(leading) and leading[-1].startswith('--') and arguments.needs_value(leading[-1])


def _service_parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(add_help=False)
    for each in arguments.CONNECTION:
        each.add_to(top)
    return top


def _service_options(leading: list[str]) -> Values:
    """Return the options in front of the verb, as a map of those that are given."""
    found, _ = _service_parser().parse_known_args(leading)
    return {name: value for name, value in vars(found).items() if value is not None}


def _program_parser(name: str) -> argparse.ArgumentParser:
    # The linter imports much of the engine. Its parser needs none of it.
    pkgutil.resolve_name('heat_lite.startup.lazy_imports:install')()
    found = pkgutil.resolve_name(f'{COMMANDS[name].module}:parser')()
    for action in found._actions:
        tables = PROGRAM_WORDS.get(action.metavar, ())
        if tables:
            action.completer = functools.partial(_table_words, tables)
    return found


def _table_words(tables: Iterable[str], **_: object) -> list[str]:
    """Return the words of tables, which need no service."""
    found = map(pkgutil.resolve_name, tables)
    return [word for table in found for word in (table() if callable(table) else table)]


def _name_parser(rest: list[str]) -> argparse.ArgumentParser:
    """Return a parser of the name of a command, or of its second word."""
    names = {name: program.summary for name, program in COMMANDS.items()}
    names.update({name: verb.summary for name, verb in verbs.VERBS.items()})
    names.update({name: verbs.VERBS[target].summary for name, target in verbs.ALIASES.items()})
    start = ' '.join([*rest, ''])
    found: dict[str, str] = {}
    for name, summary in names.items():
        if name.startswith(start):
            word, _, more = name[len(start) :].partition(' ')
            found.setdefault(word, '...' if more else summary)
    top = _service_parser() if not rest else argparse.ArgumentParser(add_help=False)
    top.add_argument('command').completer = lambda **_: found  # type: ignore[attr-defined]
    return top


# --------------------------------------------------------------- names of the service


def _add_completers(found: Value, leading: Values) -> None:
    """Complete the names of stacks, resources and types in the parser of a verb."""
    for action in found._actions:
        lookup = LOOKUPS.get(action.metavar or action.dest)
        if lookup is not None:
            action.completer = functools.partial(_ask, lookup, leading)


def _ask(
    lookup: Callable, leading: Values, *, parsed_args: argparse.Namespace, **_: object
) -> dict[str, str]:
    """Return the names that the service has; none if it does not answer."""
    given = {**leading, **{key: value for key, value in vars(parsed_args).items() if value}}
    watchdog = threading.Timer(SECONDS, os._exit, [0])
    watchdog.daemon = True
    watchdog.start()
    try:
        choice = connection.Choice(
            given.get('endpoint'),
            given.get('token'),
            given.get('os_cloud'),
            given.get('os_region_name'),
        )
        return lookup(connection.connect(choice), given)
    except ERRORS:
        return {}


def _stacks(api: api_client.ApiClient, given: Values) -> dict[str, str]:
    found = api.get('/stacks', limit=MAX_STACKS)['stacks']
    return {stack['stack_name']: stack['stack_status'] for stack in found}


def _resources(api: api_client.ApiClient, given: Values) -> dict[str, str]:
    depth = resource_tree.NESTED_DEPTH
    tree = resource_tree.tree_of(api.resources(api.find(given['stack']), depth))
    return {each.path: each.row['resource_type'] for each in tree.members.values()}


def _outputs(api: api_client.ApiClient, given: Values) -> dict[str, str]:
    found = api.get(api.find(given['stack']) + '/outputs')['outputs']
    return {each['output_key']: each.get('description') or '' for each in found}


def _snapshots(api: api_client.ApiClient, given: Values) -> dict[str, str]:
    found = api.get(api.find(given['stack']) + '/snapshots')['snapshots']
    return {each['name'] or each['id']: each['status'] for each in found}


def _revisions(api: api_client.ApiClient, given: Values) -> dict[str, str]:
    found = api.get(api.find(given['stack']) + '/revisions')['revisions']
    return {str(each['number']): each['message'] or each['action'] for each in found}


def _types(api: api_client.ApiClient, given: Values) -> dict[str, str]:
    return dict.fromkeys(api.get('/resource_types')['resource_types'], '')


#: {metavar of an argument: function(api, given options) that returns {name: description}}
LOOKUPS: dict[str, Callable] = {
    'STACK': _stacks,
    'RESOURCE': _resources,
    'OUTPUT': _outputs,
    'SNAPSHOT': _snapshots,
    'REVISION': _revisions,
    'TYPE': _types,
}
