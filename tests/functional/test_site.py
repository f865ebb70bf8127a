"""The built site: it renders as it is meant, and leads nowhere that does not exist."""

import re

import pytest

from tests import pages, site

#: markup that no text outside of code has
RAW = re.compile(r'``|`\w|\|--|^ *(!!!|\?\?\?|===) ?"?\w|title="|\]\([\w/.#]+\)|<!--', re.MULTILINE)
ELSEWHERE = re.compile(r'^(https?:)?//|^data:text/html')


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    """The pages of the site by path, and the output of the command that has built it."""
    folder = tmp_path_factory.mktemp('site')
    printed = site.build(folder)
    return {path: site.Page(path) for path in folder.rglob('*.html')}, printed, folder


def test_build_prints_nothing(built):
    assert built[1] == ''


def test_generated_pages_exist(built):
    for page in ('guide/types/OS-Nova-Server', 'guide/gallery', 'operations/options'):
        assert built[2] / f'{page}.html' in built[0]


def test_texts_have_no_raw_markup(built):
    faults = [
        f'{path.relative_to(built[2])}: {text.strip()[:80]}'
        for path, page in built[0].items()
        for text in page.texts
        if RAW.search(text)
    ]
    assert faults == []


def test_links_lead_to_existing_places(built):
    faults = []
    for path, page in built[0].items():
        for link in page.links:
            if re.match(r'[a-z]+:', link) or link == '.' or path.name == '404.html':
                continue
            file, anchor = page.target(link)
            file = file / 'index.html' if file.is_dir() else file
            known = built[0].get(file)
            if not file.exists() or (anchor and known and anchor not in known.ids):
                faults.append(f'{path.relative_to(built[2])}: {link}')
    assert faults == []


def test_assets_are_on_the_site(built):
    faults = []
    for path, page in built[0].items():
        for asset in page.assets:
            if ELSEWHERE.match(asset):
                faults.append(f'{path.name}: {asset}')
            elif not asset.startswith(('data:', '/')) and not page.target(asset)[0].exists():
                faults.append(f'{path.name}: {asset} is missing')
    for sheet in built[2].rglob('*.css'):
        faults += re.findall(r'url\("?((?:https?:)?//[^)]*)\)', sheet.read_text())
    assert faults == []


def test_each_block_with_a_title_shows_it(built):
    """A fence that is not understood is a paragraph, its title a part of it."""
    faults = []
    for source in pages.DOCS.rglob('*.md'):
        path = built[2] / source.relative_to(pages.DOCS).with_suffix('.html')
        titles = [block['title'] for block, _ in pages.blocks(source.read_text()) if block['title']]
        shown = built[0][path].texts if path in built[0] else []
        faults += [f'{source.name}: {title}' for title in titles if title not in shown]
    assert faults == []
