"""Assembles the engine: its doors, its RPC servers, its heartbeat; nothing else."""

import functools
import logging
import random
import uuid

from heat_lite.clients import clients, keystone, trusts
from heat_lite.common import context as request_context
from heat_lite.common import policy
from heat_lite.db import purge as db_purge
from heat_lite.db import services as db_services
from heat_lite.db import session as db_session
from heat_lite.db import together as db_together
from heat_lite.engine import (
    addresses,
    children,
    credentials,
    deferred,
    guests,
    neighbours,
    notification,
    places,
    plugins,
    pulse,
    running,
    runtime,
    sinks,
    software,
    takeover,
    threads,
    timers,
)
from heat_lite.engine.endpoints import absent, adoption, events, listener, resources, services, snapshots, stacks, templates
from heat_lite.engine.endpoints import software as software_doors
from heat_lite.rpc import api as rpc_api
from heat_lite.rpc import client as rpc_client
from heat_lite.rpc import listener as rpc_listener
from heat_lite.rpc import messaging
from heat_lite.template.functions import quotas

LOG = logging.getLogger(__name__)
# what is left of them when an engine stops has so long to be sent
NOTIFICATION_SECONDS = 2
# how often what was deleted long ago is removed
PURGE_SECONDS = 3600
ENDPOINTS = (
    stacks.Stacks,
    resources.Resources,
    templates.Templates,
    events.Events,
    services.Services,
    snapshots.Snapshots,
    adoption.Adoption,
    software_doors.SoftwareConfigs,
    software_doors.SoftwareDeployments,
)


class EngineService:
    """One engine in one process. ``start`` answers RPC; ``stop`` takes nothing new and leaves the work under way to others."""

    def __init__(self, conf, registry, engine_id=None):
        self._conf = conf
        self.engine_id = engine_id or str(uuid.uuid4())
        self.runtime = self._build_runtime(registry)
        self._servers = []
        self._heartbeat = None
        self._timers = []
        self._notifications = None

    def _build_runtime(self, registry):
        quotas.limit_yaql(self._conf.yaql.limit_iterators, self._conf.yaql.memory_quota)
        pool = threads.TaskPool(self._conf.heat_lite.task_threads, prepare=db_session.be_patient)
        result = runtime.Runtime(
            registry=registry,
            pool=pool,
            limits=_limits(self._conf),
            engine_id=self.engine_id,
            clients=clients.Cloud(self._conf, registry.client_plugins),
            addresses=addresses.of(self._conf),
            guests=guests.of(self._conf),
            engine_rpc=rpc_client.EngineClient(),
            listener=rpc_listener,
            plugins=plugins.LifecyclePlugins.from_entry_points(),
            sinks=sinks.Sinks(registry.event_sinks),
            allows_type=policy.Enforcer(self._conf).allows_type,
            revision=self._conf.revision.heat_revision,
            secret=self._conf.auth_encryption_key.encode(),
        )
        patience = db_services.is_up_for(pulse.interval(self._conf))
        self._neighbours = neighbours.Neighbours(rpc_listener, messaging.is_local(), patience)
        result.places = places.Places(result, self._neighbours)
        result.running = running.Running(pool, self.engine_id, self._neighbours, result.places.tell_end)
        result.children = functools.partial(children.Child, result)
        result.software = functools.partial(software.Software, result)
        result.trusts = trusts.keeper(self._conf)
        domain = keystone.stack_domain(self._conf)
        if domain is not None:
            result.users = functools.partial(credentials.StackUsers, domain, self._conf)
        return result

    def start(self):
        self._heartbeat = pulse.Heartbeat(self._conf, self.engine_id, self.runtime.running)
        self._heartbeat.start()
        self.runtime.pool.may_step = self._heartbeat.is_sound
        db_together.expect(self.runtime.pool.crowd)
        publisher = self._conf.default_publisher_id or f'{notification.PUBLISHER}.{self._conf.host}'
        self._notifications = notification.Notifications(messaging.notifier(publisher), self._conf.default_notification_level)
        self.runtime.notifier = self._notifications
        doors = [endpoint(self.runtime) for endpoint in ENDPOINTS]
        self._servers = [
            messaging.serve(rpc_api.ENGINE_TOPIC, self.engine_id, [*doors, absent.Absent()]),
            messaging.serve(rpc_api.LISTENER_TOPIC, self.engine_id, [listener.Listener(self.runtime)]),
        ]
        self._timers = self._build_timers()
        for server in self._servers:
            server.start()
        for timer in self._timers:
            timer.start()
        LOG.info('Engine %s is ready', self.engine_id)

    def _build_timers(self):
        ours = self._conf.heat_lite
        rounds = takeover.Rounds(self.runtime, self._neighbours)
        built = [
            timers.Timer('take-over', ours.take_over_interval, rounds.look),
            timers.Timer('neighbours', ours.take_over_interval, self.runtime.places.look_around),
        ]
        if ours.deleted_retention_days:
            purge = functools.partial(db_purge.purge_deleted, request_context.admin_context(), ours.deleted_retention_days)
            built.append(timers.Timer('purge', PURGE_SECONDS, purge, random.uniform(0.1, 0.5) * PURGE_SECONDS))
        return built

    def stop(self, grace=0):
        """Take no new requests, let what is in the midst of a step end for ``grace`` seconds, leave the rest to others, and sign off."""
        for timer in self._timers:
            timer.stop()
        messaging.stop(self._servers)
        left = self.runtime.running.hand_over(grace)
        if left:
            deferred.leave(left, grace)
            LOG.info('Engine %s leaves %d stacks in progress to others, or to the next one', self.engine_id, len(left))
        if self._notifications is not None:
            self._notifications.stop(NOTIFICATION_SECONDS)
        self.runtime.sinks.stop(NOTIFICATION_SECONDS)
        if self._heartbeat is not None:
            self._heartbeat.stop()

    def reset(self):
        """Read the options anew that may change while the engine runs."""
        self.runtime.limits = _limits(self._conf)


def _limits(conf):
    return runtime.Limits(
        max_resources_per_stack=conf.max_resources_per_stack,
        max_nested_stack_depth=conf.max_nested_stack_depth,
        max_stacks_per_tenant=conf.max_stacks_per_tenant,
        max_stacks_at_work=conf.heat_lite.max_stacks_at_work,
        max_stacks_at_work_per_tenant=conf.heat_lite.max_stacks_at_work_per_tenant,
        nested_stacks_at_work=conf.heat_lite.nested_stacks_at_work,
        max_events_per_stack=conf.max_events_per_stack,
        event_purge_batch_size=conf.event_purge_batch_size,
        stack_action_timeout=conf.stack_action_timeout,
        error_wait_time=conf.error_wait_time,
        action_retry_limit=conf.action_retry_limit,
        client_retry_limit=conf.client_retry_limit,
        max_parallel_handlers=conf.heat_lite.max_parallel_handlers,
        delete_conflict_wait=conf.heat_lite.delete_conflict_wait,
        hidden_stack_tags=tuple(conf.hidden_stack_tags),
        observe_on_update=conf.observe_on_update,
        trust_after=conf.heat_lite.trust_after,
        max_snapshots_per_stack=conf.max_snapshots_per_stack,
        max_software_configs_per_tenant=conf.max_software_configs_per_tenant,
        max_software_deployments_per_tenant=conf.max_software_deployments_per_tenant,
        enable_stack_adopt=conf.enable_stack_adopt,
        enable_stack_abandon=conf.enable_stack_abandon,
    )
