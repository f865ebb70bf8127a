"""Three engines and three APIs, each with proxies of its own before its database and broker.

With Galera each program writes to another node, and goes to the next one where its own refuses it.
"""

import concurrent.futures
import contextlib
import os
import signal
import subprocess

import sqlalchemy

from heat_lite.db import migration
from tests import black_hole, brokers, servers
from tests.chaos import clusters
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

PROGRAMS = 3
OPTIONS = 'max_resources_per_stack = -1\nconvergence_engine = {convergence}'


class Program:
    """An engine or an API, its process, and the proxies in front of its database and broker."""

    def __init__(self, cluster, database, broker, service=None):
        self.cluster, self.database, self.broker = cluster, database, broker
        #: the client's view of an API, None for an engine
        self.service = service
        self.process = None
        url = sqlalchemy.make_url(cluster.database).set(host='127.0.0.1', port=database.port)
        transport = sqlalchemy.make_url(cluster.transport).set(host='127.0.0.1', port=broker.port)
        self._wrapper = (
            'env',
            f'OS_DATABASE__CONNECTION={url.render_as_string(hide_password=False)}',
            f'OS_DEFAULT__TRANSPORT_URL={transport.render_as_string(hide_password=False)}',
        )

    def start(self):
        """Start the program; an engine that ends at once again, as a supervisor does."""
        if self.service:
            self.process = self.cluster.start_api(*self._wrapper, service=self.service)
            return
        while self.process is None or self.process.poll() is not None:
            self.process, log = self.cluster.start_engine(*self._wrapper)
            clusters.wait_for(
                lambda log=log: self.process.poll() is not None or 'is ready' in log.read_text()
            )

    def end(self, signum):
        """Signal the process and wait for its end; one that does not end in time is killed."""
        self.process.send_signal(signum)
        try:
            self.process.wait(shapes.STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait(WAIT_SECONDS)


class Site:
    """The programs and servers. ``servers`` are the nodes of the database, one or three."""

    def __init__(self, cluster, database_servers):
        self.cluster = cluster
        self.servers = database_servers
        self.engines = []
        self.apis = []

    @property
    def programs(self):
        return self.engines + self.apis

    @property
    def services(self):
        return [program.service for program in self.apis]

    def url(self):
        """Return the URL of the database for a reader that waits for what other nodes wrote."""
        url = sqlalchemy.make_url(self.cluster.database)
        if len(self.servers) > 1:
            url = url.update_query_dict({'init_command': 'SET SESSION wsrep_sync_wait = 7'})
        return url.render_as_string(hide_password=False)


@contextlib.contextmanager
def _database(kind):
    """Yield the servers of a new database and its URL."""
    with contextlib.ExitStack() as stack:
        if kind == 'galera':
            nodes = stack.enter_context(servers.galera(PROGRAMS))
        else:
            nodes = [stack.enter_context(servers.running(kind))]
        url = nodes[0].create('heat_lite')
        migration.sync(url)
        yield nodes, url


@contextlib.contextmanager
def running(kind, convergence, folder):
    """Run a Site with a database of its own: 'galera', 'mysql' or 'postgresql'.

    ``folder`` has its configuration and logs.
    """
    with contextlib.ExitStack() as stack:
        nodes, url = stack.enter_context(_database(kind))
        transport = stack.enter_context(brokers.virtual_host_or_skip())
        broker = sqlalchemy.make_url(transport)
        options = OPTIONS.format(convergence=convergence)
        cluster = stack.enter_context(clusters.configured(folder, url, transport, options))
        site = Site(cluster, nodes)
        for number in range(PROGRAMS):
            for programs in (site.engines, site.apis):
                turned = nodes[number % len(nodes) :] + nodes[: number % len(nodes)]
                first, *others = [('127.0.0.1', node.port) for node in turned]
                database = stack.enter_context(black_hole.before(*first, spares=others))
                mine = stack.enter_context(black_hole.before(broker.host, broker.port))
                service = cluster.another_service() if programs is site.apis else None
                programs.append(Program(cluster, database, mine, service))
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(Program.start, site.programs))
        for service in site.services:
            shapes.wait_until_ready(service)
        yield site
