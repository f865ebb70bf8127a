"""Chromium, a page that watches its own errors, and the service that it shows.

Needs the program chromium and the package playwright; with CI set a missing one fails.
"""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from tests import databases
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / 'build' / 'screenshots'
PROGRAMS = ('chromium', 'chromium-browser', 'google-chrome')
DESKTOP, PHONE = {'width': 1360, 'height': 820}, {'width': 390, 'height': 800}
# what the browser reports about answers of the service, e.g. 409, that the page shows itself
EXPECTED = 'Failed to load resource'


@pytest.fixture(scope='session')
def chromium():
    """A running Chromium without sandbox: the tests may run as root, and load no foreign page."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        databases.skip_or_fail('chromium is not installed')
    if sync_playwright is None:
        databases.skip_or_fail('the package playwright is not installed')
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=['--no-sandbox'])
        yield browser
        browser.close()


@pytest.fixture(scope='session')
def service(tmp_path_factory):
    with shapes.embedded(tmp_path_factory.mktemp('page')) as running:
        yield running


class Window:
    """A page of the browser, and what went wrong in it."""

    def __init__(self, chromium, site, **options):
        self.site = site
        self.context = chromium.new_context(**{'viewport': DESKTOP, **options})
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT_SECONDS * 1000)
        self.faults, self.strangers = [], []
        self.page.on('pageerror', lambda error: self.faults.append(str(error)))
        self.page.on('dialog', self._take_dialog)
        self.questions = 0
        self.page.on('console', self._take_line)
        self.page.on('request', self._take_request)
        self.allowed = [site]

    def _take_dialog(self, dialog):
        if dialog.type == 'beforeunload':
            self.questions += 1
        else:
            self.faults.append(f'dialog: {dialog.message}')
        dialog.accept()

    def _take_line(self, line):
        if line.type == 'error' and EXPECTED not in line.text:
            self.faults.append(line.text)

    def _take_request(self, request):
        url = request.url
        if not url.startswith(('data:', *self.allowed)):
            self.strangers.append(url)

    def open(self, *parts, project='demo'):
        self.page.goto(f'{self.site}/ui/#/{"/".join((project, *parts))}')
        return self.page

    def picture(self, name, **options):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f'{name}.png', **options)

    def tones(self):
        """Return the number of nodes of the graph in each colour."""
        text = self.page.locator('.canvas').get_attribute('data-tones')
        return json.loads(text or '{}')

    def wait_for_tones(self, expected):
        wanted = json.dumps(expected, separators=(',', ':'))
        self.page.wait_for_function(
            'wanted => document.querySelector(".canvas")?.dataset.tones === wanted', arg=wanted
        )

    def close(self):
        self.context.close()
        assert self.faults == [] and self.strangers == []


@pytest.fixture
def window(chromium, service):
    found = Window(chromium, service.url.removesuffix('/v1'))
    yield found
    found.close()


@pytest.fixture
def make(service):
    """A function that creates a stack, waits for its end, and returns its path and id."""

    def create(name, template, wait=True, **more):
        body = {'stack_name': name, 'template': template, **more}
        answer = service.ask('POST', '/stacks', body)
        assert answer.status_code == 201, answer.text
        path = f'/stacks/{name}/{answer.json()["stack"]["id"]}'
        end = time.monotonic() + WAIT_SECONDS
        while wait and time.monotonic() < end:
            if not status_of(service, path).endswith('IN_PROGRESS'):
                break
            time.sleep(0.05)
        return path.lstrip('/')

    return create


def status_of(service, path):
    return service.ask('GET', path, params={'resolve_outputs': False}).json()['stack'][
        'stack_status'
    ]


def is_at_rest():
    """Whether the machine has room, so that times mean something."""
    return os.getloadavg()[0] < (os.cpu_count() or 1)
