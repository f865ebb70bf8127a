"""Reports of findings: text for people, JSON for programs, SARIF 2.1.0 for code hosts."""

import json
from collections.abc import Callable, Mapping, Sequence

from heat_lite.common.value_types import Value
from heat_lite.template.lint import excerpt
from heat_lite.template.lint.finding import LEVELS, OFF, Finding
from heat_lite.template.lint.rules import RULES
from heat_lite.template.lint.rules.base import Rule

_SARIF = 'https://json.schemastore.org/sarif-2.1.0.json'


#: rules about secrets: their lines are not shown
SECRET = ('hard-coded-password',)
CYCLE = 'cycle'


def as_short_text(findings: Sequence[Finding]) -> str:
    """Return a line for each finding, in the format of compilers, and a line with their number."""
    return '\n'.join([*map(str, findings), _count(findings)])


def as_text(findings: Sequence[Finding], texts: Mapping[str, str]) -> str:
    """Return the short text, with the line of the file below each finding.

    Below a cycle are the places of its dependencies.
    ``texts`` has the texts of files by their names. Lines of other files, and those that contain a
    secret, are not shown.
    """
    hidden = {(each.file, each.line) for each in findings if each.rule in SECRET}
    split: dict[str, list[str]] = {}
    lines = []
    for each in findings:
        lines.append(str(each))
        if each.file in texts and (each.file, each.line) not in hidden:
            if each.file not in split:
                split[each.file] = texts[each.file].split('\n')
            lines += excerpt.excerpt_of_lines(split[each.file], each.line, each.column)
            if each.rule == CYCLE:
                lines += excerpt.cycle_lines(each.file, each.text, texts[each.file])
    return '\n'.join([*lines, _count(findings)])


def _count(findings: Sequence[Finding]) -> str:
    counts = {level: sum(finding.level == level for finding in findings) for level in LEVELS}
    stated = [
        f'{count} {level}{"" if count == 1 else "s"}' for level, count in counts.items() if count
    ]
    return ', '.join(stated) or 'nothing to complain about'


def as_json(findings: Sequence[Finding]) -> str:
    """Return a list of objects with the fields of ``Finding``."""
    return json.dumps([finding._asdict() for finding in findings], indent=2, ensure_ascii=False)


def as_sarif(findings: Sequence[Finding], version: str = '0') -> str:
    """Return a log of one run, which describes all rules of the linter."""
    numbers = {rule.name: number for number, rule in enumerate(RULES)}
    driver = {
        'name': 'heat-lite lint',
        'semanticVersion': version,
        'rules': [_rule(rule) for rule in RULES],
    }
    results = [_result(finding, numbers[finding.rule]) for finding in findings]
    run = {'tool': {'driver': driver}, 'columnKind': 'unicodeCodePoints', 'results': results}
    return json.dumps(
        {'$schema': _SARIF, 'version': '2.1.0', 'runs': [run]}, indent=2, ensure_ascii=False
    )


def _rule(rule: Rule) -> dict[str, Value]:
    return {
        'id': rule.name,
        'name': rule.title,
        'shortDescription': {'text': rule.summary()},
        'defaultConfiguration': {'enabled': False} if rule.level == OFF else {'level': rule.level},
    }


def _result(finding: Finding, number: int) -> dict[str, Value]:
    region = {'startLine': finding.line, 'startColumn': finding.column}
    location = {'artifactLocation': {'uri': _uri(finding.file)}, 'region': region}
    return {
        'ruleId': finding.rule,
        'ruleIndex': number,
        'level': finding.level,
        'message': {'text': finding.text},
        'locations': [{'physicalLocation': location}],
    }


def _uri(name: str) -> str:
    """Return the name of a file as a URI reference, with reserved characters escaped (SARIF)."""
    return ''.join(
        letter if letter.isalnum() or letter in '/._-~' else _escaped(letter) for letter in name
    )


def _escaped(letter: str) -> str:
    return ''.join(f'%{byte:02X}' for byte in letter.encode())


FORMATS: dict[str, Callable[..., str]] = {
    'text': as_text,
    'short': as_short_text,
    'json': as_json,
    'sarif': as_sarif,
}
