"""``heat-lite``: finds a program or a verb by its name, and imports only what it needs."""

import os
import pkgutil
import signal
import sys
from typing import NamedTuple

from heat_lite.cli import verbs


class Program(NamedTuple):
    """A command that is no verb of the service: ``main`` and ``parser`` of a module."""

    module: str
    summary: str
    group: str = 'Programs'


AUTHORING, WRITE = 'heat_lite.authoring.', 'Write templates'
#: Importing by name keeps `--help` fast, and lets `up` choose the kind of threads before any other
#: import.
COMMANDS = {
    'up': Program('heat_lite.operate.up', 'run the whole service in one process'),
    'demo': Program(
        'heat_lite.cli.demo', 'start a service, create a stack, show its progress, delete it'
    ),
    'lsp': Program(f'{AUTHORING}lsp', 'serve editors: completion, hover, findings'),
    'init': Program(f'{AUTHORING}init', 'write a template to start from', WRITE),
    'lint': Program(f'{AUTHORING}lint', 'check templates without a service', WRITE),
    'test': Program(
        f'{AUTHORING}template_tests.command',
        'run the test cases of templates without a service',
        WRITE,
    ),
    'fmt': Program(f'{AUTHORING}fmt', 'write templates in their usual form', WRITE),
    'convert': Program(
        f'{AUTHORING}convert', 'convert CFN or compose to HOT, JSON to YAML or back', WRITE
    ),
    'docs': Program(f'{AUTHORING}docs', 'describe a resource type, with an example', WRITE),
    'schema': Program(
        f'{AUTHORING}schema', 'print the JSON Schema of templates, for editors', WRITE
    ),
    'completion': Program('heat_lite.cli.completion', 'print the completion of bash, zsh or fish'),
}
#: set by the shell that completes a command line
COMPLETING = '_ARGCOMPLETE'
COMPLETE = 'heat_lite.cli.completion:complete'
RUN = 'heat_lite.cli.runner:run'
RUN_OFFLINE = 'heat_lite.authoring.offline:run'
REVISION = 'heat_lite.common.installation:revision'
INTERRUPTED = 128 + signal.SIGINT


def usage() -> str:
    """Return the list of programs and verbs."""
    groups: dict[str, list[tuple[str, str]]] = {}
    commands: dict[str, Program | verbs.Verb] = {**COMMANDS, **verbs.VERBS}
    for name, each in commands.items():
        groups.setdefault(each.group, []).append((name, each.summary))
    lines = ['usage: heat-lite COMMAND [options]']
    for group, rows in groups.items():
        lines += ['', f'{group}:', *(f'  {name:18}{text}' for name, text in rows)]
    return '\n'.join([*lines, '', 'Run `heat-lite COMMAND --help` for the options of a command.'])


def main(argv: list[str] | None = None) -> int:
    """Run the command that ``argv`` names. Return its exit status."""
    if os.environ.get(COMPLETING) and argv is None:
        pkgutil.resolve_name(COMPLETE)()
    words = list(sys.argv[1:] if argv is None else argv) or ['--help']
    if words[0] == 'help' and len(words) > 1:
        words = [*words[1:], '--help']
    for stream in (sys.stdout, sys.stderr):
        # An output that cannot encode a character shows a replacement.
        if hasattr(stream, 'reconfigure'):
            stream.reconfigure(errors='replace')
    try:
        return _run(words)
    except KeyboardInterrupt:
        print('heat-lite: interrupted', file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None  # type: ignore[assignment]  # the reader closed the pipe (`| head`)
        return 0
    except OSError as error:
        # e.g. a full disk; what is left must not fail again at exit
        sys.stdout = None  # type: ignore[assignment]
        place = error.filename or 'the standard output'
        print(f'heat-lite: {place}: {error.strerror or error}', file=sys.stderr)
        return 1


def _run(words: list[str]) -> int:
    if words[0] in ('-h', '--help', 'help') or words in (['stack', '--help'], ['stack', '-h']):
        print(usage(), flush=True)
        return 0
    if words[0] == '--version':
        print('heat-lite', pkgutil.resolve_name(REVISION)(), flush=True)
        return 0
    if words[0] in COMMANDS:
        module = COMMANDS[words[0]].module
        if module.startswith(AUTHORING):
            return pkgutil.resolve_name(RUN_OFFLINE)(module, words[1:])
        return pkgutil.resolve_name(f'{module}:main')(words[1:])
    return pkgutil.resolve_name(RUN)(words, [*COMMANDS, *verbs.VERBS, *verbs.ALIASES])


if __name__ == '__main__':
    sys.exit(main())
