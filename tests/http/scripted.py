"""An engine with scripted results, behind a real RPC server on an in-process transport."""

import builtins
import contextlib
import itertools
import tempfile
import time

from oslo_config import cfg
from oslo_log import log
from oslo_policy import opts as policy_opts

import heat_lite.conf
from heat_lite.api import deploy
from heat_lite.common import exception
from heat_lite.rpc import api, messaging
from tests import identity

_numbers = itertools.count()


class Engine:
    """Engine whose methods return or raise what ``script`` contains, and record their calls.

    ``script``: {method: {returns: value} or {raises: {class: keywords}}}, each optionally with
    ``sleeps``: seconds to wait before.
    """

    def __init__(self):
        self.script = {}
        self.calls = []

    def __getattr__(self, method):
        if method.startswith('_') or method not in self.script:
            raise AttributeError(method)
        return lambda context, **args: self._run(method, context, args)

    def _run(self, method, context, args):
        self.calls.append((method, context, args))
        line = self.script[method] or {}
        time.sleep(line.get('sleeps', 0))
        if 'raises' in line:
            ((kind, keywords),) = line['raises'].items()
            raise _error(kind, keywords)
        return line.get('returns')


def _error(kind, keywords):
    known = getattr(exception, kind, None)
    return getattr(builtins, kind)(keywords) if known is None else known(**keywords)


KEYSTONE = f"""
[keystone_authtoken]{identity.LOGIN}
www_authenticate_uri = {{url}}
[clients_keystone]
auth_uri = {{url}}
[ec2authtoken]{identity.LOGIN}
"""


def _configuration(files, flavor):
    conf = cfg.ConfigOpts()
    log.register_options(conf)
    heat_lite.conf.register(conf)
    conf(
        [],
        project='heat_lite',
        prog='contracts',
        default_config_files=files,
        default_config_dirs=[],
    )
    conf.set_override('flavor', flavor, 'paste_deploy')
    conf.set_override('cloud_backend', 'scripted')  # the engine plays it
    conf.set_override('heat_revision', 'r6', 'revision')
    return conf


def configuration(flavor='noauth', keystone=None):
    """Return the configuration of the service; ``keystone``: the URL of Keystone, or None."""
    with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
        file.write(KEYSTONE.format(url=keystone) if keystone else '')
        file.flush()
        return _configuration([file.name], flavor)


@contextlib.contextmanager
def service(
    flavor='noauth', name=None, keystone=None, policy_file=None, pipelines=None, engine=None
):
    """Yield (application, engine), one service at a time: a process has one transport.

    ``pipelines``: the path of another file of pipelines than that of the package.
    """
    conf = configuration(flavor, keystone)
    if pipelines:
        conf.set_override('api_paste_config', str(pipelines), 'paste_deploy')
    if policy_file:
        policy_opts.set_defaults(conf, policy_file)
    messaging.setup(conf, f'local:///contracts-{next(_numbers)}')
    engine = engine or Engine()
    server = messaging.serve(api.ENGINE_TOPIC, 'scripted', [engine])
    server.start()
    try:
        yield deploy.load_app(conf, name), engine
    finally:
        server.stop()
        server.wait()
        messaging.cleanup()
