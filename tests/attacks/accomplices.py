"""Accomplices: many projects whose requests compute for long, in a process of their own.

As threads of a test they would be slower than the service, and so no attack.
"""

import concurrent.futures
import http.client
import json
import subprocess
import sys
import time
import urllib.parse

from tests.attacks import hostile

ANSWER_SECONDS = 300


def preview(nested):
    """Return the body of a preview of so many nested templates: seconds of computing."""
    inner = {
        'heat_template_version': hostile.VERSION,
        'parameters': {'p': {'type': 'string'}},
        'outputs': {'o': {'value': {'get_param': 'p'}}},
    }
    resources = {
        f'r{number}': {'type': 'inner.yaml', 'properties': {'p': f'p{number}'}}
        for number in range(nested)
    }
    template = {'heat_template_version': hostile.VERSION, 'resources': resources}
    body = {'stack_name': 'p', 'template': template, 'files': {'inner.yaml': json.dumps(inner)}}
    return json.dumps(body)


def _send(address, path, number, body):
    """Send a preview of one project; return the status."""
    source = f'127.7.0.{1 + number % 100}', 0
    connection = http.client.HTTPConnection(*address, timeout=ANSWER_SECONDS, source_address=source)
    try:
        path = f'{path}/accomplice{number}/stacks/preview'
        connection.request('POST', path, body, {'Content-Type': 'application/json'})
        response = connection.getresponse()
        response.read()
        return response.status
    except OSError:
        return None
    finally:
        connection.close()


def conspire(service, projects, requests, nested, seconds):
    """Send so many previews at once, each as soon as one has ended, for some seconds.

    Return how many had which status; None: without an answer.
    """
    command = [sys.executable, '-m', 'tests.attacks.accomplices', service.url]
    done = subprocess.run(
        [*command, *map(str, (projects, requests, nested, seconds))],
        capture_output=True,
        text=True,
        check=True,
    )
    return {status and int(status): count for status, count in json.loads(done.stdout)}


def main(url, projects, requests, nested, seconds):
    parts = urllib.parse.urlsplit(url)
    body = preview(int(nested))
    end = time.monotonic() + float(seconds)
    counts = {}

    def run(number):
        while time.monotonic() < end:
            status = _send((parts.hostname, parts.port), parts.path, number % int(projects), body)
            counts[status] = counts.get(status, 0) + 1

    with concurrent.futures.ThreadPoolExecutor(int(requests)) as pool:
        list(pool.map(run, range(int(requests))))
    print(json.dumps(list(counts.items())))


if __name__ == '__main__':
    main(*sys.argv[1:])
