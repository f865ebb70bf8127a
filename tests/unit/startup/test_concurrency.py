"""The kind of threads of a process. Each case is a process of its own: the choice is final."""

import subprocess
import sys

import pytest

from heat_lite.startup import concurrency

NATIVE = """
from heat_lite.startup import concurrency
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
from heat_lite.startup import concurrency
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
# No green thread reads what another stores in modules that were imported before the choice.
STORES = """
from heat_lite.cmd import api
from heat_lite.startup import concurrency, log_format
from heat_lite.common import context, log_context
from heat_lite.db import session
from oslo_context import context as oslo_context
concurrency.use('eventlet')
import threading
context.RequestContext(request_id='req-first')
log_context.set_subject('first')
session.retry_forever()
seen = []
def look():
    seen.append((oslo_context.get_current(), log_context.get_subject(), session.retries_forever()))
    context.RequestContext(request_id='req-second')
    log_context.set_subject('second')
other = threading.Thread(target=look)
other.start()
other.join()
print(*seen, oslo_context.get_current().request_id, log_context.get_subject())
log_context.forget_request()
log_context.forget_request()
print(oslo_context.get_current(), log_context.get_subject())
"""

CANCELLED = """
from heat_lite.startup import concurrency
concurrency.use('eventlet')
import eventlet
from eventlet import hubs
limits = [eventlet.Timeout(3600) for _ in range(10)]
fired = []
eventlet.spawn_after(0.2, fired.append, 'due')
eventlet.sleep(0)
for limit in limits:
    limit.cancel()
before = len(hubs.get_hub().timers)
concurrency.drop_cancelled_timers()
print(before, len(hubs.get_hub().timers))
eventlet.sleep(0.4)
print(*fired)
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


def test_modules_imported_before_the_choice_keep_values_of_each_green_thread():
    own, forgotten = output(STORES).splitlines()
    assert own == '(None, None, False) req-first first'
    assert forgotten == 'None None'


def test_cancelled_timers_are_dropped_and_others_fire():
    assert output(CANCELLED).splitlines() == ['11 1', 'due']


def test_unknown_kind_is_refused():
    with pytest.raises(KeyError):
        concurrency.use('fibers')
