"""The guide: each template in it is written, each command run, each line of output looked for.

In the pages, a block ``yaml title="FILE"`` is a file. A block ``console`` has commands after ``$``,
which may say how they exit (``# exits with 1``), and lines that their output contains.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import ports
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
GUIDE = ROOT / 'docs' / 'guide'
PAGES = sorted(path.stem for path in GUIDE.glob('*.md'))
TEMPLATES = sorted(path.name for path in (GUIDE / 'gallery').glob('*.yaml'))
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
EXIT = re.compile(r'\s+# exits with (\d+)$')


@pytest.fixture(scope='module')
def environ(tmp_path_factory):
    """The environment of a reader whose service runs."""
    folder, port = tmp_path_factory.mktemp('guide'), ports.reserve()
    others = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
    command = [BIN / 'heat-lite', 'up', '--port', str(port), '--data-dir', folder / 'data']
    process = subprocess.Popen(command, env=others, stdout=subprocess.DEVNULL)
    url = f'http://127.0.0.1:{port}'
    try:
        shapes.wait_for(url)
        path = f'{BIN}:{others["PATH"]}'
        yield {**others, 'PATH': path, 'HEAT_LITE_ENDPOINT': f'{url}/v1/default'}
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)


def steps(text):
    """Yield (command, exit status, lines of its output) of a block."""
    command, status, lines = None, 0, []
    for line in text.splitlines():
        if not line.startswith('$ '):
            lines.append(line)
            continue
        if command:
            yield command, status, lines
        found = EXIT.search(line)
        command, status, lines = EXIT.sub('', line[2:]), int(found[1]) if found else 0, []
    yield command, status, lines


def plain(text):
    return ' '.join(text.split())


@pytest.mark.parametrize('page', PAGES)
def test_page_is_true(page, environ, tmp_path):
    for kind, title, text in BLOCK.findall((GUIDE / f'{page}.md').read_text()):
        if title:
            (tmp_path / title).write_text(text)
        if kind != 'console':
            continue
        for command, status, lines in steps(text):
            done = subprocess.run(
                ['bash', '-c', command],
                env=environ,
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=WAIT_SECONDS,
            )
            out = plain(done.stdout + done.stderr)
            assert done.returncode == status, (command, out)
            missing = [line for line in lines if plain(line) not in out]
            assert not missing, (command, missing, out)


def case_of(path):
    """A test case of a template: it gets values for its parameters, and has its resources."""
    data = yaml.safe_load(path.read_text())
    parameters = data.get('parameters') or data.get('Parameters') or {}
    given = {
        name: {} if each.get('type') == 'json' else 'sample'
        for name, each in parameters.items()
        if 'default' not in each
    }
    resources = data.get('resources') or data.get('Resources')
    types = {name: {'type': each.get('type') or each['Type']} for name, each in resources.items()}
    shown = {name: each for name, each in types.items() if 'condition' not in resources[name]}
    case = {'parameters': given, 'expect': {'resources': shown}}
    return {'heat_lite_test': 1, 'template': str(path), 'cases': {path.stem: case}}


def test_templates_of_the_gallery_are_valid_and_plan_their_resources(tmp_path):
    """The service validates and creates each, with stand-ins for what clouds have."""
    for name in TEMPLATES:
        case = case_of(GUIDE / 'gallery' / name)
        (tmp_path / f'{name}.test.yaml').write_text(yaml.safe_dump(case))
    command = [BIN / 'heat-lite', 'test', '--root', GUIDE / 'gallery', tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f'{len(TEMPLATES)} passed' in done.stdout


def test_gallery_has_no_findings_and_the_usual_form(environ):
    assert len(TEMPLATES) >= 30
    for words in (['lint'], ['fmt', '--check']):
        command = [BIN / 'heat-lite', *words, GUIDE / 'gallery']
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    'name',
    [each for each in TEMPLATES if 'Needs no cloud' in (GUIDE / 'gallery' / each).read_text()],
)
def test_template_without_a_cloud_is_created(name, environ):
    stack = name.partition('.')[0]
    command = [BIN / 'heat-lite', 'create', stack, '-t', GUIDE / 'gallery' / name]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_site_is_built_without_warnings(tmp_path):
    command = [BIN / 'mkdocs', 'build', '--strict', '--site-dir', tmp_path / 'site']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and 'WARNING' not in done.stderr, done.stderr
    for page in ('guide/types/OS-Nova-Server', 'guide/gallery', 'operations/options'):
        assert (tmp_path / 'site' / f'{page}.html').is_file()
