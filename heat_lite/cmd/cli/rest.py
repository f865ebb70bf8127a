"""The Orchestration API, asked with the standard library alone: small enough to start at once."""

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

DEFAULT_ENDPOINT = 'http://127.0.0.1:8004/v1/default'
LOOPBACK = ('127.0.0.1', 'localhost', '::1')


class Refused(Exception):
    """The service, or Keystone, said no; the text says why. ``status`` is the HTTP status, or 0 where there was no answer."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = status


def opener(url: str) -> urllib.request.OpenerDirector:
    """One that goes through the user's proxies, but never to a service on this machine."""
    if urllib.parse.urlsplit(url).hostname in LOOPBACK:
        return urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener()


def reason(error: urllib.error.HTTPError) -> str:
    """The text that an error answer carries, in the API's shape or in Keystone's, and where in a template the fault is."""
    text = error.read().decode('utf-8', 'replace')
    try:
        told = json.loads(text)['error']
        return told['message'] + place(told.get('position'))
    except (ValueError, KeyError, TypeError):
        return text.strip() or f'{error.code} {error.reason}'


def place(position: dict | None) -> str:
    """The place of a fault as people read it; nothing where it is not told."""
    return ' (file {file}, line {line}, column {column})'.format(**position) if position else ''


def send(method: str, url: str, body: Any = None, headers: dict[str, str] | None = None, timeout: float = 60) -> tuple[Any, Any]:
    """The decoded answer and its headers."""
    data = None if body is None else json.dumps(body).encode()
    sent = {'Accept': 'application/json', 'Content-Type': 'application/json', **(headers or {})}
    request = urllib.request.Request(url, data=data, headers=sent, method=method)
    try:
        with opener(url).open(request, timeout=timeout) as reply:
            content = reply.read()
            return (json.loads(content) if content else None), reply.headers
    except urllib.error.HTTPError as error:
        raise Refused(error.code, reason(error)) from error
    except (OSError, ValueError) as error:
        raise Refused(0, f'{url} gives no usable answer: {getattr(error, "reason", error)}') from error


class Api:
    """One project's door of the service: ``endpoint`` ends with the project id."""

    def __init__(self, endpoint: str, token: str | None = None):
        self.endpoint = endpoint.rstrip('/')
        self.headers = {'X-Auth-Token': token} if token else {}

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        query_string = '?' + urllib.parse.urlencode(query) if query else ''
        return send(method, f'{self.endpoint}{path}{query_string}', body, self.headers)[0]

    def find(self, name_or_id: str) -> str:
        """The path of a stack: /stacks/NAME/ID. The service redirects there by itself."""
        stack = self.call('GET', f'/stacks/{quote(name_or_id)}', resolve_outputs='false')['stack']
        return stack_path(stack)


def quote(text: str) -> str:
    return urllib.parse.quote(text, safe='')


def stack_path(stack: dict) -> str:
    return f'/stacks/{quote(stack["stack_name"])}/{stack["id"]}'


# --------------------------------------------------------------- who asks, and where


def scope(env: dict[str, str]) -> dict:
    """The project that OS_* variables name."""
    if env.get('OS_PROJECT_ID'):
        return {'project': {'id': env['OS_PROJECT_ID']}}
    domain = {'name': env.get('OS_PROJECT_DOMAIN_NAME', 'Default')}
    return {'project': {'name': env['OS_PROJECT_NAME'], 'domain': domain}}


def log_in(env: dict[str, str]) -> Api:
    """A token by user name and password, and the orchestration endpoint of its catalog."""
    user = {'name': env['OS_USERNAME'], 'password': env['OS_PASSWORD'], 'domain': {'name': env.get('OS_USER_DOMAIN_NAME', 'Default')}}
    body = {'auth': {'identity': {'methods': ['password'], 'password': {'user': user}}, 'scope': scope(env)}}
    answer, headers = send('POST', env['OS_AUTH_URL'].rstrip('/') + '/auth/tokens', body)
    region, interface = env.get('OS_REGION_NAME'), env.get('OS_INTERFACE', 'public')
    for service in answer['token'].get('catalog', ()):
        for endpoint in service['endpoints'] if service['type'] == 'orchestration' else ():
            if endpoint['interface'] == interface and region in (None, '', endpoint['region_id']):
                return Api(endpoint['url'], headers['X-Subject-Token'])
    raise Refused(0, 'the catalog has no orchestration service' + (f' in region {region}' if region else ''))


def from_environment(endpoint: str | None = None, token: str | None = None, env: dict[str, str] | None = None) -> Api:
    """Where to ask: what was given, else OS_* credentials, else HEAT_LITE_ENDPOINT, else a service of this machine without login."""
    env = dict(os.environ) if env is None else env
    if endpoint or not env.get('OS_AUTH_URL'):
        return Api(endpoint or env.get('HEAT_LITE_ENDPOINT') or DEFAULT_ENDPOINT, token or env.get('OS_TOKEN'))
    try:
        return log_in(env)
    except KeyError as error:
        raise Refused(0, f'OS_AUTH_URL is set, but {error.args[0]} is not') from error
