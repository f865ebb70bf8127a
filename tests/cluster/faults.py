"""The faults that a site must survive: each is a context manager that ends what it begins."""

import contextlib
import functools
import random
import signal
import threading
import time

import sqlalchemy

from tests import brokers, databases, servers
from tests.timeouts import wait_until

# --------------------------------------------------------------- programs


@contextlib.contextmanager
def _ended(signum, program):
    program.end(signum)
    try:
        yield
    finally:
        program.start()


@contextlib.contextmanager
def _frozen(program):
    program.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        program.process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def _silent(dependency, program):
    proxy = getattr(program, dependency)
    proxy.swallow()
    try:
        yield
    finally:
        proxy.recover()


@contextlib.contextmanager
def _cut(dependency, program):
    getattr(program, dependency).cut()
    yield


#: name -> (the fault of a program, shortest and longest seconds). What a silent connection does is
#: decided after 20 seconds.
OF_PROGRAMS = {
    'kill': (functools.partial(_ended, signal.SIGKILL), 0, 4),
    'stop': (functools.partial(_ended, signal.SIGTERM), 0, 4),
    'freeze': (_frozen, 1, 15),
    'silent database': (functools.partial(_silent, 'database'), 1, 25),
    'silent broker': (functools.partial(_silent, 'broker'), 1, 25),
    'cut database': (functools.partial(_cut, 'database'), 0, 1),
    'cut broker': (functools.partial(_cut, 'broker'), 0, 1),
}


# --------------------------------------------------------------- databases


@contextlib.contextmanager
def _between(begin, end, server):
    """Call the method ``begin`` of a server, and ``end`` after the block."""
    begin(server)
    try:
        yield
    finally:
        end(server)


_node_isolated = functools.partial(_between, servers.GaleraNode.isolate, servers.GaleraNode.rejoin)


@contextlib.contextmanager
def _no_quorum(server):
    """Isolate two nodes, so that each of the three is alone."""
    other = next(node for node in server.peers if node is not server)
    with _node_isolated(server), _node_isolated(other):
        yield


@contextlib.contextmanager
def _desynchronized(server):
    """Let a node fall behind: it takes in what others write when its tables are unlocked."""
    wait_until(lambda: server.set('wsrep_desync', 1))  # refused while it gives its data to another
    try:
        with databases.admin_connection(server.url) as admin:
            admin.exec_driver_sql('FLUSH TABLES WITH READ LOCK')
            try:
                yield
            finally:
                admin.exec_driver_sql('UNLOCK TABLES')
    finally:
        server.set('wsrep_desync', 0)


@contextlib.contextmanager
def _connections_ended(server):
    """Let the server end all connections of the programs."""
    if server.url.startswith('mysql'):
        query = "SELECT id FROM information_schema.processlist WHERE db = 'heat_lite'"
    else:
        query = "SELECT pid FROM pg_stat_activity WHERE datname = 'heat_lite'"
    with databases.admin_connection(server.url) as admin:
        mysql = admin.dialect.name == 'mysql'
        for number in admin.exec_driver_sql(query).scalars().all():
            # it may have ended already
            with contextlib.suppress(sqlalchemy.exc.DBAPIError):
                admin.exec_driver_sql(
                    f'KILL {number}' if mysql else f'SELECT pg_terminate_backend({number})'
                )
    yield


#: name -> (the fault of a server of the database, shortest and longest seconds). Galera takes a
#: node that is silent for 5 seconds for dead.
OF_ANY_DATABASE = {
    'kill node': (functools.partial(_between, servers.Server.kill, servers.Server.start), 0, 5),
    'restart node': (functools.partial(_between, servers.Server.stop, servers.Server.start), 0, 2),
    'freeze node': (functools.partial(_between, servers.Server.freeze, servers.Server.thaw), 2, 12),
    'end connections': (_connections_ended, 0, 1),
}
OF_GALERA = {
    'partition': (_node_isolated, 7, 15),
    'no quorum': (_no_quorum, 7, 15),
    'desync': (_desynchronized, 2, 12),
}


#: the faults that each small run tries, in groups that share their clients and the check at the end
GROUPS = {
    'database': tuple(OF_ANY_DATABASE),
    'galera': tuple(OF_GALERA),
    'engine': ('kill engine', 'freeze engine'),
    'silent engine': ('silent database engine', 'silent broker engine'),
    'silent API': ('silent database API', 'silent broker API'),
}


@contextlib.contextmanager
def _broker_connections_ended(transport):
    brokers.close_connections(transport)
    yield


class Faults:
    """All faults of a site by name, and how to choose and suffer one."""

    def __init__(self, site, seed=0):
        self.site = site
        self.random = random.Random(seed)
        of_database = OF_ANY_DATABASE | (OF_GALERA if len(site.servers) > 1 else {})
        #: what faults hit -> name of the fault -> (fault, its possible victims, seconds, seconds)
        self.rooms = {
            'database': {
                name: (fault, site.servers, *span) for name, (fault, *span) in of_database.items()
            },
            'engine': self._of_programs('engine', site.engines),
            'API': self._of_programs('API', site.apis),
        }
        self.rooms['API']['end broker connections'] = (
            _broker_connections_ended,
            [site.cluster.transport],
            0,
            1,
        )
        self.count = {}
        self.errors = []

    @staticmethod
    def _of_programs(kind, programs):
        return {
            f'{name} {kind}': (fault, programs, *span)
            for name, (fault, *span) in OF_PROGRAMS.items()
        }

    def suffer(self, name, longest=True):
        """Begin a fault, wait, and end it; for its longest or for some time."""
        room = next(room for room in self.rooms.values() if name in room)
        if room is self.rooms['database']:
            wait_until(self._all_answer)  # a node may still join the others
        fault, victims, least, most = room[name]
        with fault(self.random.choice(victims)):
            time.sleep(most if longest else self.random.uniform(least, most))
        self.count[name] = self.count.get(name, 0) + 1

    def _all_answer(self):
        try:
            for server in self.site.servers:
                server.answers()
        except sqlalchemy.exc.DBAPIError:
            return False
        return True

    def suffer_many(self, wanted, until):
        """Suffer ``wanted`` faults, at most one at a time of the database, an engine, an API.

        Ends earlier at the moment ``until``.
        """

        def suffer_in(room):
            while sum(self.count.values()) < wanted and time.monotonic() < until:
                try:
                    self.suffer(self.random.choice(list(room)), longest=False)
                except Exception as error:
                    self.errors.append(error)
                    raise
                time.sleep(self.random.uniform(0, 2))

        threads = [threading.Thread(target=suffer_in, args=(room,)) for room in self.rooms.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not self.errors, self.errors
