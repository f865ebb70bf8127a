"""The pictures of the documentation: the page and a terminal, in light and dark.

They are in build/screenshots. With ``HEAT_LITE_WRITE_DOCS=1`` they become those of docs/pictures.
"""

import base64
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from rich.console import Console
from rich.terminal_theme import MONOKAI, TerminalTheme
from rich.text import Text

from tests import pages
from tests.browser import conftest
from tests.timeouts import WAIT_SECONDS

PICTURES = pages.DOCS / 'pictures'
SIZE = {'width': 1100, 'height': 560}
LIMIT = 60 * 1024
ROWS, COLUMNS = 16, 84
AS_WEBP = """async source => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', 0.9);
}"""
#: from one frame of a live view to the next one
REDRAW = re.compile(rb'(?:\r?\x1b\[2K|\x1b\[1A|\r(?!\n))+')
LIGHT = TerminalTheme(
    (255, 255, 255),
    (40, 40, 40),
    [(0, 0, 0), (176, 0, 32), (0, 110, 50), (150, 90, 0), (0, 80, 160), (130, 0, 130)]
    + [(0, 110, 120), (110, 110, 110)],
)
SITE = """
heat_template_version: 2021-04-16
description: A web site
parameters:
  title: {type: string, default: My page}
  servers: {type: number, default: 2}
resources:
  network: {type: OS::Heat::TestResource}
  password: {type: OS::Heat::RandomString, properties: {length: 24}}
  data: {type: OS::Heat::TestResource, depends_on: network}
  database:
    type: OS::Heat::TestResource
    depends_on: [data, password]
    properties: {value: small, action_wait_secs: {create: SECONDS}}
  web:
    type: OS::Heat::ResourceGroup
    depends_on: database
    properties:
      count: {get_param: servers}
      resource_def: {type: OS::Heat::TestResource, properties: {value: {get_param: title}}}
  balancer: {type: OS::Heat::TestResource, depends_on: web}
outputs:
  url: {value: 'http://198.51.100.7/'}
"""
FAILED = SITE.replace('{value: small, action', '{value: small, fail: true, action')


@pytest.fixture(params=['light', 'dark'])
def scheme(request):
    return request.param


@pytest.fixture
def screen(chromium, service, scheme):
    site = service.url.removesuffix('/v1')
    found = conftest.Window(chromium, site, color_scheme=scheme, viewport=SIZE)
    yield found
    found.close()


def keep(screen, name, scheme):
    """Make a picture; it becomes that of the documentation if that is wanted."""
    screen.picture(f'{name}-{scheme}', animations='disabled')
    taken = (conftest.SCREENSHOTS / f'{name}-{scheme}.png').read_bytes()
    page = screen.context.new_page()
    source = f'data:image/png;base64,{base64.b64encode(taken).decode()}'
    small = base64.b64decode(page.evaluate(AS_WEBP, source).partition(',')[2])
    path = PICTURES / f'{name}-{scheme}.webp'
    if os.environ.get('HEAT_LITE_WRITE_DOCS') == '1':
        path.write_bytes(small)
    assert len(small) <= LIMIT and path.is_file()


def test_picture_of_the_graph(screen, make, scheme):
    page = screen.open(make(f'site-{scheme}', SITE.replace('SECONDS', '0')))
    page.set_viewport_size({**SIZE, 'height': 760})
    page.get_by_role('button', name='Open nested').click()
    page.locator('.canvas[data-nodes="8"]').wait_for()
    keep(screen, 'graph', scheme)


def test_picture_of_a_failure(screen, make, scheme):
    page = screen.open(make(f'broken-{scheme}', FAILED.replace('SECONDS', '0')))
    page.get_by_text('Test Resource failed database').first.wait_for()
    keep(screen, 'failure', scheme)


def test_picture_of_a_preview(screen, make, scheme):
    page = screen.open(make(f'change-{scheme}', SITE.replace('SECONDS', '0')), 'update')
    page.get_by_label('title').fill('Welcome')
    page.get_by_label('servers').fill('3')
    page.get_by_text('The template is valid').wait_for()
    page.get_by_role('button', name='Preview').click()
    page.get_by_role('dialog').get_by_text('Welcome').first.wait_for()
    keep(screen, 'update-preview', scheme)


def test_picture_of_the_timeline(screen, make, scheme):
    page = screen.open(make(f'times-{scheme}', SITE.replace('SECONDS', '2')), 'timeline')
    page.get_by_role('button', name='web/0').first.wait_for()
    keep(screen, 'timeline', scheme)


def frame_of(command):
    """Run a command in a terminal. Return the last frame in which a resource is at work."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, COLUMNS, 0, 0))
    environment = {**os.environ, 'TERM': 'xterm-256color'}
    process = subprocess.Popen(
        command, stdin=there, stdout=there, stderr=there, env=environment, start_new_session=True
    )
    os.close(there)
    shown = io.BytesIO()
    try:
        while data := os.read(here, 65536):
            shown.write(data)
    except OSError:  # Linux ends the reading of a terminal so, when its program has ended
        pass
    assert process.wait(WAIT_SECONDS) == 0, shown.getvalue()
    os.close(here)
    frames = [each.decode() for each in REDRAW.split(shown.getvalue())]
    return [each for each in frames if 'waits for database' in each][-1]


def as_page(frame, scheme):
    """Return the HTML of a frame."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(frame.replace('\r', '')), end='')
    style = 'body{margin:0;padding:14px} pre{font-size:14px!important;margin:0;line-height:1.45}'
    return console.export_html(theme=LIGHT if scheme == 'light' else MONOKAI).replace(
        '</style>', f'{style}</style>', 1
    )


def test_picture_of_the_tree_in_a_terminal(screen, service, scheme, tmp_path):
    (tmp_path / 'site.yaml').write_text(SITE.replace('SECONDS', '3'))
    program = Path(sys.executable).parent / 'heat-lite'
    options = ['--endpoint', f'{service.url}/demo', '-t', tmp_path / 'site.yaml']
    frame = frame_of([program, 'create', *options, f'tree-{scheme}'])
    screen.page.set_content(as_page(frame.replace(f'tree-{scheme}', 'site'), scheme))
    height = screen.page.locator('pre').evaluate('each => each.offsetHeight') + 28
    screen.page.set_viewport_size({'width': 760, 'height': height})
    keep(screen, 'tree', scheme)
