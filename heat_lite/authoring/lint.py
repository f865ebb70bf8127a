"""``heat-lite lint``: checks templates and environments without a service."""

import argparse
import contextlib
import functools
import importlib.metadata
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType

from heat_lite.authoring import file_references, lint_settings, time_limit
from heat_lite.authoring.offline_types import OfflineTypes
from heat_lite.cli.option_parser import PLUGIN_DIR, Parser, argument, flag, repeatable, timeout
from heat_lite.engine.validation import offline_validation
from heat_lite.template.lint import finding, report
from heat_lite.template.lint.linter import Linter
from heat_lite.template.lint.rules import RULES
from heat_lite.template.lint.settings import Settings

#: bytes of all files together
MAX_TOTAL_BYTES = 64 * 1024 * 1024
#: files of folders that are named because they are not checked
MAX_NAMES = 5
OUTSIDE = (
    'The file cannot be read: it is outside of the folders of the linted files (--root FOLDER '
    'permits another folder)'
)


LINT = (
    argument(
        'files',
        nargs='*',
        metavar='FILE',
        help='a template, an environment, or a folder of them; - reads standard input',
    ),
    repeatable('-e', '--environment', metavar='FILE', help='an environment, as FILE is'),
    argument(
        '--format',
        choices=report.FORMATS,
        default='text',
        help='output format of the findings; short has one line each (default %(default)s)',
    ),
    argument(
        '--json',
        dest='format',
        action='store_const',
        const='json',
        help='short for --format json (default: no)',
    ),
    repeatable(
        '--ignore',
        metavar='RULE',
        choices=[rule.name for rule in RULES],
        help='skip a rule; may be repeated',
    ),
    argument(
        '--for',
        dest='target',
        choices=['heat'],
        help='also report what Heat does not have (the rule not-in-heat; default: no)',
    ),
    repeatable(
        '--root',
        metavar='FOLDER',
        help='also read files below this folder; may be repeated (default: the folders of FILE)',
    ),
    argument(
        '--config',
        metavar='FILE',
        help='read the settings from this file (default: .heat-lint.yaml in the working directory)',
    ),
    PLUGIN_DIR,
    timeout(time_limit.TIMEOUT),
    flag('--rules', help='list the rules and exit'),
)


