"""Metrics in Prometheus' format: counters, histograms and gauges of this process.

Nothing is counted before ``enable``, and prometheus_client is not loaded. Each worker of a program
keeps its values in files of one folder (the library's multiprocess mode), named after its number: a
worker that replaces another one goes on from its counters. Labels never name a stack, a project or
a user; the number of label sets of a metric is limited, those beyond count as ``other``.
"""

import contextlib
import importlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LOG = logging.getLogger(__name__)

#: label sets of a metric
MAX_SERIES = 400
OTHER = 'other'
#: how the library joins the values of workers: their sum, or the newest of them
SUM, NEWEST = 'livesum', 'livemostrecent'
#: upper bounds in seconds
FAST = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
SLOW = (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3600)
SETS = (1, 2, 5, 10, 20, 50, 100)


class _State:
    """The library, once it is loaded, and what adds values at each look."""

    library: Any = None
    folder: Path | None = None
    number = 0
    samplers: list[Callable[[], Any]] = []


class Metric:
    """One metric; without ``enable`` its methods do nothing."""

    kind = ''

    def __init__(self, name: str, text: str, labels: tuple[str, ...] = (), **options: Any) -> None:
        self.name = f'heat_lite_{name}'
        self.text = text
        self.labels = labels
        self._options = options
        self._real: Any = None
        self._children: dict[tuple[str, ...], Any] = {}
        self._lock = threading.Lock()
        METRICS.append(self)

    def open(self, library: Any) -> None:
        """Count from now on."""
        self._children.clear()
        registry = library.CollectorRegistry()
        self._real = getattr(library, self.kind)(
            self.name, self.text, self.labels, registry=registry, **self._options
        )

    def close(self) -> None:
        """Count no more."""
        self._real = None

    def _child(self, labels: tuple[str, ...]) -> Any:
        child = self._children.get(labels)
        if child is None:
            with self._lock:
                if len(self._children) >= MAX_SERIES:
                    labels = (OTHER,) * len(labels)
                child = self._real.labels(*labels) if labels else self._real
                self._children[labels] = child
        return child


class Counter(Metric):
    """A number that only grows."""

    kind = 'Counter'

    def add(self, *labels: str, amount: float = 1) -> None:
        if self._real is not None:
            self._child(labels).inc(amount)


