"""The handbook of operators: its errors are those of the service, its options exist."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from heat_lite.operate.config_check import option_report
from tests import servers

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = ROOT / 'docs' / 'operations'
ROW = re.compile(r'^\| `([^`]+)` \|', re.MULTILINE)
SETTING = re.compile(r'^    (?:\[(\w+)\]|(\w+) = .*)$', re.MULTILINE)


def texts():
    """All texts of the source as one; parts of one text are joined, as Python joins them."""
    found = []
    for path in (ROOT / 'heat_lite').rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                parts = [
                    each.value if isinstance(each, ast.Constant) else '' for each in node.values
                ]
                found.append('...'.join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r'%\(\w+\)s|\{\w*\}', '...', node.value))
    return '\n'.join(found)


def test_errors_of_the_handbook_are_those_of_the_service():
    known = texts()
    rows = ROW.findall((HANDBOOK / 'errors.md').read_text())
    assert len(rows) > 15
    missing = [
        row
        for row in rows
        if not all(part.strip() in known for part in row.split('...') if part.strip())
    ]
    assert missing == []


@pytest.mark.parametrize('page', sorted(path.name for path in HANDBOOK.glob('*.md')))
def test_settings_of_the_handbook_are_options(page):
    types = option_report.Setting(page, 1, 'trustee', 'auth_type', 'password')
    known = option_report.known_options([types])
    group, unknown = 'DEFAULT', []
    for heading, name in SETTING.findall((HANDBOOK / page).read_text()):
        group = heading or group
        if name and not any(name in known[each] for each in (group, 'database')):
            unknown.append(f'[{group}] {name}')
    assert unknown == []


def test_haproxy_accepts_its_configuration():
    file = ROOT / 'deploy' / 'haproxy' / 'haproxy.cfg'
    command = [servers.find('haproxy'), '-c', '-f', file]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
