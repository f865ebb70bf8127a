"""Queues of messages, as far as servers tell something through them, and are told."""

import urllib.parse

from heat_lite.clients import rest


class Zaqar(rest.Api):
    """The queues of a project."""

    def make_queue(self, queue, metadata=None):
        self.ask('PUT', _path(queue), metadata or {})

    def remove_queue(self, queue):
        self.delete(_path(queue))

    def post(self, queue, body, ttl):
        """Tell one message, which is kept for so many seconds."""
        self.ask('POST', f'{_path(queue)}/messages', {'messages': [{'body': body, 'ttl': ttl}]})

    def take(self, queue, most=10):
        """The oldest messages, which are gone then."""
        found = self.ask('DELETE', f'{_path(queue)}/messages', params={'pop': most})
        return [each['body'] for each in (found or {}).get('messages', ())]


def _path(queue):
    return f'/queues/{urllib.parse.quote(queue)}'
