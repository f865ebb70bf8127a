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
import tempfile
import urllib.parse

from oslo_config import cfg
from oslo_log import log

from heat_lite import conf as options
from heat_lite.api import deploy
from heat_lite.db import session
from heat_lite.engine.service import EngineService
from heat_lite.rpc import messaging
from heat_lite.startup import concurrency, global_environment
from tests import identity
from tests.attacks.fuzz import attacks, examples, sender, signed
from tests.http.scripted import KEYSTONE

#: name of an API -> the strategy of its requests, and those to begin with
KINDS = {
    'rest': (attacks.attacks, examples.EXAMPLES),
    'cfn': (signed.requests, signed.EXAMPLES),
}


class ErrorLines(logging.Handler):
    """The records of level ERROR, with the end of their traceback."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.lines = []

    def emit(self, record):
        self.lines.append(f'{record.name}: {self.format(record)[-1500:]}')


class Target:
    """The WSGI application of this process, which is the attacked one."""

    def __init__(self, app, errors, signed_app=None):
        self.pid = os.getpid()
        self._app, self._signed_app = app, signed_app
        self._errors = errors

    def errors(self):
        found, self._errors.lines = self._errors.lines, []
        return found

    def send(self, attack):
        """Call the application as a server does; return (status, body)."""
        started = []
        is_signed = isinstance(attack, signed.Attack)
        application = self._signed_app if is_signed else self._app
        environ = _signed_environ(attack) if is_signed else _environ(attack)
        answer = application(environ, lambda status, headers, exc_info=None: started.append(status))
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
    return environ | _headers(attack)


def _signed_environ(attack):
    """Return the environ of a request to heat-lite-api-cfn."""
    plain = _environ(attack)
    return plain | {
        'PATH_INFO': urllib.parse.unquote(attack.path, encoding='latin-1'),
        'QUERY_STRING': signed.query_of(attack),
        'HTTP_HOST': signed.HOST,
    }


def _headers(attack):
    environ = {}
    for name, value in attack.headers.items():
        key = name.upper().replace('-', '_')
        key = key if key == 'CONTENT_TYPE' else f'HTTP_{key}'
        environ[key] = value.encode().decode('latin-1')
    return environ


def configuration(url, files=()):
    conf = cfg.ConfigOpts()
    log.register_options(conf)
    options.register(conf)
    conf.register_opts(session.OPTIONS, 'database')
    conf([], project='heat_lite', default_config_files=list(files))
    conf.set_override('connection', url, 'database')
    conf.set_override('flavor', 'noauth', 'paste_deploy')
    conf.set_override('enable_stack_adopt', True)
    conf.set_override('enable_stack_abandon', True)
    return conf


@contextlib.contextmanager
def serving(url, api):
    """Run API and engine on a migrated database; yield the Target.

    ``api``: 'rest', or 'cfn' for that of signed URLs beside it.
    """
    errors = ErrorLines()
    logging.getLogger().addHandler(errors)
    conf = configuration(url)
    session.configure(conf)
    messaging.setup(conf, 'local://')
    service = EngineService(conf, global_environment.build_registry(conf))
    service.start()
    try:
        with contextlib.ExitStack() as stack:
            cfn = stack.enter_context(_signed_app(url)) if api == 'cfn' else None
            yield Target(deploy.load_app(conf), errors, cfn)
    finally:
        service.stop(5)
        messaging.cleanup()
        session.dispose()


@contextlib.contextmanager
def _signed_app(url):
    """Yield the application of heat-lite-api-cfn, with a Keystone for itself only."""
    with (
        identity.serve(signed.Keystone(signed.SERVICE, {})) as keystone,
        tempfile.NamedTemporaryFile('w', suffix='.conf') as file,
    ):
        file.write(KEYSTONE.format(url=keystone))
        file.flush()
        yield deploy.load_app(configuration(url, [file.name]), 'heat-api-cfn')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('url')
    parser.add_argument('--api', choices=KINDS, default='rest')
    parser.add_argument('--requests', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--seconds', type=float, default=float('inf'))
    args = parser.parse_args()
    concurrency.use_native_threads()
    with serving(args.url, args.api) as target:
        report = sender.Fuzz(target, *KINDS[args.api]).run(args.requests, args.seed, args.seconds)
    print(json.dumps(dataclasses.asdict(report)))


if __name__ == '__main__':
    main()
