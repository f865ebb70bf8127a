"""Client of Zaqar: message queues for signals and deployments."""

import urllib.parse
from typing import Any

from heat_lite.clients import rest
from heat_lite.common.value_types import Value, Values


class Zaqar(rest.Api):
    """The queues of a project."""

    def create_queue(self, queue: str, metadata: Values | None = None) -> None:
        self.request_json('PUT', _path(queue), metadata or {})

    def delete_queue(self, queue: str) -> None:
        self.delete(_path(queue))

    def post_message(self, queue: str, body: Value, ttl: int) -> None:
        """Post a message that expires after ``ttl`` seconds."""
        messages = [{'body': body, 'ttl': ttl}]
        self.request_json('POST', f'{_path(queue)}/messages', {'messages': messages})

    def pop_messages(self, queue: str) -> list[Any]:
        """Remove the oldest messages from a queue and return their bodies."""
        found = self.request_json('DELETE', f'{_path(queue)}/messages', params={'pop': 10})
        return [each['body'] for each in (found or {}).get('messages', ())]

    def sign_post(self, queue: str, expires: str) -> Values:
        """Return URL and headers of a request that posts messages without a token.

        ``expires``: a time like ``2099-01-01T00:00:00``. Raises BadRequest if Zaqar has no key for
        signatures.
        """
        wanted = {'methods': ['POST'], 'paths': ['messages'], 'expires': expires}
        signed = self.request_json('POST', f'{_path(queue)}/share', wanted)
        headers = {
            'Content-Type': 'application/json',
            'X-Project-Id': signed['project'],
            'URL-Methods': ','.join(signed['methods']),
            'URL-Paths': ','.join(signed['paths']),
            'URL-Expires': signed['expires'],
            'URL-Signature': signed['signature'],
        }
        return {'url': f'{self.url.rstrip("/")}{_path(queue)}/messages', 'headers': headers}


def _path(queue: str) -> str:
    return f'/queues/{urllib.parse.quote(queue)}'
