"""Another project of a service under attack, in a process of its own: how long does it wait?

It lists, shows, creates and deletes small stacks. A process of its own measures the service alone:
in a thread beside the attackers, each answer would wait for them.
"""

import contextlib
import dataclasses
import http.client
import itertools
import json
import math
import os
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

PROJECT = 'bystander'
ANSWER_SECONDS = 120
#: an address of its own, as a client on another machine: connections are limited by address
SOURCE = '127.0.0.2'
SMALL = {
    'heat_template_version': '2018-08-31',
    'resources': {'one': {'type': 'OS::Heat::RandomString'}},
}
#: seconds between two requests
PAUSE = 0.02


@dataclasses.dataclass
class Waits:
    """The waits of a bystander in seconds, and of each the processor time of the service in it.

    The latter does not depend on the load of the machine: it is about the wait if nothing else
    runs on it.
    """

    seconds: list[float] = dataclasses.field(default_factory=list)
    busy: list[float] = dataclasses.field(default_factory=list)
    #: the method and path of each request
    requests: list[str] = dataclasses.field(default_factory=list)

    @property
    def longest(self):
        """The longest wait that the service itself caused."""
        return max(map(min, self.seconds, self.busy), default=math.inf)

    def __str__(self):
        """Tell the longest waits of all, in seconds, with the processor time of each."""
        rows = sorted(zip(self.seconds, self.busy, self.requests, strict=True), reverse=True)
        lines = [f'{wait:.2f} s, busy {busy:.2f} s: {request}' for wait, busy, request in rows[:10]]
        return f'{len(rows)} requests, the longest:\n' + '\n'.join(lines)


@contextlib.contextmanager
def asking(service):
    """Send requests of another project while the block runs; yield the Waits.

    They are filled at the end of the block. Raises AssertionError if one of the requests failed.
    """
    processes = ','.join(
        str(pid) for each in service.processes.values() for pid in family(each.pid)
    )
    command = [sys.executable, '-m', 'tests.attacks.bystander', service.url, processes]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == 'begun\n', process.communicate()[1]
    waits = Waits()
    try:
        yield waits
    finally:
        output, errors = process.communicate('end\n', timeout=ANSWER_SECONDS * 2)
    found = json.loads(output or '{}')
    waits.seconds, waits.busy = found.get('seconds', []), found.get('busy', [])
    waits.requests = found.get('requests', [])
    assert not found.get('failures', [errors]), found or errors


def family(pid):
    """Return a process id and those of its children at all levels."""
    found = [pid]
    with contextlib.suppress(OSError):
        for file in Path(f'/proc/{pid}/task').glob('*/children'):
            found += [each for child in file.read_text().split() for each in family(int(child))]
    return found


def processor_seconds(pid):
    """Return the processor time of a process; 0 if it has ended."""
    try:
        fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


class Bystander:
    """The client: its waits, and the answers that are not those of a healthy service."""

    def __init__(self, url, processes=()):
        parts = urllib.parse.urlsplit(url)
        self._address = parts.hostname, parts.port
        self._path = f'{parts.path}/{PROJECT}/stacks'
        self._processes = processes
        self.seconds = []
        self.busy = []
        self.requests = []
        self.failures = []

    def ask(self, method, path='', body=None):
        """Send a request on a connection of its own; return the decoded answer."""
        before = [processor_seconds(pid) for pid in self._processes]
        begun = time.monotonic()
        connection = http.client.HTTPConnection(
            *self._address, timeout=ANSWER_SECONDS, source_address=(SOURCE, 0)
        )
        with contextlib.closing(connection):
            try:
                text = None if body is None else json.dumps(body)
                headers = {'Content-Type': 'application/json'}
                connection.request(method, self._path + path, text, headers)
                response = connection.getresponse()
                status, content = response.status, response.read()
            except OSError as error:
                status, content = str(error), b''
        waited = time.monotonic() - begun
        self.seconds.append(waited)
        self.requests.append(f'{method} {path}')
        after = map(processor_seconds, self._processes)
        self.busy.append(
            max((now - then for now, then in zip(after, before, strict=True)), default=waited)
        )
        # the delete of a stack that is being created preempts it, so each answer is a success
        if status not in (200, 201, 204):
            self.failures.append(f'{method} {path}: {status} after {waited:.1f} s {content[:300]}')
            return {}
        return json.loads(content or '{}')

    def run(self, over):
        """Use the service until the event ``over`` is set."""
        for number in itertools.count():
            created = self.ask('POST', body={'stack_name': f's{number}', 'template': SMALL})
            place = f'/s{number}/{created["stack"]["id"]}' if created else ''
            self.ask('GET')
            self.ask('GET', place)
            if place:
                self.ask('DELETE', place)
            if over.wait(PAUSE):
                return


def middle(waits):
    """Return the median of the waits."""
    return sorted(waits)[len(waits) // 2] if waits else math.nan


def main(url, processes=''):
    """Use the service at a URL until a line of standard input; print what was measured."""
    over = threading.Event()
    Bystander(url).ask('GET')
    bystander = Bystander(url, [int(pid) for pid in processes.split(',') if pid])
    print('begun', flush=True)
    thread = threading.Thread(target=bystander.run, args=(over,))
    thread.start()
    sys.stdin.readline()
    over.set()
    thread.join()
    found = {name: getattr(bystander, name) for name in ('seconds', 'busy', 'requests')}
    print(json.dumps({**found, 'failures': bystander.failures[:5]}))


if __name__ == '__main__':
    main(*sys.argv[1:])
