"""What the modules of this plug-in share: requests to the service of books."""

import os

import requests


class BookNotFound(Exception):
    code = 404


def call(method, path, body=None):
    answer = requests.request(method, os.environ['BOOKS_URL'] + path, json=body, timeout=30)
    if answer.status_code == 404:
        raise BookNotFound(path)
    answer.raise_for_status()
    return answer.json() if answer.content else None
