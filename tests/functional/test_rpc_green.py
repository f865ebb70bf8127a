"""The RPC tests on green threads, in a new process that is monkey-patched before all imports."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from heat_lite.startup import concurrency
concurrency.use_green_threads()
import pytest
sys.exit(pytest.main(['tests/unit/rpc/test_messaging.py', 'tests/unit/rpc/test_listener.py',
                      '-q', '-W', 'ignore', '-p', 'no:cacheprovider', '-p', 'no:xdist']))
"""


def test_rpc_works_on_green_threads():
    environ = {name: value for name, value in os.environ.items() if not name.startswith('PYTEST')}
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', PROGRAM],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
        env=environ,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert done.stdout.count('.') > 50 and 'F' not in done.stdout
