"""API and engine in this process, on green threads."""

import contextlib
import errno
import fcntl
import http.client
import secrets
import sys
import time

from oslo_config import cfg
from oslo_log import log

from heat_lite import conf as options
from heat_lite.api import deploy
from heat_lite.cmd import engine_worker, late, operator_types, settings, tables, web, workers
from heat_lite.db import session

PROJECT = 'default'
READY_SECONDS = 30
GRACE_SECONDS = 5
# what makes the service embedded; a configuration file may set everything else
TRANSPORT = 'local://'
FLAVOR = 'noauth'


class CannotStart(Exception):
    """The text says why."""


def serve(args):
    """Serve until told to stop; the exit status."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(own(args.data_dir))
        conf = configure(args)
        sock = _listen(args.host, args.port)
        host, port = sock.getsockname()[:2]
        conf.set_default('url', f'{_url(host, port)}/v1/%(tenant_id)s', group='clients_heat')
        session.configure(conf)
        tables.prepare(conf.database.connection)
        # before anything answers, so that a signal at any moment finds an end that is clean
        signals = stack.enter_context(workers.listening())
        service = engine_worker.start(conf, operator_types.registry(conf), TRANSPORT)
        stack.callback(engine_worker.stop, service, GRACE_SECONDS)
        server = web.Server(sock, deploy.load_app(conf))
        server.start()
        stack.callback(server.stop, GRACE_SECONDS)
        _wait_until_it_answers(host, port)
        print(f'heat_lite is ready: {_url(host, port)}/v1/{PROJECT}', flush=True)
        for _ in signals:
            settings.reload(conf)
            service.reset()
    return 0


def configure(args, conf=cfg.CONF):
    """The configuration of the embedded shape."""
    late.load_secrets()
    log.register_options(conf)
    options.register(conf)
    conf(['--debug'] if args.debug else [], project='heat_lite', prog='heat-lite', default_config_files=args.config_file)
    conf.register_opts(session.OPTIONS, 'database')
    conf.set_override('convergence_engine', False)
    conf.set_override('flavor', FLAVOR, group='paste_deploy')
    conf.set_override('connection', f'sqlite:///{args.data_dir.resolve()}/heat.sqlite', group='database')
    conf.set_override('plugin_dirs', [*conf.plugin_dirs, *map(str, args.plugin_dir)])
    conf.set_default('auth_encryption_key', _key(args.data_dir))
    if not args.debug:
        conf.set_default('default_log_levels', ['heat_lite.cmd.web=WARN', *conf.default_log_levels])
    settings.start_logging(conf)
    return conf


@contextlib.contextmanager
def own(folder):
    """Make the data folder, for the user alone, and keep others from using it at the same time."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(folder / 'lock', 'w') as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError:
        raise CannotStart(f'another heat_lite uses {folder}') from None
    except PermissionError as error:
        raise CannotStart(f'cannot write to {folder}: {error.strerror}') from None


def _key(folder):
    """The key of the credentials in the database: made once, and kept beside it."""
    file = folder / 'key'
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(16))
    return file.read_text()


def _listen(host, port):
    try:
        return web.listen(host, port)
    except OSError as error:
        why = 'it is in use' if error.errno == errno.EADDRINUSE else error.strerror
        raise CannotStart(f'cannot listen on {host}:{port}: {why}') from None


def _wait_until_it_answers(host, port):
    """Ask for a list of stacks, which takes everything that a user will need: API, engine, database."""
    reachable = {'0.0.0.0': '127.0.0.1', '::': '::1'}.get(host, host)
    end = time.monotonic() + READY_SECONDS
    status = None
    while status != 200:
        if time.monotonic() > end:
            raise CannotStart(f'the service does not answer (status {status})')
        status = _status(reachable, port)


def _status(host, port):
    connection = http.client.HTTPConnection(host, port, timeout=READY_SECONDS)
    try:
        connection.request('GET', f'/v1/{PROJECT}/stacks?limit=1')
        return connection.getresponse().status
    except OSError as error:
        print(f'heat-lite up: {error}', file=sys.stderr)
        time.sleep(0.2)
        return None
    finally:
        connection.close()


def _url(host, port):
    return f'http://[{host}]:{port}' if ':' in host else f'http://{host}:{port}'
