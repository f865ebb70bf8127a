"""Clients that create, update, signal and delete stacks over all APIs, and note the answers."""

import concurrent.futures
import itertools
import os
import random
import threading
import time
import uuid

import requests

from tests.cluster import faults, ledger as promises

#: seconds that a client waits for an answer, longer than the API waits for an engine
ANSWER_SECONDS = 40
#: the number of resources beside the small ones; home gives some to helpers from 16
WIDE = 24
RACERS = 4
CLIENTS = int(os.environ.get('HEAT_LITE_CLIENTS', '4'))
#: seconds of work before and after a fault
BESIDE = 2


class Client:
    """One client. It owns the stacks that it creates, and races for names with others."""

    def __init__(self, site, ledger, number):
        self.site, self.ledger, self.number = site, ledger, number
        self.random = random.Random(number)
        self.versions = itertools.count(1)
        self._name = f'c{number}-{uuid.uuid4().hex[:6]}'

    def ask(self, what, allowed, method, path, data=None, service=None):
        """Send a request once, to any API. Return (status or None, answer)."""
        service = service or self.random.choice(self.site.services)
        try:
            answer = service.ask(method, path, data, timeout=ANSWER_SECONDS)
        except requests.RequestException:
            answer = None
        return self.ledger.note(what, answer, allowed), answer

    def live(self, stopped):
        """Live lives of stacks until ``stopped`` is set."""
        for number in itertools.count():
            if stopped.is_set():
                return
            life = self.create(f'{self._name}-{number}')
            if life is None:
                stopped.wait(0.5)
                continue
            for _ in range(self.random.randint(1, 5)):
                if stopped.wait(self.random.uniform(0, 2)) or life.deletion:
                    break
                self.random.choice((self.update, self.race_updates, self.signal, self.read))(life)
            if self.random.random() < 0.7 and not life.deletion:
                self.delete(life)

    def body(self, version):
        return promises.body(version, WIDE if self.number == 0 else 0)

    def create(self, name):
        """Create a stack by racing requests of one name over all APIs; return its Life, or None."""
        version = next(self.versions)
        data = {'stack_name': name, 'template': self.body(version)}

        def send(service):
            return self.ask('create', (201, 409), 'POST', '/stacks', data, service)

        answers = self._race(send, self.random.randint(1, RACERS))
        made = [answer for status, answer in answers if status == 201]
        lives = [self.ledger.created(name, answer, version) for answer in made]
        return lives[0] if lives else None

    def _race(self, send, count):
        services = self.random.choices(self.site.services, k=count)
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(send, services))

    def update(self, life, count=1):
        sent = {}

        def send(service):
            version = next(self.versions)
            data = {'template': self.body(version)}
            sent[version], _ = self.ask('update', (202,), 'PUT', life.path, data, service)

        self._race(send, count)
        stored = {version for version, status in sent.items() if status == 202}
        if stored:
            life.promised = stored
        life.possible |= {v for v, status in sent.items() if status in (None, 503, 504)}

    def race_updates(self, life):
        """Update a stack, and its group, to several versions at once."""
        self.update(life, RACERS)

    def signal(self, life):
        """Signal the handle, if it is there."""
        name = f's{next(self.versions)}'
        data = {'id': name, 'status': 'SUCCESS', 'reason': 'x', 'data': 'y'}
        path = f'{life.path}/resources/handle/signal'
        # 400: it is not created yet
        status, _ = self.ask('signal', (200, 400, 404, 409, 429), 'POST', path, data)
        if status == 200:
            life.signals.add(name)

    def read(self, life):
        self.ask('read', (200,), 'GET', life.path)

    def delete(self, life):
        status, _ = self.ask('delete', (204,), 'DELETE', life.path)
        life.deletion = 'promised' if status == 204 else 'possible'


class Load:
    """Clients at work within a ``with`` block, which yields their ledger."""

    def __init__(self, site):
        self.ledger = promises.Ledger()
        self._stopped = threading.Event()
        self._pool = concurrent.futures.ThreadPoolExecutor(CLIENTS)
        self._clients = [Client(site, self.ledger, number) for number in range(CLIENTS)]
        self._running = []

    def __enter__(self):
        self._running = [self._pool.submit(each.live, self._stopped) for each in self._clients]
        return self.ledger

    def __exit__(self, *_):
        self._stopped.set()
        for each in self._running:
            each.result()
        self._pool.shutdown()


def require_kept_after(site, names):
    """Require that faults of these names, one after the other and each at its longest, break no
    promise to clients at work.
    """
    suffered = faults.Faults(site)
    with Load(site) as ledger:
        for name in names:
            time.sleep(BESIDE)
            suffered.suffer(name)
        time.sleep(BESIDE)
    ledger.require_kept(site)
