"""Each module of the engine has a mirror in tests/unit, or names the file that tests it."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'heat_lite'
TESTS_LINE = re.compile(r'^Tests: (.+)\.$', re.MULTILINE)
MODULES = sorted(path for path in (PACKAGE / 'engine').rglob('*.py') if path.stem != '__init__')


def mirror(path):
    """The unit test of a module: heat_lite/a/b.py has tests/unit/a/test_b.py."""
    below = path.relative_to(PACKAGE)
    return ROOT / 'tests' / 'unit' / below.parent / f'test_{below.name}'


def named_tests(path):
    """The paths in the line ``Tests: tests/a.py, tests/b.py.`` of the module's docstring."""
    found = TESTS_LINE.search(ast.get_docstring(ast.parse(path.read_text())) or '')
    return found.group(1).split(', ') if found else []


@pytest.mark.parametrize('path', MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_of_the_engine_has_tests(path):
    names = named_tests(path)
    assert names or mirror(path).is_file(), f'{mirror(path)} is missing, the docstring names none'
    missing = [name for name in names if not (ROOT / name).is_file()]
    assert not missing, missing
