"""Native or green threads. The only place that decides, and it must be asked before anything else is imported.

All other code uses ``threading``, ``queue`` and ``time`` of the standard library, and is right with either.
"""

import importlib
import os
import sys
import warnings

from heat_lite.cmd import late


def green(postgresql=False):
    """Green threads from here on: for processes that mostly wait for many at a time, as the doors of HTTP do.

    ``postgresql``: load psycopg2, and have it wait without holding up the other green threads.
    """
    late.set_up()
    # its resolver of names costs 0.1 s and 8 MB, and does not read /etc/hosts as everyone else does
    os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        eventlet = importlib.import_module('eventlet')
    # naming one to patch would leave out all others
    eventlet.monkey_patch(**({} if postgresql else {'psycopg': False}))


def native():
    """Native threads: eventlet is kept out of the process.

    oslo.service and oslo.messaging would load it, the former for its default backend, the latter only to ask whether it is in use. That
    is 17 MB and 0.15 s in every engine. Where someone has loaded it before, nothing is done about it.
    """
    late.set_up()
    if 'eventlet' not in sys.modules:
        sys.modules['eventlet'] = None
    if sys.modules['eventlet'] is None:
        backend = importlib.import_module('oslo_service.backend')
        backend.init_backend(backend.BackendType.THREADING)


def use(kind):
    """For an engine: ``green`` if 'eventlet', ``native`` if 'threading', as the option [heat_lite] concurrency has it."""
    {'eventlet': lambda: green(postgresql=True), 'threading': native}[kind]()


def after_fork():
    """A child that uses green threads needs an event loop of its own; the one of its parent shares its file descriptors."""
    if sys.modules.get('eventlet') is not None:
        hubs = importlib.import_module('eventlet.hubs')
        hubs.use_hub()
