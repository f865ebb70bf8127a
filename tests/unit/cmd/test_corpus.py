"""The linter and the templates in tests/corpus: the findings are those in its expected.txt.

The templates are written in the style of public ones. Each folder is a project of its own. After an
intended change, write the list anew: ``python -m tests.unit.cmd.test_corpus``.
"""

import os
import re
from pathlib import Path

from heat_lite.authoring import lint
from heat_lite.template.lint.settings import Settings

ROOT = Path(__file__).parents[3]
CORPUS = ROOT / 'tests' / 'corpus'


def findings():
    """Return the findings of all folders as lines, with names relative to the corpus."""
    previous = Path.cwd()
    os.chdir(CORPUS)
    try:
        folders = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
        return [str(each) for folder in folders for each in lint.inspect([folder], Settings())[0]]
    finally:
        os.chdir(previous)


def test_corpus_has_the_expected_findings():
    assert findings() == (CORPUS / 'expected.txt').read_text().splitlines()


def test_corpus_has_findings_in_faulty_templates_only():
    lines = (CORPUS / 'expected.txt').read_text().splitlines()
    assert {line.partition('/')[0] for line in lines} == {'faulty'}


def test_corpus_covers_many_types_and_functions():
    files = [path for path in CORPUS.rglob('*') if path.suffix in ('.yaml', '.template')]
    text = '\n'.join(path.read_text() for path in files)
    assert len(files) >= 40
    assert len(set(re.findall(r'\b(?:OS|AWS)::\w+::\w+(?:::\w+)?', text))) >= 60
    for word in ('external_id', 'AWS::RDS::DBInstance', 'AWS::CloudWatch::Alarm', 'yaql', 'repeat'):
        assert word in text


if __name__ == '__main__':
    (CORPUS / 'expected.txt').write_text('\n'.join(findings()) + '\n')
