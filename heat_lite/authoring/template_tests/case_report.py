"""Reports of cases: text with differences for people, JSON, and JUnit XML for build servers."""

import difflib
import json
import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

import yaml

from heat_lite.authoring.template_tests.case_run import NOTHING, Failure, Result
from heat_lite.common.value_types import Value, Values

#: characters that XML 1.0 cannot contain
NOT_IN_XML = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


def as_text(results: Sequence[Result], errors: Sequence[str]) -> str:
    """Return a line for each case, with the differences of failed ones, and a line of totals."""
    lines = []
    for result in results:
        word = 'FAILED' if result.failures else 'ok'
        lines.append(f'{word:8}{result.case.file}:{result.case.line()}: {result.case.name}')
        for failure in result.failures:
            lines += [f'  {line}' for line in failure_lines(result, failure)]
    return '\n'.join([*lines, *errors, totals(results, errors)])


def totals(results: Sequence[Result], errors: Sequence[str]) -> str:
    failed = sum(bool(result.failures) for result in results)
    seconds = sum(result.seconds for result in results)
    text = f'{len(results) - failed} passed, {failed} failed'
    if errors:
        text += f', {len(errors)} file{"" if len(errors) == 1 else "s"} not usable'
    return f'{text} in {seconds:.2f} s'


def failure_lines(result: Result, failure: Failure) -> list[str]:
    """Return the place of a failure, and what was expected beside what there is."""
    place = f'{result.case.file}:{failure.line}: {failure.path}'
    if failure.expected is NOTHING:
        return [f'{place}: {failure.text}']
    return [place, *(f'  {line}' for line in differences(failure.expected, failure.actual))]


def differences(expected: Value, actual: Value) -> list[str]:
    """Return two values as lines of YAML: ``-`` expected only, ``+`` actual only."""
    found = list(
        difflib.unified_diff(_lines(expected), _lines(actual), 'expected', 'actual', lineterm='')
    )
    return [line for line in found if not line.startswith('@@')]


def _lines(value: Value) -> list[str]:
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return text.removesuffix('...\n').splitlines()


def as_json(results: Sequence[Result], errors: Sequence[str]) -> str:
    """Return a document with the keys ``cases``, ``errors``, ``passed`` and ``failed``."""
    failed = sum(bool(result.failures) for result in results)
    document = {
        'passed': len(results) - failed,
        'failed': failed,
        'errors': list(errors),
        'cases': [_as_map(result) for result in results],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, default=str)


def _as_map(result: Result) -> Values:
    return {
        'file': result.case.file,
        'line': result.case.line(),
        'name': result.case.name,
        'passed': not result.failures,
        'seconds': round(result.seconds, 3),
        'failures': [_failure_map(failure) for failure in result.failures],
    }


def _failure_map(failure: Failure) -> Values:
    found = {'line': failure.line, 'path': failure.path}
    if failure.expected is NOTHING:
        return {**found, 'text': failure.text}
    return {**found, 'expected': failure.expected, 'actual': failure.actual}


def as_junit(results: Sequence[Result], errors: Sequence[str]) -> bytes:
    """Return JUnit XML: a suite for each file, and an error for each file that is not usable.

    It is valid against the schemas of Jenkins and of Ant, which requires more attributes.
    """
    root = ElementTree.Element('testsuites')
    suites: dict[str, ElementTree.Element] = {}
    for result in results:
        file = _xml(result.case.file)
        if file not in suites:
            suites[file] = _add_suite(root, file)
        _add_case(suites[file], result)
    for error in errors:
        file = _xml(error.partition(':')[0])
        suite = _add_suite(root, file)
        case = ElementTree.SubElement(suite, 'testcase', name='read', classname=file, time='0')
        ElementTree.SubElement(case, 'error', message=_xml(error), type='UnusableFile')
    for suite in root:
        cases = suite.findall('testcase')
        suite.set('tests', str(len(cases)))
        suite.set('failures', str(sum(case.find('failure') is not None for case in cases)))
        suite.set('errors', str(sum(case.find('error') is not None for case in cases)))
        suite.set('time', f'{sum(float(case.get("time", 0)) for case in cases):.3f}')
        ElementTree.SubElement(suite, 'system-out')
        ElementTree.SubElement(suite, 'system-err')
    return ElementTree.tostring(root, encoding='utf-8', xml_declaration=True)


def _add_suite(root: ElementTree.Element, file: str) -> ElementTree.Element:
    suite = ElementTree.SubElement(
        root,
        'testsuite',
        id=str(len(root)),
        package='heat-lite test',
        name=file,
        hostname='localhost',
        timestamp=time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime()),
    )
    ElementTree.SubElement(suite, 'properties')
    return suite


def _add_case(suite: ElementTree.Element, result: Result) -> None:
    case = ElementTree.SubElement(
        suite,
        'testcase',
        name=_xml(result.case.name),
        classname=_xml(result.case.file.rpartition('.test.')[0] or result.case.file),
        time=f'{result.seconds:.3f}',
    )
    if result.failures:
        lines = [line for each in result.failures for line in failure_lines(result, each)]
        first = result.failures[0]
        message = f'{first.path}: {first.text or "the values differ"}'
        failure = ElementTree.SubElement(case, 'failure', message=_xml(message), type='Difference')
        failure.text = _xml('\n'.join(lines))


def _xml(text: str) -> str:
    return NOT_IN_XML.sub('�', text)
