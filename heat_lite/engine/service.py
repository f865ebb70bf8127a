"""The engine service: it assembles the runtime, the RPC servers and the periodic tasks of one
engine.

Tests: tests/functional/test_processes.py.
"""

import dataclasses
import functools
import logging
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence

from oslo_config import cfg

from heat_lite.clients import clients, docker_plugin, keystone, trusts
from heat_lite.clients.cloud_login import Clouds
from heat_lite.common import exception, health_checks, installation, long_work, urlfetch
from heat_lite.common.value_types import Values
from heat_lite.db import (
    connections,
    group_commit,
    locks as db_locks,
    services as db_services,
    session as db_session,
)
from heat_lite.db.maintenance import purge as db_purge
from heat_lite.engine import deferred_auth, notification, runtime, task_pool
from heat_lite.engine.cluster import heartbeat, membership, placement, takeover, watch_timer
from heat_lite.engine.endpoints import (
    adoption,
    base,
    drift,
    event_stream,
    events,
    listener,
    resources,
    services,
    snapshots,
    software as software_endpoints,
    stack_moves,
    stack_queries,
    stacks,
    templates,
    text_queries,
    watch_rules as watch_rule_endpoints,
    worker,
)
from heat_lite.engine.event_announcer import EventAnnouncer
from heat_lite.engine.execution import nested_stacks, task_manager, work_report, workers
from heat_lite.engine.registry import Registry
from heat_lite.engine.signals import signal_tasks
from heat_lite.engine.software import software
from heat_lite.engine.stack import lifecycle_plugins, stack_users
from heat_lite.engine.watch import watch_rules
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc import (
    api as rpc_api,
    event_stream as event_messages,
    listener as rpc_listener,
    messaging,
)
from heat_lite.template.functions import budget

LOG = logging.getLogger(__name__)
# what is unfinished of them when an engine stops has so long to be sent
NOTIFICATION_SECONDS = 2
# a database that is away delays the end of an engine for so long
DATABASE_SECONDS = 5
# seconds between two decisions whether the engine takes requests
INTAKE_SECONDS = 1
# seconds between two purges of deleted stacks
PURGE_SECONDS = 3600
ENDPOINTS = (
    stacks.Stacks,
    stack_queries.StackQueries,
    resources.Resources,
    templates.Templates,
    text_queries.TextQueries,
    events.Events,
    event_stream.EventStream,
    drift.Drift,
    services.Services,
    snapshots.Snapshots,
    adoption.Adoption,
    stack_moves.StackMoves,
    worker.Migration,
    software_endpoints.SoftwareConfigs,
    software_endpoints.SoftwareDeployments,
    watch_rule_endpoints.WatchRules,
)


