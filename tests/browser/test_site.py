"""The documentation in a browser: it fits each window, asks no other site, copies commands."""

import functools
import http.server
import threading

import pytest

from tests import pages, site
from tests.browser import conftest

SIZES = {'desktop': {'width': 1280, 'height': 900}, 'phone': conftest.PHONE}
#: an element beyond the right side of the window that nothing scrolls into view
CUT = """() => [...document.querySelectorAll('article *')].filter((each) => {
  let box = each.parentElement;
  if (each.getBoundingClientRect().right <= innerWidth + 1) return false;
  while (box && getComputedStyle(box).overflowX === 'visible') box = box.parentElement;
  return !box || box.matches('html, body, .md-main, .md-container');
}).map((each) => each.tagName + ' ' + each.textContent.slice(0, 40))"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Print nothing: the test reports what is missing."""


@pytest.fixture(scope='module')
def documentation(tmp_path_factory):
    """The URL of the site and the paths of its pages without those of resource types."""
    folder = tmp_path_factory.mktemp('site')
    site.build(folder)
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sources = sorted(pages.DOCS.rglob('*.md'))
        paths = [str(each.relative_to(pages.DOCS).with_suffix('.html')) for each in sources]
        yield f'http://127.0.0.1:{server.server_port}', paths
        server.shutdown()


@pytest.fixture
def browse(chromium, documentation):
    """A function that opens a window on the site; what went wrong in it fails the test."""
    opened = []

    def show(size='desktop', **options):
        viewport = SIZES[size]
        opened.append(conftest.Window(chromium, documentation[0], viewport=viewport, **options))
        return opened[-1]

    yield show
    for window in opened:
        window.close()


@pytest.mark.parametrize('size', SIZES)
def test_pages_fit_the_window(browse, documentation, size):
    window, faults = browse(size), []
    url, paths = documentation
    for path in paths:
        window.page.goto(f'{url}/{path}')
        found = window.page.evaluate(CUT)
        wide = window.page.evaluate('document.documentElement.scrollWidth > innerWidth')
        faults += [f'{path}: {each}' for each in found] + ([path] if wide else [])
    assert faults == []


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_first_page_has_the_colours_and_the_picture_of_the_scheme(browse, documentation, scheme):
    window = browse(color_scheme=scheme)
    window.page.goto(f'{documentation[0]}/guide/index.html')
    shown = window.page.locator('article img').evaluate_all(
        'all => all.filter((each) => each.offsetWidth).map((each) => each.getAttribute("src"))'
    )
    assert shown and all(f'-{scheme}.webp' in each for each in shown)
    window.picture(f'documentation-{scheme}')


def test_copy_button_takes_commands_alone(browse, documentation):
    window = browse(permissions=['clipboard-read', 'clipboard-write'])
    window.page.goto(f'{documentation[0]}/guide/index.html')
    block = window.page.locator('.highlight').filter(has_text='heat-lite lint visits.yaml')
    block.hover()
    block.locator('[data-md-type=copy], .md-clipboard').first.click()
    window.page.get_by_text('Copied to clipboard').wait_for()
    copied = window.page.evaluate('navigator.clipboard.readText()')
    lines = [line for line in copied.splitlines() if line.strip()]
    assert lines == ['heat-lite lint visits.yaml', 'heat-lite create visits -t visits.yaml']


def test_search_finds_a_page(browse, documentation):
    window = browse()
    window.page.goto(f'{documentation[0]}/index.html')
    window.page.get_by_placeholder('Search').click()
    window.page.keyboard.type('where is my state')
    window.page.locator('.md-search-result a[href*="questions.html"]').first.wait_for()
