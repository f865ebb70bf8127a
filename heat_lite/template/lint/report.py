"""Findings as people, programs and code hosts want them: text, JSON, SARIF 2.1.0."""

import json
from collections.abc import Sequence

from heat_lite.template.lint.finding import LEVELS, Finding
from heat_lite.template.lint.rules import RULES

_SARIF = 'https://json.schemastore.org/sarif-2.1.0.json'


def as_text(findings: Sequence[Finding]) -> str:
    """A line for each finding, as compilers write them, and a line that counts them."""
    return '\n'.join([*map(str, findings), _count(findings)])


def _count(findings):
    counts = {level: sum(finding.level == level for finding in findings) for level in LEVELS}
    told = [f'{count} {level}{"" if count == 1 else "s"}' for level, count in counts.items() if count]
    return ', '.join(told) or 'nothing to complain about'


def as_json(findings: Sequence[Finding]) -> str:
    """A list of objects with the names of ``Finding``."""
    return json.dumps([finding._asdict() for finding in findings], indent=2, ensure_ascii=False)


def as_sarif(findings: Sequence[Finding], version: str = '0') -> str:
    """One run with all rules that the linter has."""
    numbers = {rule.name: number for number, rule in enumerate(RULES)}
    driver = {'name': 'heat-lite lint', 'semanticVersion': version, 'rules': [_rule(rule) for rule in RULES]}
    results = [_result(finding, numbers[finding.rule]) for finding in findings]
    run = {'tool': {'driver': driver}, 'columnKind': 'unicodeCodePoints', 'results': results}
    return json.dumps({'$schema': _SARIF, 'version': '2.1.0', 'runs': [run]}, indent=2, ensure_ascii=False)


def _rule(rule):
    return {
        'id': rule.name,
        'name': rule.__name__,
        'shortDescription': {'text': rule.summary()},
        'defaultConfiguration': {'level': rule.level},
    }


def _result(finding, number):
    region = {'startLine': finding.line, 'startColumn': finding.column}
    place = {'physicalLocation': {'artifactLocation': {'uri': _uri(finding.file)}, 'region': region}}
    return {
        'ruleId': finding.rule,
        'ruleIndex': number,
        'level': finding.level,
        'message': {'text': finding.text},
        'locations': [place],
    }


def _uri(name):
    """The name of a file as a reference; SARIF wants no spaces and no signs with a meaning of their own in it."""
    return ''.join(letter if letter.isalnum() or letter in '/._-~' else _quoted(letter) for letter in name)


def _quoted(letter):
    return ''.join(f'%{byte:02X}' for byte in letter.encode())


FORMATS = {'text': as_text, 'json': as_json, 'sarif': as_sarif}
