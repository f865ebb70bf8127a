"""The modules that each program imports. Each costs time at every start, and memory."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys, time
# as without the tests' own osprofiler, with which keystoneauth1 loads webob
sys.modules['osprofiler'] = None
{code}
print(json.dumps(sorted(name for name, module in sys.modules.items() if module is not None)))
"""
CLOUD = {'keystoneclient', 'keystonemiddleware', 'heatclient', 'openstack'}
DATABASE = {'sqlalchemy', 'alembic', 'pymysql', 'psycopg2', 'heat_lite.db'}
HTTP = {'webob', 'paste.deploy', 'routes', 'heat_lite.api'}
SERVICE = {'oslo_config', 'eventlet', 'heat_lite.rpc'} | HTTP | DATABASE | CLOUD

CASES = {
    'heat-lite --help': (
        "from heat_lite.cli import main\nmain.main(['--help'])",
        {'oslo_config', 'eventlet', 'heat_lite.rpc'} | HTTP | DATABASE,
    ),
    'up, before it starts': ('from heat_lite.operate import up', SERVICE),
    'engine': (
        'from heat_lite.startup import concurrency\nconcurrency.use_native_threads()\n'
        'from heat_lite.cmd import engine\nfrom heat_lite.server import engine_worker',
        {'eventlet', 'alembic', 'pymysql', 'psycopg2'} | HTTP | CLOUD,
    ),
    'api': (
        'from heat_lite.startup import concurrency\nconcurrency.use_native_threads(True)\n'
        'from heat_lite.cmd import api\nfrom heat_lite.server import api_worker',
        {'heat_lite.engine', 'heat_lite.resources', 'yaql', 'dns'}
        | DATABASE
        | CLOUD - {'keystonemiddleware'},
    ),
    'embedded': (
        'from heat_lite.startup import concurrency\nconcurrency.use_native_threads(True)\n'
        'from heat_lite.server import embedded',
        {'alembic', 'pymysql', 'psycopg2', 'dns'} | CLOUD,
    ),
}


@pytest.mark.parametrize('name', CASES)
def test_program_imports_no_unwanted_module(name):
    code, unwanted = CASES[name]
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', PROGRAM.format(code=code)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert loaded & unwanted == set()