class Histogram(Metric):
    """How many values there were, of what size."""

    kind = 'Histogram'

    def add(self, value: float, *labels: str) -> None:
        if self._real is not None:
            self._child(labels).observe(value)

    @contextlib.contextmanager
    def time(self, *labels: str) -> Iterator[None]:
        """Add the seconds of the block."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.add(time.monotonic() - began, *labels)


class Gauge(Metric):
    """A number that goes up and down."""

    kind = 'Gauge'

    def set(self, value: float, *labels: str) -> None:
        if self._real is not None:
            self._child(labels).set(value)

    def set_all(self, values: dict[tuple[str, ...], float]) -> None:
        """Set these values, and 0 where there was a value before."""
        for labels in {*self._children, *values}:
            self.set(values.get(labels, 0), *labels)


METRICS: list[Metric] = []

BUILD = Gauge('build_info', 'Version of the program.', ('version',), multiprocess_mode=NEWEST)
REQUESTS = Histogram(
    'http_request_seconds',
    'Seconds of a request to the API until its response began.',
    ('action', 'status'),
    buckets=FAST,
)
LIMITS = Counter('limits_hit', 'Requests that a limit has refused, by the error.', ('error',))
EVENT_STREAMS = Gauge('event_streams', 'Open streams of events.', multiprocess_mode=SUM)
RPC_CLIENT = Histogram(
    'rpc_client_seconds',
    'Seconds of a call to an engine.',
    ('topic', 'method', 'outcome'),
    buckets=FAST,
)
RPC_SERVER = Histogram(
    'rpc_server_seconds',
    'Seconds of the work of an engine on a call.',
    ('method', 'outcome'),
    buckets=FAST,
)
STACKS = Gauge('stacks', 'Stacks by state.', ('action', 'status'), multiprocess_mode=NEWEST)
OLDEST = Gauge(
    'stack_oldest_in_progress_seconds',
    'Age of the oldest action that is in progress.',
    multiprocess_mode=NEWEST,
)
STACK_ACTIONS = Histogram(
    'stack_action_seconds',
    'Seconds of an action on a stack, by its outcome.',
    ('action', 'outcome'),
    buckets=SLOW,
)
RESOURCE_ACTIONS = Histogram(
    'resource_action_seconds',
    'Seconds of an action on a resource, by its outcome.',
    ('action', 'outcome'),
    buckets=SLOW,
)
RESOURCE_CREATES = Histogram(
    'resource_create_seconds',
    'Seconds of the creation of a resource, by its type.',
    ('type',),
    buckets=(1, 10, 60, 600),
)
RESOURCE_FAILURES = Counter('resource_failures', 'Failed actions on resources.', ('type', 'action'))
RESOURCE_RETRIES = Counter('resource_retries', 'Repeated creations of a resource.', ('type',))
TASKS = Gauge(
    'tasks',
    'Tasks of the engine by state: ready, running, sleeping.',
    ('state',),
    multiprocess_mode=SUM,
)
TURNS = Histogram(
    'scheduler_turn_seconds', 'Seconds that a task computes or calls at a time.', buckets=FAST
)
TRANSACTIONS = Histogram(
    'db_transaction_seconds', 'Seconds of a transaction.', ('kind',), buckets=FAST
)
DB_WAITS = Histogram(
    'db_wait_seconds',
    'Seconds that a transaction waits for a connection and for the lock of writers.',
    ('kind',),
    buckets=FAST,
)
STATEMENTS = Counter('db_statements', 'SQL statements by verb.', ('verb',))
DB_RETRIES = Counter('db_retries', 'Repeated transactions by reason.', ('reason',))
JOURNAL = Histogram(
    'journal_transaction_sets', 'Sets of changes that share a transaction.', buckets=SETS
)
LOCK_CONFLICTS = Counter('stack_lock_conflicts', 'Stack locks that another engine held.')
CLOUD = Histogram(
    'cloud_request_seconds',
    'Seconds of a request to a service of the cloud.',
    ('service', 'method', 'status'),
    buckets=FAST,
)
CLOUD_WAITS = Counter(
    'cloud_waits', 'Waits for a service that is overloaded or away.', ('service',)
)
TAKE_OVERS = Counter('take_overs', 'Actions that this engine has resumed.')
HEARTBEATS = Counter('heartbeats', 'Heartbeats of the engine by outcome.', ('outcome',))
LAST_HEARTBEAT = Gauge(
    'last_heartbeat_timestamp_seconds',
    'Time of the last heartbeat of the program that was stored.',
    multiprocess_mode='livemin',
)
TRUSTS = Counter('trusts', 'Trusts created and deleted in Keystone.', ('operation',))


def enable(folder: Path, number: int) -> None:
    """Count from now on, as worker ``number`` of the program with this folder."""
    for old in folder.glob(f'gauge_live*_{number}.db'):
        old.unlink()  # the state of the worker that this one replaces
    # read by the library while it is loaded
    os.environ['PROMETHEUS_MULTIPROC_DIR'] = str(folder)
    library = importlib.import_module('prometheus_client')
    values: Any = importlib.import_module('prometheus_client.values')
    values.ValueClass = values.MultiProcessValue(lambda: number)
    _State.library, _State.folder, _State.number = library, folder, number
    for metric in METRICS:
        metric.open(library)


def disable() -> None:
    """Count no more."""
    _State.folder = None
    _State.samplers.clear()
    for metric in METRICS:
        metric.close()
    os.environ.pop('PROMETHEUS_MULTIPROC_DIR', None)


def enabled() -> bool:
    return _State.folder is not None


def is_first_worker() -> bool:
    """Return whether this worker counts what is the same for all workers of the program."""
    return _State.number == 0


def add_sampler(sampler: Callable[[], Any]) -> None:
    """Call ``sampler``, which sets gauges, at each ``sample``."""
    if sampler not in _State.samplers:
        _State.samplers.append(sampler)


def sample() -> None:
    """Set the gauges whose values are looked up at intervals."""
    if not enabled():
        return
    for sampler in list(_State.samplers):
        try:
            sampler()
        except Exception as error:  # e.g. the database may be away; a health check says so
            LOG.debug('A sample of the metrics failed: %s', error)


def page() -> tuple[str, bytes]:
    """Return the content type and the text of the metrics of all workers."""
    library = _State.library
    registry = library.CollectorRegistry()
    importlib.import_module('prometheus_client.multiprocess').MultiProcessCollector(
        registry, str(_State.folder)
    )
    return library.CONTENT_TYPE_LATEST, library.generate_latest(registry)
