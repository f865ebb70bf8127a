"""The web page: static files under /ui/, served without authentication.

The files are those of the folder ``heat_lite/ui``, which ``make ui`` builds. They contain no data
of a user: the page in the browser asks the API, as any other client does.
"""

import gzip
import hashlib
import json
import mimetypes
import re
import urllib.parse
from collections.abc import Iterable, Sequence
from pathlib import Path

from oslo_config import cfg

from heat_lite.api import wsgi
from heat_lite.api.middleware.context import auth_url_of
from heat_lite.common import installation, lru_cache
from heat_lite.common.value_types import Values
from heat_lite.conf import identity

PREFIX = '/ui'
#: the documentation, in Markdown, which the page shows
DOCS, DOCS_FOLDER = 'docs/', installation.data_path('docs')
FOLDER = installation.PACKAGE / 'ui'
INDEX, CONFIGURATION = 'index.html', 'config.json'
METHODS = ('GET', 'HEAD')
NOAUTH = 'noauth'
#: a name with the hash of the content: such a file never changes
HASHED = re.compile(r'-[A-Z0-9]{8}\.(js|css|svg)$')
IMMUTABLE, REVALIDATED = 'public, max-age=31536000, immutable', 'no-cache'
TYPES = {
    '.js': 'text/javascript',
    '.json': 'application/json',
    '.md': 'text/plain',
    '.svg': 'image/svg+xml',
    '.webp': 'image/webp',
}
#: gzip in Accept-Encoding, unless with the weight 0
GZIP = re.compile(r'(?:^|[,\s])gzip\s*(?:$|,|;\s*q=(?!0(?:\.0*)?\s*(?:$|,)))')
#: smaller files are not compressed
COMPRESSED_FROM = 1024
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src {sources}; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class WebPageFilter:
    """Filter that serves the files of the page, and passes all other paths on.

    ``configuration``: the content of config.json, which tells the page how to log in.
    """

    def __init__(
        self, application: wsgi.WsgiApp, configuration: Values, folder: Path = FOLDER
    ) -> None:
        self.application = application
        self.folder = folder
        self.configuration = json.dumps(configuration).encode()
        self.policy = content_policy(configuration.get('auth_url'))

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        path = environ.get('PATH_INFO', '')
        if path != PREFIX and not path.startswith(f'{PREFIX}/'):
            return self.application(environ, start_response)
        wsgi.drain(environ)
        if environ['REQUEST_METHOD'] not in METHODS:
            headers = [('Allow', ', '.join(METHODS))]
            return self._respond(environ, start_response, '405 Method Not Allowed', headers)
        if path == PREFIX:
            location = f'{environ.get("SCRIPT_NAME", "")}{PREFIX}/'
            headers = [('Location', urllib.parse.quote(location))]
            return self._respond(environ, start_response, '301 Moved Permanently', headers)
        return self._serve(environ, start_response, path[len(PREFIX) + 1 :] or INDEX)

    def _serve(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse, name: str
    ) -> Iterable[bytes]:
        content = self._content(name)
        if content is None:
            text = f'The page has no file of this name. It starts at {PREFIX}/.\n'.encode()
            kind = [('Content-Type', 'text/plain')]
            return self._respond(environ, start_response, '404 Not Found', kind, text)
        packed = accepts_gzip(environ) and len(content) >= COMPRESSED_FROM
        body = _compressed(content) if packed else content
        tag = f'"{_digest(content)}{"-gzip" if packed else ""}"'
        headers = [
            ('ETag', tag),
            ('Vary', 'Accept-Encoding'),
            ('Cache-Control', IMMUTABLE if HASHED.search(name) else REVALIDATED),
        ]
        if tag in environ.get('HTTP_IF_NONE_MATCH', ''):
            return self._respond(environ, start_response, '304 Not Modified', headers)
        headers += [('Content-Type', content_type(name))]
        headers += [('Content-Encoding', 'gzip')] if packed else []
        return self._respond(environ, start_response, '200 OK', headers, body)

    def _content(self, name: str) -> bytes | None:
        """Return the content of a file; None without it. Only names of the folders are read."""
        if name == CONFIGURATION:
            return self.configuration
        if name.startswith(DOCS):
            return _files(DOCS_FOLDER).get(name.removeprefix(DOCS))
        return _files(self.folder).get(name)

    def _respond(
        self,
        environ: wsgi.Environ,
        start_response: wsgi.StartResponse,
        status: str,
        headers: Sequence[tuple[str, str]],
        body: bytes = b'',
    ) -> Iterable[bytes]:
        fixed = [
            ('Content-Security-Policy', self.policy),
            ('X-Content-Type-Options', 'nosniff'),
            ('Referrer-Policy', 'no-referrer'),
            ('X-Frame-Options', 'DENY'),
            ('Cross-Origin-Opener-Policy', 'same-origin'),
        ]
        length = [] if status.startswith('304') else [('Content-Length', str(len(body)))]
        start_response(status, [*headers, *fixed, *length])
        return [] if environ['REQUEST_METHOD'] == 'HEAD' else [body]


@lru_cache.cached_function(4)
def _files(folder: Path) -> dict[str, bytes]:
    """Return the content of the files of a folder, by their paths in it."""
    files = (each for each in folder.rglob('*') if each.is_file())
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}


@lru_cache.cached_function(64)
def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


@lru_cache.cached_function(64)
def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:20]


def accepts_gzip(environ: wsgi.Environ) -> bool:
    """Return whether a client takes a compressed body."""
    return bool(GZIP.search(environ.get('HTTP_ACCEPT_ENCODING', '')))


# The tables of 400 types stay for good, so they are loaded before any request.
mimetypes.init()


def content_type(name: str) -> str:
    kind = TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
    charset = '; charset=utf-8' if kind and kind.startswith('text/') else ''
    return f'{kind or "application/octet-stream"}{charset}'


def content_policy(auth_url: str | None) -> str:
    """Return the Content-Security-Policy: the page connects to its own site and to Keystone."""
    parts = urllib.parse.urlsplit(auth_url or '')
    keystone = [f'{parts.scheme}://{parts.netloc}'] if parts.netloc else []
    return POLICY.format(sources=' '.join(["'self'", *keystone]))


def configuration_of(
    conf: cfg.ConfigOpts, projects: Sequence[str] = (), token: bool = False
) -> Values:
    """Return the content of config.json.

    ``projects``: those of a service without login. ``token``: whether it requires its own token.
    """
    if conf.paste_deploy.flavor == NOAUTH:
        login = 'token' if token else 'none'
        return {'api': '../v1', 'login': login, 'projects': list(projects)}
    found = conf.heat_lite.web_page_auth_url
    own = auth_url_of(conf)
    url = found or (identity.versioned(own) if own else None)
    return {'api': '../v1', 'login': 'keystone', 'auth_url': url}


def add_to(
    application: wsgi.WsgiApp,
    conf: cfg.ConfigOpts,
    projects: Sequence[str] = (),
    token: bool = False,
) -> wsgi.WsgiApp:
    """Return the application with the page, or as it is if [heat_lite] web_page is false."""
    if not conf.heat_lite.web_page:
        return application
    return WebPageFilter(application, configuration_of(conf, projects, token))
