"""The choice between native and green threads. It must be made before any other import.

No other module makes this choice. All other code uses ``threading``, ``queue`` and ``time`` of
the standard library, which work with either kind.
"""

import functools
import heapq
import importlib
import os
import socket
import sys
import threading
import types
import warnings

from heat_lite.common import cooperation
from heat_lite.startup import lazy_imports


class _Choice:
    """The choice of this process."""

    green = False


def use_green_threads(postgresql=False):
    """Use green threads in this process.

    Green threads suit processes that mostly wait for many requests at a time, such as the APIs.
    ``postgresql``: load psycopg2 and make it cooperate with green threads.
    """
    lazy_imports.install()
    # eventlet's DNS resolver costs 0.1 s and 8 MB, and reads /etc/hosts differently from the
    # system's resolver.
    os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        eventlet = importlib.import_module('eventlet')
    # Naming a module to patch would exclude all others, so only an exclusion is named.
    eventlet.monkey_patch(**({} if postgresql else {'psycopg': False}))
    _replace_thread_locals()
    cooperation.use_green_threads()
    _Choice.green = True


#: type of the values of one native thread, and the packages whose modules are loaded before the
#: choice of threads and keep such values, e.g. the request context of log lines
NATIVE_LOCAL = threading.local
PACKAGES = ('heat_lite', 'oslo_')


def _replace_thread_locals():
    """Give each green thread its own values in modules that were imported before.

    All green threads of a process are one native thread, so they would share the values.
    """
    for name, module in list(sys.modules.items()):
        if not name.startswith(PACKAGES) or type(module) is not types.ModuleType:
            continue
        for attribute, value in list(vars(module).items()):
            if type(value) is NATIVE_LOCAL:
                setattr(module, attribute, threading.local())


def use_native_threads():
    """Use native threads in this process, and prevent the import of eventlet.

    oslo.service would load eventlet for its default backend, and oslo.messaging to find out
    whether eventlet is in use. That costs 17 MB and 0.15 s in every engine. If eventlet is loaded
    already, it stays loaded.
    """
    lazy_imports.install()
    if 'eventlet' not in sys.modules:
        sys.modules['eventlet'] = None
    if sys.modules['eventlet'] is None:
        backend = importlib.import_module('oslo_service.backend')
        backend.init_backend(backend.BackendType.THREADING)


def _use_green_threads_with_postgresql():
    use_green_threads(postgresql=True)


#: value of the option [heat_lite] concurrency -> the function that applies it
_KINDS = {'eventlet': _use_green_threads_with_postgresql, 'threading': use_native_threads}


def use(kind):
    """Apply a value of the option [heat_lite] concurrency. Raises KeyError for another value."""
    _KINDS[kind]()


def resolver():
    """Return ``getaddrinfo`` in a form that does not block the other green threads, if any.

    Green threads would all wait for a slow name server, so a native thread does.
    """
    if not _Choice.green:
        return socket.getaddrinfo
    tpool = importlib.import_module('eventlet.tpool')
    return functools.partial(tpool.execute, socket.getaddrinfo)


def runner():
    """Return a function that makes a call so that all other threads run meanwhile.

    The call must release the interpreter lock. Green threads need a native thread for it.
    """
    if not _Choice.green:
        return lambda call, *arguments: call(*arguments)
    return importlib.import_module('eventlet.tpool').execute


def drop_cancelled_timers():
    """Drop the cancelled timers of the event loop of green threads, if any.

    The loop would keep each until it is due, which for the limit of an action takes an hour.
    """
    if not _Choice.green:
        return
    hub = importlib.import_module('eventlet.hubs').get_hub()
    # The list stays the same, since the loop may be working on it.
    hub.timers[:] = [entry for entry in hub.timers if not entry[1].called]
    heapq.heapify(hub.timers)
    hub.timers_canceled = sum(entry[1].called for entry in hub.next_timers)


def after_fork():
    """Give a child with green threads its own event loop.

    The event loop of the parent shares its file descriptors with the parent.
    """
    if _Choice.green:
        hubs = importlib.import_module('eventlet.hubs')
        hubs.use_hub()
