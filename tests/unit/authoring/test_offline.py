"""The linter as a process: what it imports."""

import re
import subprocess
import sys
from pathlib import Path

from heat_lite.authoring import offline

ROOT = Path(__file__).parents[3]
#: libraries of databases, brokers, clouds and editors, each of which costs 30 ms or more
LARGE = {
    *('sqlalchemy', 'oslo_messaging', 'oslo_config', 'keystoneauth1', 'requests', 'eventlet'),
    *('alembic', 'asyncio', 'pygls', 'lsprotocol', 'yaql'),
}
TEMPLATE = """
heat_template_version: 2021-04-16
resources:
  server: {type: OS::Nova::Server, properties: {flavor: small, image: linux}}
  alarm: {type: AWS::CloudWatch::Alarm}
  name: {type: OS::Heat::RandomString, properties: {length: 7}}
  group: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Heat::None}}}
"""


def run(*argv):
    env = {'PYTHONPATH': str(ROOT), 'PATH': ''}
    return subprocess.run(
        [sys.executable, *argv], cwd=ROOT, capture_output=True, text=True, env=env, timeout=120
    )


def test_linter_loads_no_large_library(tmp_path):
    (tmp_path / 'template.yaml').write_text(TEMPLATE)
    path = str(tmp_path / 'template.yaml')
    done = run('-X', 'importtime', '-m', 'heat_lite.cli.main', 'lint', path)
    loaded = set(re.findall(r'\| +([\w.]+)$', done.stderr, re.MULTILINE))
    assert 'heat_lite.engine.resource.resource' in loaded, done.stderr[-500:]
    assert {name.partition('.')[0] for name in loaded} & LARGE == set()


def test_deferred_modules_exist():
    """A name that no longer exists would be left out in silence."""
    names = (*offline.SERVICE_MODULES, *offline.LIBRARIES)
    program = (
        f'import sys\nfrom heat_lite.startup import lazy_imports\nlazy_imports.install({names})\n'
    )
    done = run('-c', program + f'print([name for name in {names} if name not in sys.modules])')
    assert (done.stdout, done.stderr) == ('[]\n', '')
