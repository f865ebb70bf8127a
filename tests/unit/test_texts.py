"""The project's texts contain no machine paths, registry addresses or names of missing pages."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = {
    '',
    '.py',
    '.md',
    '.cfg',
    '.toml',
    '.ini',
    '.yaml',
    '.yml',
    '.json',
    '.txt',
    '.sh',
    '.in',
    '.conf',
    '.sample',
    '.mako',
}

# Folders of one person or machine. Paths of the system (/etc, /var, /usr) and of URLs are allowed.
HOMES = 'home|root|Users|work|tmp|mnt|opt|srv'
MACHINE_PATH = re.compile(rf"""(?:^|[\s'"`=(\[:])/(?:{HOMES})/[\w.]""", re.MULTILINE)
REGISTRY = re.compile(
    r'\b(?:files\.)?(?:pypi|pythonhosted|npmjs|debian)\.(?:org|com)\b|\bpython' r'hosted\b',
    re.IGNORECASE,
)
PAGE = re.compile(r'[\w./-]*\b[\w-]+\.md\b')


def tracked():
    """Return the text files under version control, except this one, which contains the patterns."""
    listing = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip('not a git checkout')
    paths = [ROOT / name for name in listing.stdout.split('\0') if name]
    return [
        path
        for path in paths
        if path.suffix in TEXT and path.is_file() and path != Path(__file__).resolve()
    ]


def findings(pattern):
    return [
        f'{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}'
        for path in tracked()
        for number, line in enumerate(path.read_text(errors='replace').splitlines(), 1)
        if pattern.search(line)
    ]


def test_texts_contain_no_machine_path():
    assert not findings(MACHINE_PATH)


def test_machine_path_pattern_matches_homes_only():
    assert MACHINE_PATH.search("open('/home/me/x')") and MACHINE_PATH.search('see /root/notes')
    assert not MACHINE_PATH.search('http://host/home/x') and not MACHINE_PATH.search(
        '/etc/heat_lite/api-paste.ini'
    )


def test_texts_contain_no_package_registry():
    assert not findings(REGISTRY)


def test_named_pages_exist():
    """Every Markdown file that a text names exists."""
    pages = {path.name for path in tracked() if path.suffix == '.md'}
    missing = {
        f'{path.relative_to(ROOT)}: {found}'
        for path in tracked()
        if path.suffix in ('.py', '.md', '.cfg', '.toml', '.ini', '.yaml', '')
        for found in PAGE.findall(path.read_text(errors='replace'))
        if found.rpartition('/')[2] not in pages and '*' not in found
    }
    assert not missing, missing


def test_links_of_pages_lead_to_existing_files():
    broken = [
        f'{path.relative_to(ROOT)}: {target}'
        for path in tracked()
        if path.suffix == '.md'
        for target in re.findall(r'\]\(([^)#\s]+)[^)]*\)', path.read_text())
        if '://' not in target and not (path.parent / target).exists()
    ]
    assert not broken, broken
