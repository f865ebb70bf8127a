"""Private servers of a test, which it may stop, kill and restart.

Each has its own folder and port. Without the programs the test is skipped; with CI set it fails.
"""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import psutil
import pymysql

from tests import databases, ports

READY_SECONDS = 180
STOP_SECONDS = 30
# folders of distributions that are not on the path
FOLDERS = (
    '/usr/lib/postgresql/*/bin',
    '/usr/lib/rabbitmq/bin',
    '/usr/sbin',
    '/usr/local/sbin',
    '/usr/local/bin',
)


def find(*names):
    """Return the path of the first of these programs that is installed."""
    for name in names:
        for place in FOLDERS:
            found = sorted(pathlib.Path('/').glob(f'{place[1:]}/{name}'))
            if found:
                return str(found[-1])
        if shutil.which(name):
            return shutil.which(name)
    databases.skip_or_fail(f'{" or ".join(names)} is not installed')


class Server:
    """A server process; ``url`` is its address.

    ``stop`` ends it as an operator does, ``kill`` as a power failure does.
    """

    #: the user of the process when root runs the tests
    user = None
    #: the signal of a fast clean shutdown
    stop_signal = signal.SIGTERM

    def __init__(self, folder):
        self.folder = folder
        self.port = ports.reserve()
        self.process = None
        self._identity = self._process_identity()
        folder.chmod(0o755)
        if self._identity:
            shutil.chown(folder, self.user)
        self.prepare()

    def _process_identity(self):
        if os.getuid() != 0 or self.user is None:
            return {}
        entry = pwd.getpwnam(self.user)
        return {'user': entry.pw_uid, 'group': entry.pw_gid, 'extra_groups': []}

    def prepare(self):
        """Prepare the first start."""

    def command(self):
        raise NotImplementedError

    def environ(self):
        # a starting MariaDB removes the temporary tables of all servers that share its folder
        folders = {'HOME': str(self.folder), 'TMPDIR': str(self.folder)}
        return {'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8', **folders}

    def answers(self):
        """Raise an exception unless the server is ready."""
        socket.create_connection(('127.0.0.1', self.port), timeout=2).close()

    def run(self, *command):
        """Run a command of the server to its end."""
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environ(),
            timeout=120,
            **self._identity,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self):
        with (self.folder / 'log').open('ab') as log:
            self.process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self.environ(),
                start_new_session=True,
                **self._identity,
            )
        until = time.monotonic() + READY_SECONDS
        while True:
            assert self.process.poll() is None, (self.folder / 'log').read_text()[-2000:]
            try:
                return self.answers()
            except Exception:
                assert time.monotonic() < until, (self.folder / 'log').read_text()[-2000:]
            time.sleep(0.1)

    def stop(self):
        self._end(self.stop_signal)

    def kill(self):
        self._end(signal.SIGKILL)

    def freeze(self):
        """Halt the server as a machine that hangs; its connections stay open."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self):
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, signum):
        for each in (psutil.Process(self.process.pid), *self._children()):
            with contextlib.suppress(psutil.NoSuchProcess):
                each.send_signal(signum)

    def _end(self, signum):
        """Signal the server and wait for the end of all its processes; kill those that remain.

        The processes of PostgreSQL have process groups of their own. They outlive a killed
        server for a moment, and while they have its memory no other one starts in its folder.
        """
        children = self._children()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signum)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
        _gone, alive = psutil.wait_procs(children, STOP_SECONDS)
        assert not alive, alive

    def _children(self):
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(self.process.pid).children(recursive=True)
        return []


class Database(Server):
    def answers(self):
        with databases.admin_connection(self.url) as admin:
            admin.exec_driver_sql('SELECT 1')

    def create(self, name):
        """Create an empty database; return its URL."""
        with databases.admin_connection(self.url) as admin:
            admin.exec_driver_sql(f'CREATE DATABASE {name}')
        url = databases.connections.full_url(self.url)
        return url.set(database=name).render_as_string(hide_password=False)


class MariaDB(Database):
    user = 'nobody'

    @property
    def url(self):
        return f'mysql://root@127.0.0.1:{self.port}/mysql'

    def prepare(self):
        self.program = find('mariadbd', 'mysqld')
        install = find('mariadb-install-db', 'mysql_install_db')
        self.run(
            install,
            '--no-defaults',
            f'--datadir={self.folder}/data',
            '--auth-root-authentication-method=normal',
            '--skip-test-db',
        )

    def command(self):
        place = (
            f'--datadir={self.folder}/data',
            f'--socket={self.folder}/socket',
            f'--pid-file={self.folder}/pid',
        )
        return [
            self.program,
            '--no-defaults',
            *place,
            f'--port={self.port}',
            '--bind-address=127.0.0.1',
            '--skip-name-resolve',
        ]


class GaleraNode(MariaDB):
    """A node of a cluster, all of which take writes.

    ``peers`` are all nodes. The first to start has the data; the others copy it.
    """

    LIBRARY = pathlib.Path('/usr/lib/galera/libgalera_smm.so')

    def __init__(self, folder, peers):
        if not self.LIBRARY.exists():
            databases.skip_or_fail('galera-4 is not installed')
        self.peers = peers
        self.group, self.increments, self.copies = (ports.reserve() for _ in range(3))
        peers.append(self)
        super().__init__(folder)

    def prepare(self):
        if self is self.peers[0]:
            return super().prepare()
        find('rsync')
        self.program = self.peers[0].program
        self.run('mkdir', 'data')

    def command(self):
        is_alone = not any(node.process and node.process.poll() is None for node in self.peers)
        here = f'tcp://127.0.0.1:{self.increments}'
        options = (
            f'gmcast.listen_addr=tcp://127.0.0.1:{self.group}',
            f'ist.recv_addr={here}',
            f'ist.recv_bind={here}',
        )
        addresses = ','.join(f'127.0.0.1:{node.group}' for node in self.peers)
        return [
            *super().command(),
            *(['--wsrep-new-cluster'] if is_alone else []),
            '--wsrep-on=ON',
            f'--wsrep-provider={self.LIBRARY}',
            f'--wsrep-cluster-address=gcomm://{addresses}',
            f'--wsrep-node-address=127.0.0.1:{self.group}',
            f'--wsrep-sst-receive-address=127.0.0.1:{self.copies}',
            '--wsrep-sst-method=rsync',
            '--wsrep-slave-threads=4',
            f'--wsrep-provider-options={";".join(options)}',
            '--binlog-format=ROW',
            '--innodb-autoinc-lock-mode=2',
        ]

    def set(self, name, value):
        """Set a global variable, also of a node without quorum. Return whether it took it."""
        with pymysql.connect(host='127.0.0.1', port=self.port, user='root', autocommit=True) as own:
            try:
                own.cursor().execute(f'SET GLOBAL {name} = %s', [value])
            except pymysql.MySQLError:
                return False
        return True

    def isolate(self):
        """Cut the node off from the others; clients still reach it."""
        assert self.set('wsrep_provider_options', 'gmcast.isolate=1')

    def rejoin(self):
        assert self.set('wsrep_provider_options', 'gmcast.isolate=0')


class PostgreSQL(Database):
    user = 'nobody'
    stop_signal = signal.SIGINT  # SIGTERM waits for clients

    @property
    def url(self):
        return f'postgresql://postgres@127.0.0.1:{self.port}/postgres'

    def prepare(self):
        self.program = find('postgres')
        self.run(
            find('initdb'),
            '-D',
            f'{self.folder}/data',
            '-U',
            'postgres',
            '-A',
            'trust',
            '-E',
            'UTF8',
            '--no-sync',
        )

    def command(self):
        return [
            self.program,
            '-D',
            f'{self.folder}/data',
            '-p',
            str(self.port),
            '-k',
            str(self.folder),
            '-h',
            '127.0.0.1',
        ]


class RabbitMQ(Server):
    user = 'nobody'

    @property
    def url(self):
        return f'rabbit://guest:guest@127.0.0.1:{self.port}/'

    def prepare(self):
        self.program = find('rabbitmq-server')
        self.distribution_port = ports.reserve()
        (self.folder / 'plugins').write_text('[].\n')

    def command(self):
        return [self.program]

    def environ(self):
        return super().environ() | {
            'RABBITMQ_NODENAME': f'heat_lite_test_{self.port}@localhost',
            'RABBITMQ_NODE_IP_ADDRESS': '127.0.0.1',
            'RABBITMQ_NODE_PORT': str(self.port),
            'RABBITMQ_DIST_PORT': str(self.distribution_port),
            'RABBITMQ_MNESIA_BASE': f'{self.folder}/mnesia',
            'RABBITMQ_LOG_BASE': f'{self.folder}/logs',
            'RABBITMQ_ENABLED_PLUGINS_FILE': f'{self.folder}/plugins',
            'RABBITMQ_CONF_ENV_FILE': f'{self.folder}/none',
            'RABBITMQ_CONFIG_FILE': f'{self.folder}/none',
        }

    def answers(self):
        """Require bytes on the connection: RabbitMQ accepts connections before it is ready."""
        with socket.create_connection(('127.0.0.1', self.port), timeout=2) as connection:
            connection.settimeout(2)
            connection.sendall(b'AMQP\x00\x00\x09\x01')
            assert connection.recv(1), 'the server closed the connection'


@contextlib.contextmanager
def galera(count=3):
    """Run a cluster of new nodes of MariaDB; delete them and their data at the end."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix='heat_lite_test_'))
    folder.chmod(0o755)
    nodes: list[GaleraNode] = []
    try:
        for number in range(count):
            (folder / str(number)).mkdir()
            GaleraNode(folder / str(number), nodes)
        for node in nodes:
            node.start()
        yield nodes
    finally:
        for node in nodes:
            if node.process is not None:
                node.kill()
        shutil.rmtree(folder, ignore_errors=True)


KINDS = {'mysql': MariaDB, 'postgresql': PostgreSQL, 'rabbitmq': RabbitMQ}


@contextlib.contextmanager
def running(kind):
    """Run a new server; delete it and its data at the end of the block."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix='heat_lite_test_'))
    try:
        server = KINDS[kind](folder)
        try:
            server.start()
            yield server
        finally:
            if server.process is not None:
                server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
