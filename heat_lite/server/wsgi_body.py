"""The bodies of requests that the WSGI server reads, and where one request ends.

A proxy and this server must agree about that end, and no body may keep the server busy for long.
"""

import contextlib
import io
import math
import re
from collections.abc import Callable
from email import errors as email_errors
from email.message import Message
from typing import Any

import eventlet.wsgi

from heat_lite.server import hub

#: bytes of a line between the chunks of a body, and lines after the last chunk
MAX_CHUNK_LINE = 4096
MAX_TRAILERS = 100
#: chunks of a body: each costs about 10 microseconds, however short it is
MAX_CHUNKS = 65536
#: chunks between two pauses for other connections: less than a millisecond
CHUNKS_A_PAUSE = 64
#: bytes of a body that are read, although nothing needs them, so that the client gets its response
MAX_DISCARDED = 4 * 2**20
#: a line before a chunk: its size and extensions
CHUNK_SIZE = re.compile(rb'([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n')
LINE_ENDS = (b'\r\n', b'\n')
#: the name of a header (RFC 9110, section 5.6.2)
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Of the defects that the parser of e-mails finds those of header lines; the others are of bodies,
# which it does not get.
HEADER_DEFECTS = (
    email_errors.FirstHeaderLineIsContinuationDefect,
    email_errors.MisplacedEnvelopeHeaderDefect,
    email_errors.MissingHeaderBodySeparatorDefect,
    email_errors.HeaderDefect,
)


class LineReader(io.BufferedReader):
    """A reader whose lines have a maximum length, since lines between chunks have none."""

    def readline(self, size: Any = -1) -> bytes:
        if size is not None and size >= 0:
            return super().readline(size)
        line = super().readline(MAX_CHUNK_LINE)
        if len(line) == MAX_CHUNK_LINE:
            raise eventlet.wsgi.ChunkReadError('a line between chunks is too long')
        return line


class Body(eventlet.wsgi.Input):
    """The body of a request. After an incomplete or malformed one the connection has to end.

    ``end_connection`` is called then, because the beginning of the next request is unknown.
    ``pause`` is called after each CHUNKS_A_PAUSE chunks.
    """

    def __init__(
        self, body: Any, end_connection: Callable[[], None], pause: Callable[[], None]
    ) -> None:
        super().__init__(
            body.rfile,
            body.content_length,
            body.get_socket(),
            body.wfile,
            body.wfile_line,
            body.chunked_input,
        )
        self._end_connection = end_connection
        self._pause = pause
        self._left = 0
        self._chunks = 0
        self._complete = False

    def read(self, length: int | None = None) -> bytes:
        """Read at most ``length`` bytes. Raises ChunkReadError, a ValueError, and OSError."""
        try:
            return self._read_chunks(length) if self.chunked_input else super().read(length)
        except (OSError, ValueError):
            self._end_connection()
            raise

    def discard(self, buffer_size: int = 16 << 10) -> None:
        """Read the rest, so that the next request can follow; end the connection after much."""
        with contextlib.suppress(OSError, ValueError):
            for _ in range(MAX_DISCARDED // buffer_size):
                if not self.read(buffer_size):
                    return
            self._end_connection()

    def _read_chunks(self, length):
        if self.should_send_hundred_continue:
            self.send_hundred_continue_response()
            self.is_hundred_continue_response_sent = True
        parts, wanted = [], float('inf') if length is None or length < 0 else length
        while wanted and (self._left or self._begin_chunk()):
            data = self.rfile.read(min(wanted, self._left))
            if not data:
                raise eventlet.wsgi.ChunkReadError('a chunk is incomplete')
            parts.append(data)
            wanted -= len(data)
            self._left -= len(data)
            if not self._left and self.rfile.readline() not in LINE_ENDS:
                raise eventlet.wsgi.ChunkReadError('a chunk is longer than its size')
        return b''.join(parts)

    def _begin_chunk(self):
        """Read the size of the next chunk; return whether there is one."""
        if not self._complete:
            found = CHUNK_SIZE.fullmatch(self.rfile.readline())
            if not found:
                raise eventlet.wsgi.ChunkReadError(
                    'the size of a chunk is not a hexadecimal number'
                )
            self._left = int(found[1], 16)
            self._complete = not self._left
            self._chunks += 1
            if not self._chunks % CHUNKS_A_PAUSE:
                self._pause()
            if self._chunks > MAX_CHUNKS:
                raise eventlet.wsgi.ChunkReadError(f'the body has more than {MAX_CHUNKS} chunks')
            if self._complete:
                self._skip_trailers()
        return bool(self._left)

    def _skip_trailers(self):
        for _ in range(MAX_TRAILERS):
            line = self.rfile.readline()
            if line in LINE_ENDS:
                return
            if not line:
                raise eventlet.wsgi.ChunkReadError('the end of the last chunk is missing')
        raise eventlet.wsgi.ChunkReadError(f'more than {MAX_TRAILERS} lines follow the last chunk')


class CompleteBody:
    """A body that a green thread reads before a native thread gets the request.

    A body beyond the limit stays with the client: ``read`` has the hub read it.
    """

    def __init__(self, body: Body, hub: hub.Hub) -> None:
        self._body = body
        self._hub = hub
        self._read = io.BytesIO()
        self._error: Exception | None = None
        #: in bytes; infinite in chunks
        self.size = math.inf if body.chunked_input else body.content_length

    def complete(self, limit: int) -> None:
        """Read the body, in a green thread; ``read`` raises the error, if there is one."""
        if 0 < self.size <= limit or self._body.chunked_input:
            try:
                self._read = io.BytesIO(self._body.read(limit + 1))
            except (OSError, ValueError) as error:
                self._error = error.with_traceback(None)  # it refers to this object

    def read(self, size: int = -1) -> bytes:
        """Read at most ``size`` bytes, in a native thread. Raises ValueError and OSError."""
        data = self._read.read(size)
        if data or not size:
            return data
        if self._error is not None:
            raise self._error
        return self._hub.run(self._body.read, size)


def framing_error(headers: Message) -> str | None:
    """Return why the end of a request is not certain, or None (RFC 9112, section 6.3).

    A proxy could see another end than this server, and another client could get the response.
    """
    lengths, codings = headers.get_all('Content-Length', []), headers.get_all('Transfer-Encoding')
    malformed = any(isinstance(each, HEADER_DEFECTS) for each in headers.defects)
    if malformed or not all(TOKEN.fullmatch(name) for name in headers.keys()):
        return 'A header is malformed'
    if len(lengths) > 1 or not all(each.isascii() and each.isdigit() for each in lengths):
        return 'Content-Length must be one number'
    if codings and [each.lower() for each in codings] != ['chunked']:
        return 'The only supported Transfer-Encoding is chunked'
    return None
