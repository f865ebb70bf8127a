"""``heat-lite test``: runs the cases of files and folders."""

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Iterable

from heat_lite.authoring import lint, time_limit
from heat_lite.authoring.offline_types import OfflineTypes
from heat_lite.authoring.template_tests import case_file, case_report, case_run
from heat_lite.cli.option_parser import PLUGIN_DIR, Parser, argument, flag, repeatable, timeout
from heat_lite.common import printable

PASSED, FAILED, UNUSABLE = 0, 1, 2
FILES = """a file app.test.yaml:
  heat_lite_test: 1
  template: app.yaml
  cases:
    production:
      parameters: {env: prod}
      stubs: {server: {id: 5b1f, attributes: {first_address: 10.0.0.5}}}
      expect:
        resources: {server: {properties: {flavor: large}}}
        outputs: {url: "http://10.0.0.5"}
    too many servers:
      parameters: {size: 99}
      expect: {errors: [99 is out of range]}"""
EXAMPLE = """heat-lite test tests
heat-lite test -k production --junit report.xml app.test.yaml"""


TEST = (
    argument(
        'files',
        nargs='+',
        metavar='FILE',
        help=f'a file of cases, or a folder with files *{case_file.SUFFIXES[0]}',
    ),
    argument(
        '-k',
        dest='filter',
        metavar='TEXT',
        default='',
        help='run only cases with this text in FILE: NAME (default: all)',
    ),
    argument('--junit', metavar='FILE', help='also write JUnit XML (default: no)'),
    flag('--json', help='print JSON (default: no)'),
    repeatable(
        '--root',
        metavar='FOLDER',
        help='also read templates below this folder; may be repeated (default: the working'
        ' directory and the folders of FILE)',
    ),
    PLUGIN_DIR,
    timeout(time_limit.TIMEOUT),
)


def parser() -> Parser:
    return Parser(
        'test',
        'run the test cases of templates. No service and no network are used',
        EXAMPLE,
        TEST,
        note='The exit status is 0 if all cases pass, 1 if one fails, and 2 if a file cannot be'
        ' used or no case is found.',
        files=FILES,
    )


def main(argv: list[str] | None = None) -> int:
    """Run the command. Return its exit status."""
    args = parser().parse_args(argv)
    return time_limit.exit_status('heat-lite test', args.timeout, functools.partial(_test, args))


def _test(args: argparse.Namespace) -> int:
    """Run the cases and report them. Return the exit status."""
    try:
        names = case_file.expand(args.files)
        folders = [os.path.dirname(name) or '.' for name in names]
        files = lint.Files(['.', *folders, *args.root])
        cases, errors = _read_cases(files, names)
        chosen = [case for case in cases if _matches(case, args.filter)]
        if not chosen and not errors:
            raise ValueError(f'no case matches {args.filter!r}')
        runner = case_run.Runner(OfflineTypes(args.plugin_dir), functools.cache(files.read_bytes))
        results = [runner.run(case) for case in chosen]
        if args.junit:
            _write(args.junit, case_report.as_junit(results, errors))
    except ValueError as error:
        print(f'heat-lite test: {error}', file=sys.stderr)
        return UNUSABLE
    report = (case_report.as_json if args.json else case_report.as_text)(results, errors)
    with contextlib.suppress(BrokenPipeError):  # the reader closed the pipe (`| head`)
        print(printable.escape(report, keep='\n'), flush=True)
    if errors:
        return UNUSABLE
    return FAILED if any(result.failures for result in results) else PASSED


def _read_cases(files: lint.Files, names: Iterable[str]) -> tuple[list[case_file.Case], list[str]]:
    """Return the cases of the files, and the errors of those that cannot be used."""
    cases: list[case_file.Case] = []
    errors: list[str] = []
    for name in names:
        try:
            cases += case_file.parse(files.read(name), name)
        except case_file.CaseFileError as error:
            errors.append(str(error))
        except ValueError as error:
            errors.append(f'{name}: {error}')
    return cases, errors


def _matches(case: case_file.Case, text: str) -> bool:
    """Whether a case is chosen by the text of ``-k``, in any case of letters."""
    return text.lower() in f'{case.file}: {case.name}'.lower()


def _write(name: str, content: bytes) -> None:
    """Write the JUnit report. Raises ValueError if the file cannot be written."""
    try:
        with open(name, 'wb') as target:
            target.write(content)
    except OSError as error:
        raise ValueError(f'{name}: the report cannot be written: {error.strerror}') from None
