"""The code that the documentation names exists."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (
    'README.md',
    'CONTRIBUTING.md',
    'benchmarks/results.md',
    *sorted(f'docs/{page.name}' for page in (ROOT / 'docs').glob('*.md')),
    *sorted(f'docs/decisions/{page.name}' for page in (ROOT / 'docs/decisions').glob('*.md')),
)
#: the folders that a path in a document may start in
BASES = (ROOT, ROOT / 'heat_lite')

#: code blocks and code spans; only code is checked
CODE = re.compile(r'```.*?```|^(?: {4}|\t).*$|`[^`\n]+`', re.DOTALL | re.MULTILINE)
NAME = r'[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*'
#: ``path.py``, ``path.py: name``, ``path.py: Class.method, other``
REFERENCE = re.compile(rf'(?<![\w./*{{-])(\w+(?:/\w+)+\.py)\b(?:: ({NAME}(?:, {NAME})*))?')


def references(text):
    """Yield (path, names) of each reference to a module in the code of a text."""
    for code in CODE.findall(text):
        for path, names in REFERENCE.findall(code):
            yield path, names.split(', ') if names else []


@functools.cache
def defined_names(path):
    """Return the functions, classes and constants of a module; methods as Class.method."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {
                f'{node.name}.{child.name}'
                for child in node.body
                if isinstance(child, ast.FunctionDef | ast.ClassDef)
            }
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def missing(text):
    """Return the paths and names in a text that do not exist."""
    found = []
    for path, names in references(text):
        file = next((base / path for base in BASES if (base / path).is_file()), None)
        if file is None:
            found.append(path)
            continue
        found.extend(f'{path}: {name}' for name in names if name not in defined_names(file))
    return found


@pytest.mark.parametrize('document', DOCUMENTS)
def test_document_names_existing_code(document):
    assert missing((ROOT / document).read_text()) == []


def headings(path):
    """Return the anchors of a page: its headings as code hosts write them in links."""
    titles = re.findall(r'^#+ (.*)$', path.read_text(), re.MULTILINE)
    return {re.sub(r'[^\w -]', '', title.lower()).replace(' ', '-') for title in titles}


def test_links_to_headings_lead_to_existing_headings():
    pages = [*ROOT.glob('*.md'), *(ROOT / 'docs').rglob('*.md')]
    broken = [
        f'{page.relative_to(ROOT)}: {target}#{anchor}'
        for page in pages
        for target, anchor in re.findall(r'\]\(([\w./-]*)#([\w-]+)\)', page.read_text())
        if anchor not in headings(page.parent / target if target else page)
    ]
    assert broken == []


@pytest.mark.parametrize('document', ['README.md', 'docs/architecture.md', 'docs/glossary.md'])
def test_document_contains_references(document):
    assert len(list(references((ROOT / document).read_text()))) > 10


def test_missing_finds_wrong_paths_and_names():
    text = (
        'See `engine/nowhere.py`, `engine/stack/diff.py: decide` and '
        '`engine/stack/diff.py: no_such_name`,\n'
        '`engine/stack/stack.py: Stack, Stack.no_such_method`; not engine/plain_text.py.\n'
    )
    assert missing(text) == [
        'engine/nowhere.py',
        'engine/stack/diff.py: no_such_name',
        'engine/stack/stack.py: Stack.no_such_method',
    ]
