"""The code that the documentation names exists."""

import ast
import functools
import re
from pathlib import Path

import pytest

from tests import pages

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
#: ``path.py``, ``path.py: name``, ``path.py: Class.method, other``, ``path.py::test``
REFERENCE = re.compile(rf'(?<![\w./*{{-])(\w+(?:/\w+)+\.py)\b(?:(?:::|: )({NAME}(?:, {NAME})*))?')


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
        for target, anchor in re.findall(r'\]\(([\w./-]*)#(?!only-)([\w-]+)\)', page.read_text())
        if anchor not in headings(page.parent / target if target else page)
    ]
    assert broken == []


@pytest.mark.parametrize('document', ['README.md', 'docs/architecture.md', 'docs/glossary.md'])
def test_document_contains_references(document):
    assert len(list(references((ROOT / document).read_text()))) > 10


def test_missing_finds_wrong_paths_and_names():
    text = (
        'See `engine/nowhere.py`, `engine/stack/diff.py: decide` and '
        '`engine/stack/diff.py: no_such_name`, `pytest engine/stack/diff.py::test_no_such`,\n'
        '`engine/stack/stack.py: Stack, Stack.no_such_method`; not engine/plain_text.py.\n'
    )
    assert missing(text) == [
        'engine/nowhere.py',
        'engine/stack/diff.py: no_such_name',
        'engine/stack/diff.py: test_no_such',
        'engine/stack/stack.py: Stack.no_such_method',
    ]


# ---------------------------------------------------------------- pages, their commands and tables


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize('page', pages.PAGES, ids=name_of)
def test_commands_of_a_page_exist_with_their_options(page):
    text, faults = page.read_text(), []
    for block, content in pages.blocks(text):
        if block['kind'] in ('sh', 'console'):
            if block['kind'] == 'console':
                content = '\n'.join(step.command for step in pages.steps(content))
            found = ((words, pages.fault(words)) for words in pages.shell_commands(content))
            faults += [f'{words}: {fault}' for words, fault in found if fault]
    for words in pages.code_spans(text):
        fault = pages.fault(words)
        # prose names an option without its value, a verb without its arguments
        if fault and not re.search(
            'are required|expected (one|at least one) argument|one of', fault
        ):
            faults.append(f'{words}: {fault}')
    assert faults == []


@pytest.mark.parametrize('page', pages.PAGES, ids=name_of)
def test_commands_that_are_not_run_say_why(page):
    text = page.read_text()
    silent = [
        content
        for block, content in pages.blocks(text)
        if block['kind'] == 'sh' and not pages.reason_not_to_run(text, block)
    ]
    assert silent == []


@pytest.mark.parametrize('page', pages.PAGES, ids=name_of)
def test_code_of_a_page_is_fenced(page):
    """Indented code has no language, no title and no copy button; in a list it becomes prose.

    A paragraph of a list that is indented by less than four spaces ends the list.
    """
    prose = re.sub(' *<!--.*?-->\n', '', pages.BLOCK.sub('', page.read_text()))
    assert re.findall(r'^(?:#.*|\S.*[.:)])\n\n    \S.*$', prose, re.MULTILINE) == []
    assert re.findall(r'\n\n(?: {1,3}| {5,7})[^\s-].*$', prose, re.MULTILINE) == []


def cells(row):
    return len(re.sub(r'`[^`]*`|\\\|', '', row.strip().strip('|')).split('|'))


@pytest.mark.parametrize('page', pages.PAGES, ids=name_of)
def test_rows_of_a_table_have_the_columns_of_its_head(page):
    """A cell beyond the head is not shown."""
    prose = pages.BLOCK.sub('', page.read_text())
    cut = [
        row
        for table in re.findall(r'(?:^\|.*\n)+', prose, re.MULTILINE)
        for row in table.splitlines()
        if cells(row) != cells(table.splitlines()[0])
    ]
    assert cut == []


def test_pages_of_the_guide_say_what_for_and_what_next():
    taught = re.findall(
        r'^ +- (guide/[a-z_]+\.md)$', (ROOT / 'mkdocs.yml').read_text(), re.MULTILINE
    )
    lessons = [name for name in taught if name not in ('guide/gallery.md', 'guide/words.md')]
    assert len(lessons) > 8
    for name in lessons:
        text = (ROOT / 'docs' / name).read_text()
        assert '\n## Read next\n' in text, name
        assert name == 'guide/questions.md' or '\nAfter this page you' in text, name


def test_pages_without_a_place_in_the_navigation_are_those_of_types():
    """Others fail the build of the site."""
    listed = re.search(
        r'^not_in_nav: \|\n((?:  .*\n)+)', (ROOT / 'mkdocs.yml').read_text(), re.MULTILINE
    )
    assert listed[1].split() == ['guide/types/*-*.md']


@pytest.mark.parametrize(
    'picture', sorted((ROOT / 'docs/pictures').iterdir()), ids=lambda path: path.name
)
def test_pictures_are_small_and_shown(picture):
    assert picture.stat().st_size <= 60 * 1024
    assert any(picture.name in page.read_text() for page in pages.PAGES)


def test_differences_are_those_of_lines_and_not_of_times():
    page = ['NAME  AGE', 'a     1s', 'key   …', '  …  a  CREATE_IN_PROGRESS']
    assert pages.differences(page, ['NAME  AGE', 'a     25s', 'key   x7']) == []
    assert pages.differences(page, ['NAME  AGE', 'b     1s', 'key   x7']) == [
        '- a     1s',
        '+ b     1s',
    ]
    assert pages.differences(['a', '…'], ['a', 'b', 'c']) == []
    assert pages.differences(['a'], ['a', 'a']) == ['+ a']


def test_unknown_verbs_and_options_are_faults():
    text = (
        'heat-lite list --nope; A=1 heat-lite frobnicate | cat\nheat-lite show app  # its state\n'
    )
    found = {' '.join(words): pages.fault(words) for words in pages.shell_commands(text)}
    assert [name for name, fault in found.items() if fault] == ['list --nope', 'frobnicate']
    assert 'show app' in found
