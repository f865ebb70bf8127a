"""``heat-lite test``: runs the cases of files and folders."""

import functools
import os
import sys

from heat_lite.authoring import lint, offline_types, time_limit
from heat_lite.authoring.template_tests import case_file, case_report, case_run
from heat_lite.cli import option_parser
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


def parser():
    top = option_parser.Parser(
        'test',
        'run the test cases of templates. No service and no network are used',
        EXAMPLE,
        note='The exit status is 0 if all cases pass, 1 if one fails, and 2 if a file cannot be'
        ' used or no case is found.',
        files=FILES,
    )
    top.add_argument(
        'files',
        nargs='+',
        metavar='FILE',
        help=f'a file of cases, or a folder with files *{case_file.SUFFIXES[0]}',
    )
    top.add_argument(
        '-k',
        dest='filter',
        metavar='TEXT',
        default='',
        help='run only cases with this text in FILE: NAME (default: all)',
    )
    top.add_argument('--junit', metavar='FILE', help='also write JUnit XML (default: no)')
    top.add_argument('--json', action='store_true', help='print JSON (default: no)')
    _add_bounds(top)
    return top


def _add_bounds(top):
    """Add the options of what the command reads, runs, and how long."""
    top.add_argument(
        '--root',
        action='append',
        default=[],
        metavar='FOLDER',
        help='also read templates below this folder; may be repeated (default: the working'
        ' directory and the folders of FILE)',
    )
    option_parser.PLUGIN_DIR.add_to(top)
    option_parser.timeout(time_limit.TIMEOUT).add_to(top)


def main(argv=None):
    """Run the command. Return its exit status."""
    args = parser().parse_args(argv)
    return time_limit.exit_status('heat-lite test', args.timeout, functools.partial(_test, args))


def _test(args):
    """Run the cases and report them. Return the exit status."""
    try:
        names = case_file.expand(args.files)
        folders = [os.path.dirname(name) or '.' for name in names]
        files = lint.Files(['.', *folders, *args.root])
        cases, errors = read_cases(files, names)
        chosen = [case for case in cases if matches(case, args.filter)]
        if not chosen and not errors:
            raise ValueError(f'no case matches {args.filter!r}')
        runner = case_run.Runner(
            offline_types.OfflineTypes(args.plugin_dir), functools.cache(files.read_bytes)
        )
        results = [runner.run(case) for case in chosen]
        if args.junit:
            write(args.junit, case_report.as_junit(results, errors))
    except ValueError as error:
        print(f'heat-lite test: {error}', file=sys.stderr)
        return UNUSABLE
    show(case_report.as_json if args.json else case_report.as_text, results, errors)
    if errors:
        return UNUSABLE
    return FAILED if any(result.failures for result in results) else PASSED


def read_cases(files, names):
    """Return the cases of the files, and the errors of those that cannot be used."""
    cases, errors = [], []
    for name in names:
        try:
            cases += case_file.parse(files.read(name), name)
        except case_file.CaseFileError as error:
            errors.append(str(error))
        except ValueError as error:
            errors.append(f'{name}: {error}')
    return cases, errors


def matches(case, text):
    """Whether a case is chosen by the text of ``-k``, in any case of letters."""
    return text.lower() in f'{case.file}: {case.name}'.lower()


def write(name, content):
    """Write the JUnit report. Raises ValueError if the file cannot be written."""
    try:
        with open(name, 'wb') as target:
            target.write(content)
    except OSError as error:
        raise ValueError(f'{name}: the report cannot be written: {error.strerror}') from None


def show(report, results, errors):
    """Print a report, harmless for a terminal."""
    try:
        print(printable.escape(report(results, errors), keep='\n'), flush=True)
    except BrokenPipeError:
        sys.stdout = None  # the reader closed the pipe (`| head`)
