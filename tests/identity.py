"""An in-memory Keystone v3: users, projects, tokens, catalog and trusts."""

import contextlib
import datetime
import json
import re
import threading
import uuid
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

DOMAIN = {'id': 'default', 'name': 'Default'}
#: the options of the service user's login; ``url`` is that of Keystone
LOGIN = """
auth_type = password
auth_url = {url}
username = heat
password = secret
project_name = service
user_domain_id = default
project_domain_id = default
"""
TIME = '%Y-%m-%dT%H:%M:%S.%fZ'
REASONS = {
    200: 'OK',
    201: 'Created',
    204: 'No Content',
    300: 'Multiple Choices',
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'Not Found',
}
REASONS |= {409: 'Conflict', 413: 'Request Entity Too Large'}


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def ident(name):
    """Return an id in Keystone's form, always the same for the same name."""
    return uuid.uuid5(uuid.NAMESPACE_DNS, name).hex


class Identity:
    """The WSGI application.

    ``users`` maps a name to its password, project and roles. ``services`` maps a type to its URL,
    which contains %(project_id)s.
    """

    ROUTES = (
        ('GET', '/', 'versions'),
        ('GET', '/v3/?', 'version'),
        ('POST', '/v3/auth/tokens', 'log_in'),
        ('GET', '/v3/auth/tokens', 'validate'),
        ('HEAD', '/v3/auth/tokens', 'validate'),
        ('GET', '/v3/auth/catalog', 'catalog'),
        ('GET', '/v3/auth/projects', 'own_projects'),
        ('GET', '/v3/projects', 'projects'),
        ('GET', '/v3/projects/([^/]+)', 'project'),
        ('POST', '/v3/OS-TRUST/trusts', 'make_trust'),
        ('GET', '/v3/OS-TRUST/trusts/([^/]+)', 'trust'),
        ('DELETE', '/v3/OS-TRUST/trusts/([^/]+)', 'drop_trust'),
    )

    def __init__(self, users, services, region='RegionOne'):
        self.users = users
        self.services = services
        self.region = region
        self.url = None  # set by serve
        self.tokens = {}
        self.trusts = {}
        self.credentials = {}  # id of an application credential -> user, secret, restricted
        self.asked = []  # (method, path) of each request
        self.allowed_origin = None  # of pages in a browser
        self.lifetime = datetime.timedelta(days=1)  # of new tokens: longer than all tests take
        self.age = datetime.timedelta()  # the age of new tokens

    def __call__(self, environ, start_response):
        method, path = environ['REQUEST_METHOD'], environ['PATH_INFO'] or '/'
        self.asked.append((method, path))
        size = int(environ.get('CONTENT_LENGTH') or 0)
        try:
            status, body, headers = self.route(
                method, path, json.loads(environ['wsgi.input'].read(size) or 'null'), environ
            )
        except Refused as error:
            body = {
                'error': {
                    'code': error.status,
                    'message': str(error),
                    'title': REASONS[error.status],
                }
            }
            status, headers = error.status, []
        content = b'' if body is None or method == 'HEAD' else json.dumps(body).encode()
        headers += [('Content-Type', 'application/json'), ('Content-Length', str(len(content)))]
        headers += self.cors_headers(environ)
        start_response(f'{status} {REASONS[status]}', headers)
        return [content]

    def cors_headers(self, environ):
        """Return the headers by which Keystone lets a page of its [cors] allowed_origin log in."""
        if environ.get('HTTP_ORIGIN') != self.allowed_origin or self.allowed_origin is None:
            return []
        return [
            ('Access-Control-Allow-Origin', self.allowed_origin),
            ('Access-Control-Allow-Headers', 'Content-Type, X-Auth-Token, X-Subject-Token'),
            ('Access-Control-Expose-Headers', 'X-Subject-Token'),
        ]

    def route(self, method, path, body, environ):
        if method == 'OPTIONS':
            return 200, None, []
        for wanted, pattern, name in self.ROUTES:
            found = re.fullmatch(pattern, path)
            if found and method == wanted:
                return getattr(self, name)(environ, body, *found.groups())
        raise Refused(404, f'Could not find {path}.')

    # -- discovery

    def description(self):
        return {
            'id': 'v3.14',
            'status': 'stable',
            'links': [{'rel': 'self', 'href': self.url + '/'}],
            'media-types': [],
        }

    def versions(self, environ, body):
        return 300, {'versions': {'values': [self.description()]}}, []

    def version(self, environ, body):
        return 200, {'version': self.description()}, []

    # -- tokens

    def log_in(self, environ, body):
        identity = body['auth']['identity']
        if 'password' in identity['methods']:
            given = identity['password']['user']
            name = next(
                (
                    name
                    for name in self.users
                    if given.get('name') == name or given.get('id') == ident('user ' + name)
                ),
                None,
            )
            if name is None or self.users[name]['password'] != given['password']:
                raise Refused(401, 'The request you have made requires authentication.')
        elif 'application_credential' in identity['methods']:
            return self.log_in_with_credential(identity['application_credential'])
        else:
            name = self.known(identity['token']['id'])['user']['name']
        scope = body['auth'].get('scope', {})
        if 'OS-TRUST:trust' in scope:
            name = self.trustor(scope['OS-TRUST:trust']['id'], ident('user ' + name))
        return self.issue(name, scope, identity['methods'])

    def log_in_with_credential(self, given):
        """Return a token of an application credential, whose project is that of its user."""
        known = self.credentials.get(given['id'])
        if known is None or known['secret'] != given['secret']:
            raise Refused(401, 'The request you have made requires authentication.')
        status, body, headers = self.issue(
            known['user'], {'project': {}}, ['application_credential']
        )
        body['token']['application_credential'] = {
            'id': given['id'],
            'name': given['id'],
            'restricted': known['restricted'],
        }
        return status, body, headers

    def trustor(self, trust_id, trustee_id):
        """Return the trustor of a trust; raise Refused with Keystone's status for an invalid
        trust.
        """
        trust = self.trusts.get(trust_id)
        name = trust and next(
            (name for name in self.users if ident('user ' + name) == trust['trustor_user_id']), None
        )
        if name is None or trust['trustee_user_id'] != trustee_id:
            raise Refused(401, 'The request you have made requires authentication.')
        if not {role['name'] for role in trust['roles']} <= set(self.users[name]['roles']):
            raise Refused(403, 'Trust roles are not held any more.')
        return name

    def issue(self, name, scope, methods):
        user = self.users[name]
        token = {
            'methods': methods,
            'user': {
                'id': ident('user ' + name),
                'name': name,
                'domain': DOMAIN,
                'password_expires_at': None,
            },
            'issued_at': (datetime.datetime.now(datetime.UTC) - self.age).strftime(TIME),
            'expires_at': (datetime.datetime.now(datetime.UTC) + self.lifetime).strftime(TIME),
            'audit_ids': [uuid.uuid4().hex[:22]],
        }
        if 'project' in scope or 'OS-TRUST:trust' in scope:
            wanted = scope.get('project', {}).get('id')
            projects = [user['project'], *user.get('other_projects', ())]
            project = next((each for each in projects if ident(each) == wanted), projects[0])
            token['project'] = {'id': ident(project), 'name': project, 'domain': DOMAIN}
            token['roles'] = [{'id': ident(role), 'name': role} for role in user['roles']]
            token['catalog'] = self.entries(ident(project))
        if 'OS-TRUST:trust' in scope:
            token['OS-TRUST:trust'] = {'id': scope['OS-TRUST:trust']['id'], 'impersonation': True}
        key = uuid.uuid4().hex
        self.tokens[key] = token
        return 201, {'token': token}, [('X-Subject-Token', key)]

    def known(self, key):
        if not self.is_valid(key):
            raise Refused(401, 'The request you have made requires authentication.')
        return self.tokens[key]

    def is_valid(self, key):
        """Return whether a token exists and has not expired."""
        now = datetime.datetime.now(datetime.UTC).strftime(TIME)
        return key in self.tokens and self.tokens[key]['expires_at'] > now

    def asker(self, environ):
        """Return the token of a request. That of a signature is not for Keystone itself."""
        found = self.known(environ.get('HTTP_X_AUTH_TOKEN', ''))
        if 'ec2credential' in found['methods']:
            raise Refused(403, 'You are not authorized to perform the requested action.')
        return found

    def own_projects(self, environ, body):
        user = self.users[self.asker(environ)['user']['name']]
        names = [user['project'], *user.get('other_projects', ())]
        return 200, {'projects': [{'id': ident(each), 'name': each} for each in names]}, []

    def validate(self, environ, body):
        self.asker(environ)
        key = environ.get('HTTP_X_SUBJECT_TOKEN', '')
        if not self.is_valid(key):
            raise Refused(404, f'Could not find token: {key}.')
        return 200, {'token': self.tokens[key]}, [('X-Subject-Token', key)]

    def entries(self, project_id):
        urls = {'identity': self.url, **self.services}
        return [
            {
                'id': ident(kind),
                'type': kind,
                'name': kind,
                'endpoints': [
                    {
                        'id': ident(kind + interface),
                        'interface': interface,
                        'region': self.region,
                        'region_id': self.region,
                        'url': url.replace('%(project_id)s', project_id),
                    }
                    for interface in ('public', 'internal', 'admin')
                ],
            }
            for kind, url in urls.items()
        ]

    def catalog(self, environ, body):
        return 200, {'catalog': self.asker(environ)['catalog']}, []

    # -- projects and trusts

    def all_projects(self):
        names = sorted({user['project'] for user in self.users.values()})
        return [
            {'id': ident(name), 'name': name, 'domain_id': DOMAIN['id'], 'enabled': True}
            for name in names
        ]

    def projects(self, environ, body):
        self.asker(environ)
        return 200, {'projects': self.all_projects(), 'links': {}}, []

    def project(self, environ, body, project_id):
        self.asker(environ)
        for found in self.all_projects():
            if found['id'] == project_id:
                return 200, {'project': found}, []
        raise Refused(404, f'Could not find project: {project_id}.')

    def make_trust(self, environ, body):
        asker = self.asker(environ)
        trust = body['trust'] | {'id': uuid.uuid4().hex}
        roles = {role['name'] for role in trust['roles']}
        if trust['trustor_user_id'] != asker['user']['id'] or 'OS-TRUST:trust' in asker:
            raise Refused(403, 'You are not authorized to perform the requested action.')
        if not roles <= {role['name'] for role in asker['roles']}:
            raise Refused(403, 'Some of requested roles are not held by the trustor.')
        self.trusts[trust['id']] = trust
        return 201, {'trust': trust}, []

    def trust(self, environ, body, trust_id):
        self.asker(environ)
        if trust_id not in self.trusts:
            raise Refused(404, f'Could not find trust: {trust_id}.')
        return 200, {'trust': self.trusts[trust_id]}, []

    def drop_trust(self, environ, body, trust_id):
        self.trust(environ, body, trust_id)
        if self.asker(environ)['user']['id'] != self.trusts[trust_id]['trustor_user_id']:
            raise Refused(403, 'Only admin or trustor can delete a trust.')
        del self.trusts[trust_id]
        self.tokens = {
            key: token
            for key, token in self.tokens.items()
            if token.get('OS-TRUST:trust', {}).get('id') != trust_id
        }
        return 204, None, []


class SilentHandler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


class ThreadingServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@contextlib.contextmanager
def serve(application, port=0, tls=None):
    """Serve an application on loopback. Return its URL, and set it on an Identity.

    ``port`` 0 is a free port, ``tls`` the ssl.SSLContext of an HTTPS server.
    """
    server = make_server('127.0.0.1', port, application, ThreadingServer, SilentHandler)
    url = f'http://127.0.0.1:{server.server_port}'
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        url = f'https://127.0.0.1:{server.server_port}'
    if isinstance(application, Identity):
        application.url = url = url + '/v3'
    thread = threading.Thread(
        target=server.serve_forever, kwargs={'poll_interval': 0.05}, daemon=True
    )
    thread.start()
    try:
        yield url
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
