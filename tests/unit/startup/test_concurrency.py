"""The kind of threads of a process. Each case is a process of its own: the choice is final."""

import subprocess
import sys

SERVES = """
from heat_lite.startup import concurrency
concurrency.use_native_threads(serves_http=True)
from oslo_config import cfg
from heat_lite.rpc import messaging
conf = cfg.ConfigOpts()
conf([])
messaging.setup(conf, 'local://')
messaging.serve('topic', 'one', [])
from oslo_service import backend
from eventlet import patcher
print(backend.get_backend_type().value, patcher.already_patched)
"""
WITHOUT_EVENTLET = """
from heat_lite.startup import concurrency
concurrency.use_native_threads()
import sys
from oslo_config import cfg
from heat_lite.rpc import messaging
conf = cfg.ConfigOpts()
conf([])
messaging.setup(conf, 'local://')
messaging.serve('topic', 'one', [])
submodules = [name for name in sys.modules if name.startswith('eventlet.')]
print(sys.modules['eventlet'], len(submodules))
"""
# An earlier choice of a WSGI server with eventlet of its own stays.
CHOSEN = """
from oslo_service import backend
backend.init_backend(backend.BackendType.EVENTLET)
from heat_lite.startup import concurrency
concurrency.use_native_threads()
print(backend.get_backend_type().value)
"""


def output(program):
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_process_without_http_cannot_import_eventlet():
    assert output(WITHOUT_EVENTLET) == 'None 0'


def test_process_that_serves_http_patches_nothing():
    assert output(SERVES) == 'threading {}'


def test_choice_of_the_server_stays():
    assert output(CHOSEN) == 'eventlet'
