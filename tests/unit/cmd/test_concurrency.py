"""Which threads a program gets, and what it does not load for that. In processes of their own, since there is no way back."""

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
print(server.executor, sys.modules['eventlet'], sum(name.startswith('eventlet.') for name in sys.modules))
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
# a thousand green threads that sleep cost no thousand threads of the system
threads = [threading.Thread(target=time.sleep, args=(0.2,)) for _ in range(1000)]
began = time.monotonic()
[thread.start() for thread in threads]
system = len(__import__('os').listdir('/proc/self/task'))
[thread.join() for thread in threads]
print(server.executor, system < 5, time.monotonic() - began < 60)
"""


def output(program):
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_native_threads_keep_eventlet_out():
    assert output(NATIVE) == 'threading None 0'


def test_green_threads_are_green():
    assert output(GREEN) == 'eventlet True True'


def test_there_is_no_third_kind():
    with pytest.raises(KeyError):
        concurrency.use('fibers')
