"""The documentation as a built site, read as a browser reads it."""

import html.parser
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

from tests import pages

#: elements whose text is code, or no text
CODE = {'code', 'pre', 'script', 'style', 'title'}
VOID = {'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr'}


def build(folder):
    """Build the site as ``make site`` does. Return what the command has printed."""
    command = [sys.executable, '-W', 'ignore', '-m', 'mkdocs', 'build', '--strict', '--quiet']
    done = subprocess.run(
        [*command, '--site-dir', folder],
        cwd=pages.ROOT,
        env={**os.environ, 'NO_MKDOCS_2_WARNING': '1'},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


class Page(html.parser.HTMLParser):
    """What a built page has: ids, links, assets, texts outside of code, tables."""

    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links, self.assets = path, set(), [], []
        self.texts, self.headings = [], []
        self._open = []
        self.feed(Path(path).read_text())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in VOID:
            self._open.append(tag)
        if given.get('id'):
            self.ids.add(given['id'])
        if tag == 'a' and given.get('href'):
            self.links.append(given['href'])
        if tag == 'link' and given.get('rel') != 'canonical' and given.get('href'):
            self.assets.append(given['href'])
        if given.get('src'):
            self.assets.append(given['src'])
        if tag in ('h1', 'h2'):
            self.headings.append('')

    def handle_endtag(self, tag):
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open and self._open[-1] in ('h1', 'h2'):
            self.headings[-1] += data
        if not CODE & set(self._open):
            self.texts.append(data)

    def target(self, link):
        """Return the file and the anchor of a link within the site."""
        place, _, anchor = unquote(link).partition('#')
        return (self.path.parent / place).resolve() if place else self.path, anchor