@dataclasses.dataclass
class PeriodicTask:
    """Calls ``work`` at intervals in a thread of its own, first after ``delay`` seconds.

    Each interval varies by a fifth, so that engines started together do not work in step.
    """

    name: str
    interval: float
    work: Callable[[], object]
    delay: float = 0

    def __post_init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Begin no further call."""
        self._stopping.set()

    def wait(self, seconds: float) -> None:
        """Wait for the end of a running call, at most ``seconds``."""
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _run(self) -> None:
        self._stopping.wait(self.delay)
        while not self._stopping.is_set():
            try:
                self.work()
            except Exception:  # the database may be unreachable; the next interval retries
                LOG.exception(
                    'Periodic task %s failed: it is retried at the next interval', self.name
                )
            self._stopping.wait(self.interval * random.uniform(0.8, 1.2))


class EngineService:
    """One engine in one process."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        registry: Registry,
        engine_id: str | None = None,
        clouds: Clouds | None = None,
        absent_clouds: Iterable[str] = (),
    ) -> None:
        self._conf = conf
        self._clouds = clouds
        self.engine_id = engine_id or str(uuid.uuid4())
        self.runtime = self._build_runtime(registry)
        self.runtime.absent_clouds = frozenset(absent_clouds)
        self._servers: list[messaging.Server] = []
        self._heartbeat: heartbeat.Heartbeat | None = None
        self._timers: list[PeriodicTask] = []
        #: what the engine cannot work without
        self.probes = {
            'database': db_session.probe,
            'broker': messaging.probe,
            'heartbeat': self._probe,
        }
        self.health = health_checks.Health(self.probes)

    def _probe(self) -> None:
        """Raise an error if other engines may take this one for dead."""
        if self._heartbeat is not None and not self._heartbeat.is_fresh():
            raise exception.Error('the last heartbeat is too old: no stack is worked on')

    def _build_runtime(self, registry: Registry) -> runtime.Runtime:
        urlfetch.configure(self._conf)
        runtime.set_template_limits(self._conf)
        pool = task_pool.TaskPool(
            self._conf.heat_lite.task_threads, prepare=db_session.retry_forever
        )
        result = runtime.Runtime(
            registry=registry,
            pool=pool,
            limits=runtime.EngineLimits(self._conf),
            engine_id=self.engine_id,
            clients=clients.ClientFactory(
                self._conf,
                docker_plugin.BUILT_IN | registry.client_plugins,
                self._clouds.logins if self._clouds else None,
            ),
            clouds=self._clouds,
            endpoints=runtime.service_endpoints(self._conf, self._clouds),
            server_defaults=runtime.server_defaults(self._conf),
            announcer=EventAnnouncer(event_messages.announce),
            listener=rpc_listener,
            lifecycle_plugins=lifecycle_plugins.LifecyclePlugins.from_entry_points(),
            event_sinks=notification.Sinks(registry.event_sinks),
            cloud_backend=registry.cloud_backend,
            allows_type=Enforcer(self._conf).allows_type,
            revision=installation.build_name(self._conf.revision.heat_revision),
            secret=self._conf.auth_encryption_key.encode(),
        )
        timeout = db_services.heartbeat_lifetime(heartbeat.interval(self._conf))
        self._membership = membership.EngineMembership(rpc_listener, messaging.is_local(), timeout)
        self._add_tasks(result)
        # the login of a cloud outlives its tokens, so no trusts are needed
        result.trusts = None if self._clouds else trusts.create_trust_store(self._conf)
        domain = self._clouds.domain if self._clouds else keystone.stack_domain(self._conf)
        if domain is not None:
            result.stack_users = functools.partial(stack_users.StackUsers, domain, self._conf)
        return result

    def _add_tasks(self, result: runtime.Runtime) -> None:
        """Add what works on stacks, here and in other engines."""
        result.placement = placement.Placement(result, self._membership)
        result.task_manager = task_manager.ThreadGroupManager(
            result.pool, self.engine_id, self._membership, result.placement.notify_parent
        )
        result.workers = workers.Workers(result)
        result.signal_tasks = signal_tasks.SignalTasks()
        result.nested_stack = functools.partial(nested_stacks.NestedStack, result)
        result.software = functools.partial(software.Software, result)
        result.watch_rules = watch_rules.WatchRules(result)

    def record_end(self, engine_id: str, by_itself: bool) -> None:
        """Store how the engine before this one has ended, for those that take over from it."""
        try:
            db_locks.record_engine_end(engine_id, by_itself)
        except Exception as error:
            text = 'How engine %s has ended could not be stored: it counts as unknown: %s'
            LOG.error(text, engine_id, connections.describe_failure(error))

    def start(self) -> None:
        """Register the engine and serve RPC."""
        self._heartbeat = heartbeat.Heartbeat(self._conf, self.engine_id, self.runtime.task_manager)
        self._heartbeat.start()
        self._membership.in_touch = self._heartbeat.seconds_in_touch
        self.runtime.pool.may_step = self._heartbeat.is_fresh
        long_work.limit_steps(db_session.dialect() == 'sqlite')
        group_commit.set_runnable_count(self.runtime.pool.runnable_count)
        publisher = self._conf.default_publisher_id or f'{notification.PUBLISHER}.{self._conf.host}'
        notifier = messaging.notifier(publisher)
        if notifier is not None:
            level = self._conf.default_notification_level
            self.runtime.notifier = notification.Notifications(notifier, level)
        endpoints: list[base.Endpoint] = [endpoint(self.runtime) for endpoint in ENDPOINTS]
        self.runtime.local_calls = base.LocalCalls(endpoints)
        topics: dict[str, Sequence] = {
            rpc_api.ENGINE_TOPIC: endpoints,
            rpc_api.PEER_TOPIC: endpoints,
            rpc_api.WORKER_TOPIC: [worker.Worker(self.runtime)],
            rpc_api.LISTENER_TOPIC: [listener.Listener(self.runtime)],
        }
        limit = self._conf.heat_lite.max_reply_size
        # a client that has given up must not keep a thread
        around = functools.partial(budget.fresh, seconds=self._conf.rpc_response_timeout)
        servers = {
            topic: messaging.serve(topic, self.engine_id, served, around=around, max_reply=limit)
            for topic, served in topics.items()
        }
        self._servers = list(servers.values())
        shared = [servers[topic] for topic in (rpc_api.ENGINE_TOPIC, rpc_api.PEER_TOPIC)]
        intake = heartbeat.RequestIntake(self._heartbeat, self._membership.answers, shared)
        self._timers = [
            *self._build_timers(self._heartbeat),
            PeriodicTask('intake', INTAKE_SECONDS, intake.check, INTAKE_SECONDS),
        ]
        for server in self._servers:
            server.start()
        for timer in self._timers:
            timer.start()
        LOG.info('Engine %s is ready', self.engine_id)

    def _build_timers(self, beat: heartbeat.Heartbeat) -> list[PeriodicTask]:
        options = self._conf.heat_lite
        watch_task = watch_timer.WatchTask(self.runtime, self._membership, beat)
        takeover_task = takeover.TakeoverTask(self.runtime, self._membership)
        timers = [
            PeriodicTask('take-over', options.take_over_interval, takeover_task.run_once),
            PeriodicTask('alarms', options.alarm_interval, watch_task.run_once),
            PeriodicTask(
                'departures', options.take_over_interval, self.runtime.placement.check_departures
            ),
        ]
        if options.deleted_retention_days:
            purge = functools.partial(
                db_purge.purge_deleted,
                options.deleted_retention_days,
            )
            timers.append(
                PeriodicTask(
                    'purge', PURGE_SECONDS, purge, random.uniform(0.1, 0.5) * PURGE_SECONDS
                )
            )
        return timers

    def stop(self, grace: float = 0) -> None:
        """Serve no new requests and deregister the engine.

        Running steps get ``grace`` seconds to end, requests at most half of it. Other engines
        resume the actions in progress and handle the signals that wait.
        """
        end = time.monotonic() + grace
        db_session.end_retries(DATABASE_SECONDS)
        for timer in self._timers:
            timer.stop()
        seconds = min(self._conf.heat_lite.request_shutdown_timeout, grace / 2)
        requests_end = time.monotonic() + seconds
        if not messaging.stop_servers(self._servers, seconds):
            LOG.warning(
                'Requests to engine %s still run after %g seconds: they end without a reply',
                self.engine_id,
                seconds,
            )
        for timer in self._timers:
            timer.wait(max(requests_end - time.monotonic(), 0))
        unfinished = self.runtime.task_manager.flush(max(end - time.monotonic(), grace / 2))
        if unfinished:
            deferred_auth.store(unfinished, grace)
            LOG.info(
                'Engine %s stops with %d stacks in progress: another engine resumes them',
                self.engine_id,
                len(unfinished),
            )
        for sender in (self.runtime.notifier, self.runtime.event_sinks):
            if sender is not None:
                sender.stop(NOTIFICATION_SECONDS)
        if self._heartbeat is not None:
            self._heartbeat.stop()

    def describe_work(self) -> Values:
        """Return what the engine does now, as plain data."""
        return work_report.describe(self.runtime)

    def reset(self) -> None:
        """Reload the options that may change at run time."""
        self.runtime.limits = runtime.EngineLimits(self._conf)
