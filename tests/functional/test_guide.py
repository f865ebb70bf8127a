"""The pages: each file of a page is written, each command run, its whole output compared.

With ``HEAT_LITE_WRITE_DOCS=1`` the outputs in the pages become those of this run.
The gallery: each template is valid, and those without a cloud are created.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import pages, podman, ports
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

ROOT = pages.ROOT
BIN = Path(sys.executable).parent
GUIDE = ROOT / 'docs' / 'guide'
RUN = [path for path in pages.PAGES if '```console' in path.read_text()]
TEMPLATES = sorted(path.name for path in (GUIDE / 'gallery').glob('*.yaml'))
WRITES = os.environ.get('HEAT_LITE_WRITE_DOCS') == '1'
CONTAINERS = re.compile(r'HeatLite::Container')
#: the ports of the pages: of the service, and of what its containers publish
SERVICE_PORT, PUBLISHED_PORT = '8004', '8080'
pytestmark = pytest.mark.xdist_group('guide')


@pytest.fixture(scope='module')
def container_engine(tmp_path_factory):
    """The variables of the environment that name a container engine; none without Podman."""
    if podman.why_missing():
        yield {}
        return
    with podman.running(tmp_path_factory.mktemp('podman')) as engine:
        with podman.images_of_pages(engine):
            yield {'DOCKER_HOST': engine.url}


@pytest.fixture(scope='module')
def environ(tmp_path_factory, container_engine):
    """The environment of a reader whose service runs."""
    folder, port = tmp_path_factory.mktemp('guide'), ports.reserve()
    others = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
    others |= container_engine
    command = [BIN / 'heat-lite', 'up', '--port', str(port), '--data-dir', folder / 'data']
    process = subprocess.Popen(command, env=others, stdout=subprocess.DEVNULL)
    url = f'http://127.0.0.1:{port}'
    try:
        shapes.wait_for(url)
        path = f'{BIN}:{others["PATH"]}'
        shown = {'PORT_OF_SERVICE': str(port), 'COLUMNS': '100', 'TZ': 'UTC'}
        yield {**others, **shown, 'PATH': path, 'HEAT_LITE_ENDPOINT': f'{url}/v1/default'}
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)


class Reader:
    """Runs the commands of a page in a folder of its own."""

    def __init__(self, environ, folder):
        self.environ, self.folder, self.published = environ, folder, str(ports.reserve())
        for name in ('etc', 'docs'):
            (folder / name).symlink_to(ROOT / name)
        (folder / '.venv').mkdir()
        (folder / '.venv' / 'bin').symlink_to(BIN)

    def write_files_of(self, page):
        for block, content in pages.blocks(page.read_text()):
            if block['title']:
                self.write(block['title'], content)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text.replace(PUBLISHED_PORT, self.published))

    def run(self, step):
        """Return the lines of output of a command that exits as the page says."""
        done = subprocess.run(
            ['bash', '-c', step.command.replace(PUBLISHED_PORT, self.published)],
            env=self.environ,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=WAIT_SECONDS,
        )
        shown = f'$ {step.command}\n{done.stdout}'
        assert done.returncode == step.status, f'{shown}exits with {done.returncode}'
        shown = done.stdout.replace(self.published, PUBLISHED_PORT)
        shown = shown.replace(self.environ['PORT_OF_SERVICE'], SERVICE_PORT)
        return [line.rstrip() for line in self._without_folder(shown.splitlines())]

    def _without_folder(self, lines):
        """Return lines without the path of the folder; the column that has it gets narrower."""
        own = f'{self.folder}/'
        gaps = {line: max(re.findall(' +', line), key=len, default='') for line in lines}
        spare = min([len(own), *(len(gaps[line]) - 2 for line in lines if own not in line)])
        if spare <= 0 or not any(own in line for line in lines):
            return [line.replace(own, '') for line in lines]
        wide = re.compile(rf'{re.escape(own)}(\S*)')
        padding = ' ' * (len(own) - spare)
        return [
            wide.sub(rf'\1{padding}', line)
            if own in line
            else line.replace(gaps[line], gaps[line][spare:], 1)
            for line in lines
        ]


@pytest.fixture
def reader(environ, tmp_path_factory):
    found = Reader(environ, tmp_path_factory.mktemp('page'))
    yield found
    listed = subprocess.run([BIN / 'heat-lite', 'list', '--json'], env=environ, capture_output=True)
    names = [each['stack_name'] for each in yaml.safe_load(listed.stdout)]
    if names:
        subprocess.run(
            [BIN / 'heat-lite', 'delete', '-y', *names], env=environ, capture_output=True
        )


@pytest.mark.parametrize('page', RUN, ids=lambda path: str(path.relative_to(ROOT)))
def test_page_is_true(page, reader, container_engine):
    text = page.read_text()
    if CONTAINERS.search(''.join(block['text'] for block, _ in pages.blocks(text))):
        if not container_engine:
            podman.skip_or_fail(f'{podman.why_missing()}: apt-get install {podman.PACKAGES}')
    if page.parent == GUIDE:
        reader.write_files_of(GUIDE / 'index.md')
    faults, changes = [], []
    for block, content in pages.blocks(text):
        if block['title']:
            reader.write(block['title'], content)
        if block['kind'] != 'console' or pages.reason_not_to_run(text, block):
            continue
        lines = []
        for step in pages.steps(content):
            output = reader.run(step)
            found = pages.differences(step.lines, output)
            faults += [f'$ {step.command}', *found] if found else []
            merged = pages.merge(step.lines, output, pages.has_columns_of)
            is_new = found or any(map(pages.counts, set(merged) - set(step.lines)))
            lines += [*step.source, *(merged if is_new else step.lines)]
        new = ''.join(f'{block["indent"]}{line}'.rstrip() + '\n' for line in lines)
        changes.append((*block.span('text'), new))
    if WRITES:
        for start, end, new in reversed(changes):
            text = text[:start] + new + text[end:]
        page.write_text(text)
    assert not faults or WRITES, (
        '\n'.join(faults) + '\nHEAT_LITE_WRITE_DOCS=1 writes these outputs into the page.'
    )


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
