"""A backup of a running service, restored into another database, where its stacks go on."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests import ports
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

BIN = Path(sys.executable).parent
TEMPLATE = """
heat_template_version: 2021-04-16
parameters:
  text: {type: string, default: one}
resources:
  word: {type: OS::Heat::RandomString}
  value: {type: OS::Heat::Value, properties: {value: {get_param: text}}}
outputs:
  word: {value: {get_attr: [word, value]}}
"""


@contextlib.contextmanager
def service(folder):
    """Yield a function that runs ``heat-lite`` against a service on this data folder."""
    port = ports.reserve()
    url = f'http://127.0.0.1:{port}'
    environ = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
    command = [BIN / 'heat-lite', 'up', '--port', str(port), '--data-dir', folder]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
    environ['HEAT_LITE_ENDPOINT'] = f'{url}/v1/default'

    def heat_lite(*words):
        command = [BIN / 'heat-lite', *words]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    try:
        shapes.wait_for(url)
        yield heat_lite
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)


def manage(folder, *words):
    """Run ``heat-lite-manage`` on the database of a data folder."""
    environ = {**os.environ, 'OS_DATABASE__CONNECTION': f'sqlite:///{folder}/heat.sqlite'}
    command = [BIN / 'heat-lite-manage', *words]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_stack_goes_on_in_the_restored_database(tmp_path):
    old, new, file = tmp_path / 'old', tmp_path / 'new', tmp_path / 'heat.gz'
    template = tmp_path / 'app.yaml'
    template.write_text(TEMPLATE)
    with service(old) as heat_lite:
        heat_lite('create', 'web', '-t', template)
        word = heat_lite('outputs', 'web', 'word')
        assert '1 of them stacks' in manage(old, 'backup', file)
    new.mkdir(mode=0o700)
    shutil.copy(old / 'key', new / 'key')
    manage(new, 'db_sync')
    assert '1 of them stacks restored' in manage(new, 'restore', file)
    assert '0 findings' in manage(new, 'verify')
    assert '0 findings' in manage(old, '--data-dir', new, 'verify')
    with service(new) as heat_lite:
        assert heat_lite('outputs', 'web', 'word') == word
        assert 'UPDATE_COMPLETE' in heat_lite('update', 'web', '-t', template, '-P', 'text=two')
        assert heat_lite('outputs', 'web', 'word') == word
        heat_lite('delete', 'web', '--yes')
