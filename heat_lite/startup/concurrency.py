"""The kind of threads of a process: native ones. It must be set before any other import.

A program that serves HTTP has eventlet as well, in one thread (``server/hub.py``).
"""

import contextlib
import importlib
import os
import sys
import warnings

from heat_lite.startup import lazy_imports

#: Seconds after which the interpreter passes on from a thread that computes. Each thread that waits
#: for something gets the interpreter after so long for each thread that computes.
SWITCH_SECONDS = 0.001
#: the end of a program that serves HTTP where eventlet is missing
NEEDS_EVENTLET = (
    '%s: heat-lite up, heat-lite-api, heat-lite-api-cfn and heat-lite-api-cloudwatch serve HTTP'
    ' with eventlet. Install it (pip install eventlet, or the package python3-eventlet), or serve'
    ' heat_lite.wsgi.api:application with uwsgi, mod_wsgi or gunicorn, which need none.'
)


def use_native_threads(serves_http: bool = False) -> None:
    """Have libraries use native threads. Raises SystemExit if eventlet is needed and missing.

    oslo.service would load eventlet for its default backend, and oslo.messaging to find out
    whether eventlet is in use. That costs 17 MB and 0.15 s in every engine, and oslo.service fails
    where eventlet is missing. So the import of eventlet fails unless the process ``serves_http``.
    If eventlet is loaded already, it stays loaded.
    """
    lazy_imports.install()
    sys.setswitchinterval(SWITCH_SECONDS)
    if serves_http:
        # eventlet's DNS resolver costs 0.1 s and 8 MB
        os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            try:
                importlib.import_module('eventlet')
            except ImportError as error:
                sys.exit(NEEDS_EVENTLET % error)
    elif 'eventlet' not in sys.modules:
        sys.modules['eventlet'] = None  # type: ignore[assignment]
    backend = importlib.import_module('oslo_service.backend')
    # a WSGI server with eventlet of its own may have selected another one
    with contextlib.suppress(backend.exceptions.BackendAlreadySelected):
        backend.init_backend(backend.BackendType.THREADING)
