"""An engine that says what a contract has it say, behind a real RPC server on an in-process transport."""

import builtins
import contextlib
import itertools
import tempfile
import time

from oslo_config import cfg
from oslo_log import log

import heat_lite.conf
from heat_lite.api import deploy
from heat_lite.common import exception
from heat_lite.rpc import api, messaging

_worlds = itertools.count()


class Engine:
    """Answers methods from ``script`` ({method: {answers: value} or {raises: {class: keywords}}}) and keeps what it was asked.

    ``sleeps`` beside them makes it slow.
    """

    def __init__(self):
        self.script = {}
        self.asked = []

    def __getattr__(self, method):
        if method.startswith('_') or method not in self.script:
            raise AttributeError(method)
        return lambda context, **args: self._play(method, context, args)

    def _play(self, method, context, args):
        self.asked.append((method, context, args))
        line = self.script[method] or {}
        time.sleep(line.get('sleeps', 0))
        if 'raises' in line:
            ((kind, keywords),) = line['raises'].items()
            raise _error(kind, keywords)
        return line.get('answers')


def _error(kind, keywords):
    ours = getattr(exception, kind, None)
    return getattr(builtins, kind)(keywords) if ours is None else ours(**keywords)


KEYSTONE = """
[keystone_authtoken]
auth_type = password
auth_url = {url}
www_authenticate_uri = {url}
username = heat
password = secret
project_name = service
user_domain_id = default
project_domain_id = default
[clients_keystone]
auth_uri = {url}
[ec2authtoken]
auth_type = password
auth_url = {url}
username = heat
password = secret
project_name = service
user_domain_id = default
project_domain_id = default
"""


def _configuration(files, flavor):
    conf = cfg.ConfigOpts()
    log.register_options(conf)
    heat_lite.conf.register(conf)
    conf([], project='heat_lite', prog='contracts', default_config_files=files, default_config_dirs=[])
    conf.set_override('flavor', flavor, 'paste_deploy')
    return conf


def configuration(flavor='noauth', keystone=None):
    """That of the service. ``keystone`` is the URL of one."""
    with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
        file.write(KEYSTONE.format(url=keystone) if keystone else '')
        file.flush()
        return _configuration([file.name], flavor)


@contextlib.contextmanager
def service(flavor='noauth', name=None, keystone=None):
    """(application, engine). Only one service at a time: a process has one transport."""
    conf = configuration(flavor, keystone)
    messaging.setup(conf, f'local:///contracts-{next(_worlds)}')
    engine = Engine()
    server = messaging.serve(api.ENGINE_TOPIC, 'scripted', [engine], executor='threading')
    server.start()
    try:
        yield deploy.load_app(conf, name), engine
    finally:
        server.stop()
        server.wait()
        messaging.cleanup()
