"""``heat-lite``: what a person types. It only finds the command; each command is loaded when it is asked for."""

import pkgutil
import sys

# name -> where it lives, what it does. Loaded by name, so that help costs nothing and `up` can choose its threads before anything else.
COMMANDS = {
    'up': ('heat_lite.cmd.up:main', 'run the whole service in one process'),
    'demo': ('heat_lite.cmd.cli.demo:main', 'start a service, build a stack before your eyes, delete it'),
    'lint': ('heat_lite.cmd.lint:main', 'find what is wrong with templates, without any service'),
    'schema': ('heat_lite.cmd.schema:main', 'print the JSON Schema of templates, for editors'),
    'stack': ('heat_lite.cmd.cli.stack:main', 'list, show, create and delete stacks'),
}


def usage() -> str:
    lines = [f'  {name:8}{text}' for name, (_, text) in COMMANDS.items()]
    return '\n'.join(['usage: heat-lite COMMAND [options]', '', *lines, '', '`heat-lite COMMAND --help` tells more.'])


def main(argv: list[str] | None = None) -> int:
    """Run the command that ``argv`` names; its exit status."""
    name, *rest = (sys.argv[1:] if argv is None else argv) or ['--help']
    if name in ('-h', '--help', 'help'):
        print(usage())
        return 0
    if name not in COMMANDS:
        print(f'heat-lite: no command {name!r}\n\n{usage()}', file=sys.stderr)
        return 2
    return pkgutil.resolve_name(COMMANDS[name][0])(rest) or 0


if __name__ == '__main__':
    sys.exit(main())
