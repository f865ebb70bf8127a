"""Reads a text from a URL: http or https only, not longer than allowed, not for longer than allowed."""

import time
import urllib.parse

import requests

REDIRECTS = 5
CHUNK = 16384
SCHEMES = ('http', 'https')


class URLFetchError(ValueError):
    """The text could not be read; the message says why."""


def get(url, limit, timeout, schemes=SCHEMES):
    """The text at ``url``. ``limit`` is in bytes; ``timeout`` in seconds for the whole of it, redirects included."""
    scheme = _scheme(url)
    if scheme not in schemes:
        raise URLFetchError(f'Invalid URL scheme {scheme}')
    end = time.monotonic() + timeout
    try:
        with requests.Session() as session:
            return _follow(session, url, limit, timeout, end, schemes)
    except (requests.exceptions.RequestException, UnicodeError, ValueError) as error:
        if isinstance(error, URLFetchError):
            raise
        raise URLFetchError(f'Failed to retrieve template from {url}') from error


def _scheme(url):
    try:
        return urllib.parse.urlsplit(url).scheme
    except (ValueError, AttributeError, TypeError):
        raise URLFetchError(f'Invalid URL {url}') from None


def _follow(session, url, limit, timeout, end, schemes):
    """Redirects are followed here, since each may lead to a scheme that is not allowed."""
    for _ in range(REDIRECTS + 1):
        with session.get(url, stream=True, timeout=max(timeout, 0.001), allow_redirects=False) as answer:
            if not answer.is_redirect:
                answer.raise_for_status()
                return _read(answer, limit, end)
            url = urllib.parse.urljoin(url, answer.headers['location'])
        if _scheme(url) not in schemes:
            raise URLFetchError(f'Invalid URL scheme {_scheme(url)}')
    raise URLFetchError(f'Too many redirects: the last one led to {url}')


def _read(answer, limit, end):
    parts, size = [], 0
    for chunk in answer.iter_content(CHUNK):
        size += len(chunk)
        if size > limit:
            raise URLFetchError(f'Template exceeds maximum allowed size ({limit} bytes)')
        if time.monotonic() > end:
            raise URLFetchError('Template took too long to read')
        parts.append(chunk)
    return b''.join(parts).decode(answer.encoding or 'utf-8')
