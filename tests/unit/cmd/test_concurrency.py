"""The kind of threads of a process. Each case is a process of its own: the choice is final."""

import subprocess
import sys

import pytest

from heat_lite.cmd import concurrency

NATIVE = """
from heat_lite.cmd import concurrency
concurrency.use('threading')
import sys, threading, time
from oslo_config import cfg
from heat_lite.rpc import messaging
conf = cfg.ConfigOpts()
conf([])
messaging.setup(conf, 'local://')
server = messaging.serve('topic', 'one', [])
submodules = [name for name in sys.modules if name.startswith('eventlet.')]
print(server.executor, sys.modules['eventlet'], len(submodules))
"""
GREEN = """
from heat_lite.cmd import concurrency
concurrency.use('eventlet')
import sys, threading, time
from oslo_config import cfg
from heat_lite.rpc import messaging
conf = cfg.ConfigOpts()
conf([])
messaging.setup(conf, 'local://')
server = messaging.serve('topic', 'one', [])
# A thousand sleeping green threads do not take a thousand threads of the system.
threads = [threading.Thread(target=time.sleep, args=(0.2,)) for _ in range(1000)]
began = time.monotonic()
[thread.start() for thread in threads]
system = len(__import__('os').listdir('/proc/self/task'))
[thread.join() for thread in threads]
print(server.executor, system < 5, time.monotonic() - began < 60)
"""


def output(program):
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', program], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_threading_prevents_the_import_of_eventlet():
    assert output(NATIVE) == 'threading None 0'


def test_eventlet_patches_threads():
    assert output(GREEN) == 'eventlet True True'


def test_unknown_kind_is_refused():
    with pytest.raises(KeyError):
        concurrency.use('fibers')
