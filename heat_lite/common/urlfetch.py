"""Download of a template from a URL, limited in addresses, size and time.

Users choose the URLs, so a download must not reach what only this machine can reach: addresses of
the machine and its links are refused after the name is resolved, at each redirect anew, and the
connection goes to the address that was checked. Errors contain no part of what was fetched.
"""

import base64
import contextlib
import http.client
import ipaddress
import logging
import os
import socket
import ssl
import threading
import time
import urllib.parse
import zlib
from collections.abc import Callable, Collection, Iterator
from typing import Any

import certifi
from oslo_config import cfg

from heat_lite.common.url_rules import Rules

LOG = logging.getLogger(__name__)

REDIRECTS = 5
REDIRECT_STATUSES = (301, 302, 303, 307, 308)
CHUNK = 16384
SCHEMES = ('http', 'https')
PORTS = {'http': 80, 'https': 443}
#: characters of a URL that are sent as they are; all others are quoted
SENT = "%/:=&?~#+!$,;'@()*[]"
#: zlib: a gzip or zlib header is recognized
ANY_HEADER = zlib.MAX_WBITS | 32
FAILURES = (OSError, http.client.HTTPException, ValueError, LookupError, zlib.error)

_rules = Rules()
#: bytes and seconds of a download
_limits: tuple[int, float] = (524288, 60)
_resolve: Callable[..., Any] = socket.getaddrinfo


class URLFetchError(ValueError):
    """The text could not be downloaded; the message is the reason."""


def configure(conf: cfg.ConfigOpts) -> None:
    """Use the networks, the proxy and the limits of the configuration in this process."""
    global _rules, _limits
    _limits = conf.max_template_size, conf.template_fetch_timeout
    ours = conf.heat_lite
    _rules = Rules(
        tuple(ours.template_url_allow), tuple(ours.template_url_refuse), ours.template_url_proxy
    )


def use_resolver(resolve: Callable[..., Any]) -> None:
    """Use ``resolve`` in place of ``socket.getaddrinfo``."""
    global _resolve
    _resolve = resolve


def get(
    url: str,
    limit: int | None = None,
    timeout: float | None = None,
    schemes: Collection[str] = SCHEMES,
) -> str:
    """Return the text at ``url``. Raises URLFetchError.

    ``limit`` is in bytes. ``timeout`` is in seconds for everything: names, connections, redirects
    and the body. By default both are those of the configuration.
    """
    limit = _limits[0] if limit is None else limit
    timeout = _limits[1] if timeout is None else timeout
    _check_scheme(url, schemes)
    download = _Download(limit, timeout, schemes)
    threading.Thread(target=download.run, args=(url,), daemon=True).start()
    if not download.done.wait(timeout):
        download.cancel()
        raise URLFetchError('Template took too long to read')
    error = download.error
    if error is None:
        return download.text
    if isinstance(error, TimeoutError):
        raise URLFetchError('Template took too long to read') from error
    if isinstance(error, FAILURES) and not isinstance(error, URLFetchError):
        raise URLFetchError(f'Failed to retrieve template from {url}') from error
    raise error


def checked_address(host: str, port: int) -> str:
    """Return an address of a host that a user names. Raises OSError if one of it is refused."""
    found = _resolve(host, port, type=socket.SOCK_STREAM)
    _check_addresses(host, found)
    return found[0][4][0]


def _check_scheme(url: str, schemes: Collection[str]) -> None:
    try:
        scheme = urllib.parse.urlsplit(url).scheme
    except (ValueError, AttributeError, TypeError):
        raise URLFetchError(f'Invalid URL {url}') from None
    if scheme not in schemes:
        raise URLFetchError(f'Invalid URL scheme {scheme}')


