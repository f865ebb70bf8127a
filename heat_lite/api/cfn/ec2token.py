"""Who signed a request: Keystone, which knows the secret of the access key, is asked."""

import hashlib
import logging

import webob
from keystoneauth1 import exceptions
from keystoneauth1 import session as ks_session

from heat_lite.api import configuration
from heat_lite.api.cfn import faults
from heat_lite.api.middleware import identity
from heat_lite.api.middleware.context import auth_url_of
from heat_lite.conf import identity as options

LOG = logging.getLogger(__name__)
GROUP = 'ec2authtoken'
TIMEOUT = 30
REFUSALS = (exceptions.Unauthorized, exceptions.Forbidden, exceptions.NotFound, exceptions.BadRequest)


class Ec2TokenFilter:
    """``url`` is that of Keystone with its version; ``session`` is one of the service itself: Keystone answers to services only."""

    def __init__(self, application, url, session):
        self.application = application
        self.url = url
        self.session = session

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        token, key = self._ask(signed(request))
        identity.write(environ, **_described(token, key))
        return self.application(environ, start_response)

    def _ask(self, credentials):
        try:
            said = self.session.post(
                f'{self.url}/ec2tokens', json={'ec2Credentials': credentials}, authenticated=self.session.auth is not None, log=False
            )
        except REFUSALS as error:
            LOG.info('Access key %s: %s', credentials['access'], error)
            raise faults.denied() from None
        except exceptions.ClientException as error:
            raise faults.Fault(503, 'ServiceUnavailable', f'Keystone cannot be asked: {type(error).__name__}') from error
        return said.json()['token'], said.headers.get('X-Subject-Token')


def signed(request):
    """All that was signed, and the signature. Raises a Fault where there is none."""
    params = dict(request.GET)
    access, signature = params.get('AWSAccessKeyId'), params.pop('Signature', None)
    if not access or not signature:
        raise faults.unsigned()
    return {
        'access': access,
        'signature': signature,
        'host': request.host,
        'verb': request.method,
        'path': request.script_name + request.path_info,
        'params': params,
        'headers': {},
        'body_hash': hashlib.sha256(request.body).hexdigest(),
    }


def _described(token, key):
    user, project = token['user'], token.get('project') or {}
    return {
        'auth_token': key,
        'user_id': user['id'],
        'user_name': user['name'],
        'user_domain_id': user.get('domain', {}).get('id'),
        'project_id': project.get('id'),
        'project_name': project.get('name'),
        'project_domain_id': project.get('domain', {}).get('id'),
        'roles': ','.join(role['name'] for role in token.get('roles', ())),
    }


def filter_factory(global_conf, **local_conf):
    conf = configuration.find(global_conf)
    loading = options.register_auth(conf, GROUP)
    login = loading.load_auth_from_conf_options(conf, GROUP) if conf[GROUP].auth_type else None
    url = auth_url_of(conf) or (conf[GROUP].auth_url if login else '')
    url = f'{(url or "").rstrip("/").removesuffix("/v3").removesuffix("/v2.0")}/v3'
    verify = not conf[GROUP].insecure and (conf[GROUP].cafile or True)
    made = ks_session.Session(auth=login, verify=verify, timeout=TIMEOUT)
    return lambda application: Ec2TokenFilter(application, url, made)