class Files:
    """The local files, by the names that the user typed: relative to the working directory.

    Only regular files below the folders ``roots`` are read, because a template of a stranger may
    name any file. ``texts`` replace the files of these names.
    """

    def __init__(
        self, roots: Iterable[str] = ('.',), texts: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._roots = [os.path.realpath(root) for root in roots]
        self._texts = texts
        self._bytes_left = MAX_TOTAL_BYTES

    def join(self, name: str, reference: str) -> str:
        """Return the name of the file that the file ``name`` refers to as ``reference``."""
        return file_references.join(name, reference)

    def has(self, name: str) -> bool | None:
        """Whether a regular file exists; None for a file that is not read.

        That is a URL, or a file outside of the roots, whether it exists or not.
        """
        if name in self._texts:
            return True
        if '://' in name or not self._is_below_a_root(name):
            return None
        return os.path.isfile(name)

    def read(self, name: str) -> str:
        """Return the text of a file. Raises ValueError, with the reason, if it is not readable."""
        if name in self._texts:
            return self._texts[name]
        is_input = name == file_references.STDIN
        return file_references.decode(
            file_references.read_stdin() if is_input else self.read_bytes(name)
        )

    def read_bytes(self, name: str) -> bytes:
        """Return the content of a file. Raises ValueError like ``read``."""
        if not self._is_below_a_root(name):
            raise ValueError(OUTSIDE)
        content = file_references.read_bytes(name)
        self._bytes_left -= len(content)
        if self._bytes_left < 0:
            raise ValueError(f'All files together are longer than {MAX_TOTAL_BYTES} bytes')
        return content

    def _is_below_a_root(self, name: str) -> bool:
        """Whether the file that a name leads to, through symbolic links, is below a root."""
        if '\0' in name:
            return False
        path = os.path.realpath(name)
        return any(os.path.commonpath((root, path)) == root for root in self._roots)


def parser() -> Parser:
    return Parser(
        'lint',
        'check templates, environments, and the templates that they refer to.'
        ' No service and no network are used',
        'heat-lite lint app.yaml production.yaml\nheat-lite lint --format sarif templates/',
        LINT,
        note='The exit status is 0 without findings (or with notes only), 1 with warnings,'
        ' 2 with errors.',
    )


def rules() -> str:
    """Return the output of ``--rules``."""
    return '\n'.join(f'{rule.name:22}{rule.level:9}{rule.summary()}' for rule in RULES)


def version() -> str:
    try:
        return importlib.metadata.version('heat-lite')
    except importlib.metadata.PackageNotFoundError:
        return '0'


def main(argv: list[str] | None = None) -> int:
    """Run the command. Return its exit status."""
    options = parser()
    args = options.parse_args(argv)
    if args.rules:
        print(rules())
        return 0
    if not args.files:
        options.error('at least one FILE is required')
    return time_limit.exit_status('heat-lite lint', args.timeout, functools.partial(_lint, args))


def _lint(args: argparse.Namespace) -> int:
    """Print the findings. Return the exit status."""
    try:
        settings = lint_settings.load(args.config)
        settings = settings.for_heat() if args.target else settings
        settings = settings.without_rules(args.ignore)
        names = [*args.files, *args.environment]
        findings, texts = inspect(names, settings, args.root, args.plugin_dir)
    except ValueError as error:
        print(f'heat-lite lint: {error}', file=sys.stderr)
        return 2
    write: dict[str, Callable[..., str]] = {
        **report.FORMATS,
        'sarif': functools.partial(report.as_sarif, version=version()),
        'text': functools.partial(report.as_text, texts=texts),
    }
    with contextlib.suppress(BrokenPipeError):  # the reader closed the pipe (`| head`)
        print(write[args.format](findings), flush=True)
    return finding.exit_status(findings)


def inspect(
    names: Collection[str],
    settings: Settings,
    roots: Iterable[str] = (),
    plugin_dirs: Iterable[str] = (),
    texts: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[finding.Finding], Mapping[str, str]]:
    """Return the findings in files and folders, and the texts that may be quoted.

    Tell which files of folders are left out. Raises ValueError for too many files.
    """
    files, candidates = lint_settings.expand(names, settings)
    named = [*files, *settings.environments]
    folders = [name for name in names if os.path.isdir(name)]
    linter = build_linter(
        types_of(settings, plugin_dirs),
        Files([*(os.path.dirname(name) or '.' for name in named), *folders, *roots], texts),
        settings,
    )
    found = linter.lint(named, candidates)
    others = [name for name in candidates if name not in linter.texts]
    if others:
        more = f' and {len(others) - MAX_NAMES} others' if len(others) > MAX_NAMES else ''
        print(
            'heat-lite lint: not checked, no templates or environments in UTF-8:'
            f' {", ".join(others[:MAX_NAMES])}{more}',
            file=sys.stderr,
        )
    return found, linter.texts


def show_warnings(names: Collection[str], texts: Mapping[str, str]) -> int:
    """Write the warnings about files with these texts to the standard error output. Return 0."""
    try:
        found, texts = inspect(names, lint_settings.load(None), texts=texts)
    except ValueError as error:
        print(f'heat-lite lint: {error}', file=sys.stderr)
        return 0
    warnings = [each for each in found if each.level == finding.WARNING]
    if warnings:
        print(report.as_text(warnings, texts), file=sys.stderr, flush=True)
    return 0


def types_of(settings: Settings, plugin_dirs: Iterable[str]) -> OfflineTypes:
    """Return the resource types, also those of plug-ins and those that the settings name."""
    return OfflineTypes([*settings.plugin_dirs, *plugin_dirs], settings.resource_types)


def build_linter(types: OfflineTypes, files: Files, settings: Settings) -> Linter:
    """Return a linter whose resource types validate the resources, too."""
    validate = functools.partial(offline_validation.validation_errors, types)
    return Linter(types, files, validate, settings.off(), types.base, settings.levels)


if __name__ == '__main__':
    sys.exit(main())