class _Download:
    """One download, which runs in a thread of its own so that ``cancel`` can end any wait."""

    def __init__(self, limit: int, timeout: float, schemes: Collection[str]) -> None:
        self.done = threading.Event()
        self.text = ''
        self.error: BaseException | None = None
        self._limit = limit
        self._end = time.monotonic() + timeout
        self._schemes = schemes
        self._socket: socket.socket | None = None

    def run(self, url: str) -> None:
        try:
            self.text = self._follow(url)
        except BaseException as error:
            self.error = error
        finally:
            if self._socket is not None:
                self._socket.close()
            self.done.set()

    def cancel(self) -> None:
        """End the download: its socket is shut down, and no other is opened after the end."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _remaining(self) -> float:
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining

    def _follow(self, url: str) -> str:
        """Follow redirects one by one: each may lead to a scheme or address that is refused."""
        for _ in range(REDIRECTS + 1):
            parts = urllib.parse.urlsplit(url)
            with contextlib.closing(self._connect(parts)) as connection:
                connection.request('GET', _target(parts), headers=_headers(parts))
                response = connection.getresponse()
                location = response.headers.get('location')
                if response.status not in REDIRECT_STATUSES or not location:
                    if response.status >= 400:
                        raise OSError(f'status {response.status}')
                    return self._read(response)
            url = urllib.parse.urljoin(url, location)
            _check_scheme(url, self._schemes)
        raise URLFetchError('Too many redirects')

    def _connect(self, parts: urllib.parse.SplitResult) -> http.client.HTTPConnection:
        """Return a connection to the address that was resolved and checked, or to the proxy."""
        host, port = parts.hostname or '', parts.port or PORTS[parts.scheme]
        if not host:
            raise URLFetchError(f'Invalid URL {urllib.parse.urlunsplit(parts)}')
        connection = http.client.HTTPConnection(host, port)
        if _rules.proxy:
            self._open_by_proxy(parts.scheme, host, port)
        else:
            self._open(self._addresses(host, port))
        if parts.scheme == 'https':
            self._start_tls(host)
        connection.sock = self._socket
        return connection

    def _addresses(self, host: str, port: int) -> list[Any]:
        """Return what ``getaddrinfo`` finds. Raises OSError if one of it is refused."""
        found = _resolve(host, port, type=socket.SOCK_STREAM)
        self._remaining()
        _check_addresses(host, found)
        return found

    def _open(self, found: list[Any]) -> None:
        error = OSError('the name has no address')
        for family, kind, protocol, _, address in found:
            self._socket = opened = socket.socket(family, kind, protocol)
            try:
                opened.settimeout(self._remaining())
                opened.connect(address)
                opened.settimeout(self._remaining())
                return
            except OSError as failure:
                opened.close()
                error = failure
        raise error

    def _open_by_proxy(self, scheme: str, host: str, port: int) -> None:
        """Connect to the proxy; HTTPS goes through a tunnel.

        The proxy resolves the name. What this machine can resolve is checked all the same.
        """
        with contextlib.suppress(socket.gaierror):
            self._addresses(host, port)
        proxy = urllib.parse.urlsplit(_rules.proxy)
        self._open(_resolve(proxy.hostname, proxy.port or 3128, type=socket.SOCK_STREAM))
        if scheme == 'https' and self._socket is not None:
            name = f'[{host}]:{port}' if ':' in host else f'{host}:{port}'
            self._socket.sendall(f'CONNECT {name} HTTP/1.1\r\nHost: {name}\r\n\r\n'.encode('ascii'))
            answer = http.client.HTTPResponse(self._socket, method='CONNECT')
            answer.begin()
            if answer.status != 200:
                raise OSError(f'the proxy answers {answer.status}')

    def _start_tls(self, host: str) -> None:
        """Start TLS; the certificate must be that of the name, not of the address."""
        context = ssl.create_default_context(
            cafile=os.environ.get('REQUESTS_CA_BUNDLE') or certifi.where()
        )
        assert self._socket is not None
        # Known to ``cancel`` before the handshake, which a server can draw out.
        self._socket = tls = context.wrap_socket(
            self._socket, server_hostname=host, do_handshake_on_connect=False
        )
        tls.do_handshake()

    def _read(self, response: http.client.HTTPResponse) -> str:
        parts, size = [], 0
        for chunk in _decoded(response, self._limit):
            size += len(chunk)
            if size > self._limit:
                raise URLFetchError(f'Template exceeds maximum allowed size ({self._limit} bytes)')
            self._remaining()
            parts.append(chunk)
        return _text(b''.join(parts), response.headers)


def _target(parts: urllib.parse.SplitResult) -> str:
    """Return the path of a request, or the whole URL for a proxy."""
    if _rules.proxy and parts.scheme == 'http':
        host = parts.netloc.rpartition('@')[2]
        return urllib.parse.quote(parts._replace(netloc=host, fragment='').geturl(), safe=SENT)
    path = (parts.path or '/') + (f'?{parts.query}' if parts.query else '')
    return urllib.parse.quote(path, safe=SENT)


def _headers(parts: urllib.parse.SplitResult) -> dict[str, str]:
    user, _, host = parts.netloc.rpartition('@')
    host = host.encode('idna').decode() if not host.isascii() else host
    headers = {'Host': host, 'User-Agent': 'heat_lite', 'Connection': 'close'}
    if user:
        pair = urllib.parse.unquote(user).encode()
        headers['Authorization'] = 'Basic ' + base64.b64encode(pair).decode()
    return headers


def _check_addresses(host: str, found: list[Any]) -> None:
    for *_, address in found:
        _check_address(host, address[0])


def _check_address(host: str, text: str) -> None:
    """Raise OSError for a refused address.

    The user gets the text of a failed connection, so that answers do not map the network.
    """
    if _rules.refuses(ipaddress.ip_address(text.partition('%')[0])):
        LOG.info(
            'A URL of a user was refused: %s has the address %s; [heat_lite] template_url_allow '
            'permits networks.',
            host,
            text,
        )
        raise OSError('the address is refused')


def _decoded(response: http.client.HTTPResponse, limit: int) -> Iterator[bytes]:
    """Yield the parts of a body, decompressed, no part much longer than ``limit`` bytes."""
    compressed = response.headers.get('content-encoding', 'identity').lower() in ('gzip', 'deflate')
    unpack = zlib.decompressobj(ANY_HEADER)
    while chunk := response.read1(CHUNK):
        yield unpack.decompress(chunk, limit + 1) if compressed else chunk
    if response.length:
        raise http.client.IncompleteRead(b'', response.length)


def _text(content: bytes, headers: http.client.HTTPMessage) -> str:
    """Return the text of a body; text without a known charset is UTF-8, else Latin-1."""
    charset = headers.get_content_charset()
    try:
        return content.decode(charset or 'utf-8')
    except UnicodeDecodeError:
        if charset or headers.get_content_maintype() != 'text':
            raise
        return content.decode('latin-1')
