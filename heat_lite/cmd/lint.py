"""``heat-lite lint``: looks at templates and environments without any service, and says where to mend what."""

import argparse
import functools
import importlib.metadata
import os
import sys
from pathlib import Path

from heat_lite.cmd import offline
from heat_lite.template.lint import finding, report
from heat_lite.template.lint.linter import Linter
from heat_lite.template.lint.rules import RULES

STDIN = '-'
LONGEST = 8 * 1024 * 1024


class Files:
    """The files of this machine, by names as they are typed and shown: relative to where the program was started."""

    def __init__(self, stdin=None):
        self._stdin = stdin or sys.stdin

    def join(self, name, reference):
        """The name of the file that another one refers to."""
        if reference.startswith('file://'):
            return os.path.relpath(reference.removeprefix('file://'))
        if '://' in reference or os.path.isabs(reference) or name == STDIN:
            return reference
        return os.path.normpath(os.path.join(os.path.dirname(name), reference))

    def has(self, name):
        """None: it is not on this machine."""
        return None if '://' in name else os.path.isfile(name)

    def read(self, name):
        """The text; ValueError, with the reason, where there is none."""
        try:
            if name == STDIN:
                return self._stdin.read()
            if Path(name).is_file() and os.path.getsize(name) > LONGEST:
                raise ValueError(f'The file is longer than {LONGEST} bytes')
            return Path(name).read_text(encoding='utf-8')
        except UnicodeDecodeError as error:
            raise ValueError(f'The file is no text in UTF-8: {error}') from None
        except OSError as error:
            raise ValueError(f'The file cannot be read: {error.strerror}') from None


def parser():
    top = argparse.ArgumentParser(
        prog='heat-lite lint',
        description='Look at templates and environments, and at the templates they are made of. No service is needed, and none is asked.',
        epilog='The exit status is 0 where nothing is wrong, 1 where there are warnings, 2 where there are errors.',
    )
    top.add_argument('files', nargs='*', metavar='FILE', help='a template or an environment; - reads standard input')
    top.add_argument('--format', choices=report.FORMATS, default='text', help='how findings are written (default %(default)s)')
    top.add_argument(
        '--ignore', action='append', default=[], metavar='RULE', choices=[rule.name for rule in RULES], help='leave a rule out'
    )
    top.add_argument('--rules', action='store_true', help='say what is looked for')
    return top


def rules():
    """What ``--rules`` prints."""
    return '\n'.join(f'{rule.name:22}{rule.level:9}{rule.summary()}' for rule in RULES)


def version():
    try:
        return importlib.metadata.version('heat-lite')
    except importlib.metadata.PackageNotFoundError:
        return '0'


def main(argv=None):
    """The command by itself; its exit status."""
    options = parser()
    args = options.parse_args(argv)
    if args.rules:
        print(rules())
        return 0
    if not args.files:
        options.error('which file?')
    types = offline.Types()
    linter = Linter(types, Files(), functools.partial(offline.refusals, types), args.ignore, types.base)
    found = linter.lint(args.files)
    write = functools.partial(report.as_sarif, version=version()) if args.format == 'sarif' else report.FORMATS[args.format]
    try:
        print(write(found), flush=True)
    except BrokenPipeError:
        sys.stdout = None  # whoever reads has seen enough (`| head`)
    return finding.exit_status(found)


if __name__ == '__main__':
    sys.exit(main())
