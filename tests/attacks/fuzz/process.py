"""Send generated requests to API and engine in this process; print a report as JSON.

Without HTTP and broker, several hundred requests a second reach all other layers. Usage: python -m
tests.attacks.fuzz.process DATABASE_URL --requests 1000 --seed 0
"""

import argparse
import contextlib
import dataclasses
import io
import json
import logging
import os
import sys
import urllib.parse

from oslo_config import cfg
from oslo_log import log

from heat_lite import conf as options
from heat_lite.api import deploy
from heat_lite.cmd import concurrency, global_environment
from heat_lite.db import session
from heat_lite.engine.service import EngineService
from heat_lite.rpc import messaging
from tests.attacks.fuzz import sender


class ErrorLines(logging.Handler):
    """The records of level ERROR, with the end of their traceback."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.lines = []

    def emit(self, record):
        self.lines.append(f'{record.name}: {self.format(record)[-1500:]}')


class Target:
    """The WSGI application of this process, which is the attacked one."""

    def __init__(self, app, errors):
        self.pid = os.getpid()
        self._app = app
        self._errors = errors

    def errors(self):
        found, self._errors.lines = self._errors.lines, []
        return found

    def send(self, attack):
        """Call the application as a server does; return (status, body)."""
        started = []
        answer = self._app(
            _environ(attack), lambda status, headers, exc_info=None: started.append(status)
        )
        return int(started[0].split()[0]), b''.join(answer)


def _environ(attack):
    """Return the environ that a server makes of a request."""
    path, _, query = attack.path.partition('?')
    environ = {
        'REQUEST_METHOD': attack.method,
        'SCRIPT_NAME': '',
        'PATH_INFO': f'/v1/demo{urllib.parse.unquote(path, encoding="latin-1")}',
        'QUERY_STRING': query,
        'SERVER_NAME': '127.0.0.1',
        'SERVER_PORT': '8004',
        'SERVER_PROTOCOL': 'HTTP/1.1',
        'HTTP_HOST': '127.0.0.1:8004',
        'CONTENT_LENGTH': str(len(attack.body)),
        'wsgi.version': (1, 0),
        'wsgi.url_scheme': 'http',
        'wsgi.input': io.BytesIO(attack.body),
        'wsgi.errors': sys.stderr,
        'wsgi.multithread': True,
        'wsgi.multiprocess': False,
        'wsgi.run_once': False,
    }
    for name, value in attack.headers.items():
        key = name.upper().replace('-', '_')
        key = key if key == 'CONTENT_TYPE' else f'HTTP_{key}'
        environ[key] = value.encode().decode('latin-1')
    return environ


def configuration(url):
    conf = cfg.ConfigOpts()
    log.register_options(conf)
    options.register(conf)
    conf.register_opts(session.OPTIONS, 'database')
    conf([], project='heat_lite', default_config_files=[])
    conf.set_override('connection', url, 'database')
    conf.set_override('flavor', 'noauth', 'paste_deploy')
    conf.set_override('enable_stack_adopt', True)
    conf.set_override('enable_stack_abandon', True)
    return conf


@contextlib.contextmanager
def serving(url):
    """Run API and engine on a migrated database; yield the Target."""
    errors = ErrorLines()
    logging.getLogger().addHandler(errors)
    conf = configuration(url)
    session.configure(conf)
    messaging.setup(conf, 'local://')
    service = EngineService(conf, global_environment.build_registry(conf))
    service.start()
    try:
        yield Target(deploy.load_app(conf), errors)
    finally:
        service.stop(5)
        messaging.cleanup()
        session.dispose()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('url')
    parser.add_argument('--requests', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--seconds', type=float, default=float('inf'))
    args = parser.parse_args()
    concurrency.use_native_threads()
    with serving(args.url) as target:
        report = sender.Fuzz(target).run(args.requests, args.seed, args.seconds)
    print(json.dumps(dataclasses.asdict(report)))


if __name__ == '__main__':
    main()
