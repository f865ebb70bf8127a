"""One service of the cloud as resources see it: create, show, update, delete, list, over plain HTTP.

Paths are those below the version of the API. What a service refuses is raised as one of ``errors``.
"""

from keystoneauth1 import exceptions

from heat_lite.clients import errors

NEXT_PAGE = 'next'


class Api:
    """``adapter`` is one of keystoneauth, that knows who asks and where the service is."""

    def __init__(self, name, adapter):
        self.name = name
        self._adapter = adapter

    @property
    def url(self):
        """Where the service is."""
        return self._adapter.url

    # ------------------------------------------------------------ objects

    def create(self, path, key, values, method='POST'):
        """The object as the service made it. ``key`` is what it is wrapped in; None: in nothing."""
        return _unwrap(self.ask(method, path, _wrap(key, values)), key)

    def show(self, path, key=None):
        return _unwrap(self.ask('GET', path), key)

    def update(self, path, key, values, method='PUT'):
        return _unwrap(self.ask(method, path, _wrap(key, values)), key)

    def delete(self, path):
        self.ask('DELETE', path)

    def list(self, path, key, **query):
        """All objects of a collection, page after page."""
        return [each for page in self.pages(path, key, **query) for each in page]

    def pages(self, path, key, **query):
        """The same as a generator of lists, each asked for when it is wanted."""
        body = self.ask('GET', path, params=query)
        yield body[key]
        while following := _next_page(body, key):
            body = self.ask('GET', following)
            yield body[key]

    # ------------------------------------------------------------ requests

    def ask(self, method, path, body=None, **options):
        """What the service answers, as data; None where it answers nothing."""
        answer = self.request(method, path, body, **options)
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
            return None

    def request(self, method, path, body=None, params=None, headers=None, microversion=None, text=None):
        """The answer itself, for who needs its headers. ``microversion``: another one than is usual here; ``text``: a body that is none of
        JSON."""
        options = {'params': params, 'json': body, 'microversion': microversion, 'data': None if text is None else text.encode()}
        given = {name: value for name, value in options.items() if value is not None}
        plain = {} if text is None else {'Content-Type': 'text/plain'}
        try:
            answer = self._adapter.request(path, method, raise_exc=False, headers={**plain, **(headers or {})}, **given)
        except exceptions.EndpointNotFound as error:
            raise errors.NoCloud(reason=f'the catalog has no endpoint of {self.name}') from error
        except exceptions.ConnectionError as error:
            raise errors.unavailable(self.name, method, path, error) from error
        except exceptions.ClientException as error:
            raise errors.Unauthorized(f'Keystone refused who asks: {error} ({self.name}, {method} {path})') from error
        if answer.status_code >= 400:
            raise errors.of_answer(self.name, method, path, answer)
        return answer


def _wrap(key, values):
    return values if key is None else {key: values}


def _unwrap(body, key):
    return body if key is None or body is None else body.get(key, body)


def _next_page(body, key):
    """The address of what follows; the services say it in three ways."""
    links = body.get(f'{key}_links') or body.get('links')
    if isinstance(links, dict):
        return links.get(NEXT_PAGE)
    if isinstance(links, list):
        return next((link['href'] for link in links if link.get('rel') == NEXT_PAGE), None)
    return body.get(NEXT_PAGE) if isinstance(body.get(NEXT_PAGE), str) else None
