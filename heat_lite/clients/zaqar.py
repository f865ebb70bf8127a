"""Client of Zaqar: message queues for signals and deployments."""

import urllib.parse
from typing import Any

from heat_lite.clients import rest


class Zaqar(rest.Api):
    """The queues of a project."""

    def create_queue(self, queue: str, metadata: dict[str, Any] | None = None) -> None:
        self.request_json('PUT', _path(queue), metadata or {})

    def delete_queue(self, queue: str) -> None:
        self.delete(_path(queue))

    def post_message(self, queue: str, body: Any, ttl: int) -> None:
        """Post a message that expires after ``ttl`` seconds."""
        messages = [{'body': body, 'ttl': ttl}]
        self.request_json('POST', f'{_path(queue)}/messages', {'messages': messages})

    def pop_messages(self, queue: str, limit: int = 10) -> list[Any]:
        """Remove the oldest messages from a queue and return their bodies."""
        found = self.request_json('DELETE', f'{_path(queue)}/messages', params={'pop': limit})
        return [each['body'] for each in (found or {}).get('messages', ())]


def _path(queue: str) -> str:
    return f'/queues/{urllib.parse.quote(queue)}'
