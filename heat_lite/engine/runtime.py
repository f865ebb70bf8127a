"""What all stacks of one engine share: resource types, task pool, limits and caches.

Tests: tests/functional/test_engine.py.
"""

import dataclasses
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from heat_lite import conf as options
from heat_lite.clients import cloud_login, keystone_session
from heat_lite.common import exception, lru_cache
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.db import templates as db_templates
from heat_lite.engine.event_announcer import EventAnnouncer
from heat_lite.engine.signals.wait_registry import WaitRegistry
from heat_lite.engine.stack.stack_definition import DefinitionCache
from heat_lite.template.environment import Environment
from heat_lite.template.functions import budget
from heat_lite.template.template import Template

if TYPE_CHECKING:
    from oslo_config import cfg

    from heat_lite.clients.clients import Clients
    from heat_lite.clients.trusts import TrustStore
    from heat_lite.engine.cluster.placement import Placement
    from heat_lite.engine.endpoints.base import LocalCalls
    from heat_lite.engine.execution.task_manager import ThreadGroupManager
    from heat_lite.engine.execution.workers import Workers
    from heat_lite.engine.notification import Notifications, Sinks
    from heat_lite.engine.registry import Registry
    from heat_lite.engine.resource.resource import Resource
    from heat_lite.engine.signals.signal_tasks import SignalTasks
    from heat_lite.engine.software.software import Software
    from heat_lite.engine.stack.lifecycle_plugins import LifecyclePlugins
    from heat_lite.engine.stack.nested_stack_view import NestedStackView
    from heat_lite.engine.stack.stack import Stack
    from heat_lite.engine.stack.stack_users import StackUsers
    from heat_lite.engine.task_pool import TaskPool
    from heat_lite.engine.watch.watch_rules import WatchRules


class EngineLimits:
    """Values of the options of GROUPS by name, read once. Times are in seconds.

    Without ``conf`` they have their defaults. ``given`` takes precedence.
    """

    GROUPS = ('DEFAULT', 'heat_lite', 'volumes')

    def __init__(self, conf: 'cfg.ConfigOpts | None' = None, **given: Any) -> None:
        sources = (conf, conf.heat_lite, conf.volumes) if conf else ()
        for group, source in zip(self.GROUPS, sources, strict=False):
            vars(self).update({each.dest: source[each.dest] for each in options.groups()[group]})
        vars(self).update(given)

    def __getattr__(self, name: str) -> Any:
        """Return the default of an option."""
        for group in self.GROUPS:
            for each in options.groups()[group]:
                if each.dest == name:
                    return each.default
        raise AttributeError(name)


def set_template_limits(conf: 'cfg.ConfigOpts') -> None:
    """Set the limits of templates that the options give, and the clocks they need."""
    given = conf.heat_lite
    budget.set_clocks(time.thread_time, time.monotonic)
    budget.set_limits(
        characters=given.template_characters,
        values=given.template_values,
        steps=given.template_steps,
        seconds=given.template_seconds,
        pattern_seconds=given.pattern_seconds,
        outputs=given.outputs_characters,
        yaql_iterators=conf.yaql.limit_iterators,
        yaql_memory=conf.yaql.memory_quota,
    )


class TemplateCache:
    """Parsed templates by the id of their row.

    A row never changes, so neither does its parsed form.
    """

    def __init__(self, max_entries: int = 256, kilobytes: int = 64 * 1024) -> None:
        self._cache = lru_cache.LruCache(max_entries, kilobytes, lambda template: template.weight)

    def get(self, template_id: int) -> Template:
        template = self._cache.get(template_id)
        if template is not None:
            return template
        row = db_templates.get(template_id)
        return self.put(
            template_id, Template(row.template, row.files, Environment(row.environment), row.text)
        )

    def forget(self, template_id: int) -> None:
        self._cache.pop(template_id)

    def put(self, template_id: int, template: Template) -> Template:
        """Cache a template that has just been stored."""
        return self._cache.put(template_id, template)

    def store(self, template: Template) -> int:
        """Store a template with its environment and files. Return the id of its row."""
        template_id = db_templates.store(*template.content())
        self.put(template_id, template)
        return template_id


USUAL_DEFAULTS = {
    'software_config_transport': 'POLL_SERVER_CFN',
    'user_data_format': 'HEAT_CFNTOOLS',
}


@dataclasses.dataclass(frozen=True)
class ServerDefaults:
    """Options for the servers that stacks create.

    ``defaults``: defaults of properties that differ from the usual ones. ``scheduler_hints``:
    whether servers carry the ids of their stack as scheduler hints. ``cfn_https``: whether the
    agent in a server uses HTTPS for the CFN API, and whether it checks certificates.
    ``signal_transport``: how a server reports the result of a deployment.
    """

    defaults: dict = dataclasses.field(default_factory=dict)
    scheduler_hints: bool = False
    name_length: int = 53
    cfn_https: tuple = ('0', '1')
    signal_transport: str = 'CFN_SIGNAL'


def server_defaults(conf: 'cfg.ConfigOpts') -> ServerDefaults:
    configured = {
        'software_config_transport': conf.default_software_config_transport,
        'user_data_format': conf.default_user_data_format,
    }
    return ServerDefaults(
        defaults={
            name: value for name, value in configured.items() if value != USUAL_DEFAULTS[name]
        },
        scheduler_hints=conf.stack_scheduler_hints,
        name_length=conf.max_server_name_length,
        signal_transport=conf.default_deployment_signal_transport,
        cfn_https=(
            conf.instance_connection_is_secure,
            conf.instance_connection_https_validate_certificates,
        ),
    )


def _metadata_server(conf: 'cfg.ConfigOpts') -> str | None:
    """Return the URL of the CFN API: the option, or else that for wait conditions without its
    path.
    """
    url = conf.heat_metadata_server_url or conf.heat_waitcondition_server_url
    return url and url.rstrip('/').removesuffix('/waitcondition').removesuffix('/v1')


@dataclasses.dataclass(frozen=True)
class ServiceEndpoints:
    """URLs of the service's own APIs, as configured.

    ``rest`` contains ``%(tenant_id)s``; None means: look it up in the catalog. ``waitcondition``
    belongs to the CFN API, ``metadata`` is its root. ``reachable``: whether servers of the cloud
    reach these URLs. ``containers``: the root for signed signals of containers, or None.
    ``keystone_interface``: the interface of the catalog whose Keystone servers use; None means
    ``auth_url``.
    """

    rest: str | None = None
    waitcondition: str | None = None
    metadata: str | None = None
    auth_url: str | None = None
    region: str | None = None
    reachable: bool = True
    containers: str | None = None
    keystone_interface: str | None = None

    def rest_url(self, project: str) -> str | None:
        """Return the URL of the REST API for a project, without a trailing slash; None if not
        configured.
        """
        return self.rest and self.rest.replace('%(tenant_id)s', project).rstrip('/')


def service_endpoints(
    conf: 'cfg.ConfigOpts', clouds: 'cloud_login.Clouds | None' = None
) -> ServiceEndpoints:
    """Return the configured URLs; with ``clouds`` those of a service that acts in them."""
    return ServiceEndpoints(
        rest=conf.clients_heat.url,
        waitcondition=conf.heat_waitcondition_server_url
        and conf.heat_waitcondition_server_url.rstrip('/'),
        metadata=_metadata_server(conf) or (clouds.url if clouds else None),
        auth_url=clouds.identity_url if clouds else keystone_session.auth_url(conf),
        region=conf.region_name_for_services,
        reachable=clouds is None or clouds.reachable,
        containers=conf.clients_docker.signal_url if clouds is None else None,
        keystone_interface=None if clouds else conf.server_keystone_endpoint_type or None,
    )


class Listener(Protocol):
    """The messages to a certain engine (``rpc.listener``)."""

    def is_alive(self, context: RequestContext, engine_id: str) -> bool: ...

    def helps(self, context: RequestContext, engine_id: str) -> bool: ...

    def send(
        self, context: RequestContext, engine_id: str, stack_identity: Values, message: str
    ) -> Any: ...

    def cast_message(
        self, context: RequestContext, engine_id: str, stack_identity: Values, message: str
    ) -> None: ...

    def stop_stack(
        self, context: RequestContext, engine_id: str, stack_identity: Values
    ) -> Any: ...


# Without a type that allows None: the service sets them before it serves a request, and a runtime
# without a service, as that of the linter, has stacks that need none of them.
UNSET: Any = None


@dataclasses.dataclass
class Runtime:
    """The services of one engine that its stacks use.

    ``clients(context)`` gives the clients of the cloud. ``local_calls`` has the RPC methods of this
    engine, ``listener`` calls a certain other one. ``task_manager`` holds the stacks that this
    engine works on. ``nested_stack(resource)`` gives the nested stack of a resource, ``placement``
    the engine that works on it. ``stack_users(stack)`` gives the users of a stack in Keystone
    (None: there is no Keystone), ``software(context)`` the software configurations and deployments
    visible to a context.
    """

    registry: 'Registry'
    pool: 'TaskPool'
    limits: EngineLimits
    engine_id: str
    clients: 'Callable[..., Clients]'
    #: the clouds that the embedded service has logins of; None: Keystone names the cloud
    clouds: 'cloud_login.Clouds | None' = None
    #: clouds whose stacks are in the database, but whose login this service does not have
    absent_clouds: frozenset[str] = frozenset()
    task_manager: 'ThreadGroupManager' = UNSET
    local_calls: 'LocalCalls' = UNSET
    listener: Listener = UNSET
    lifecycle_plugins: 'LifecyclePlugins' = UNSET
    notifier: 'Notifications | None' = None
    #: where events go besides the database; None: nowhere
    event_sinks: 'Sinks | None' = None
    #: the class that authenticates requests, called with a RequestContext; None: there is none
    cloud_backend: Callable[[RequestContext], Any] | None = None
    nested_stack: 'Callable[[Resource], NestedStackView]' = UNSET
    #: the work on stacks that other engines have locked (``execution.workers``)
    workers: 'Workers' = UNSET
    placement: 'Placement' = UNSET
    stack_users: 'Callable[[Stack], StackUsers] | None' = None
    #: makes trusts for deferred authentication (see ``clients.trusts``); None: none are made
    trusts: 'TrustStore | None' = None
    software: 'Callable[[RequestContext], Software]' = UNSET
    #: the alarms that engines evaluate (``watch_rules.WatchRules``)
    watch_rules: 'WatchRules' = UNSET
    #: ``allows_type(context, type name)``: whether the policy allows the requester a type
    allows_type: Callable[[RequestContext, str], bool] = lambda context, name: True
    endpoints: ServiceEndpoints = dataclasses.field(default_factory=ServiceEndpoints)
    server_defaults: ServerDefaults = dataclasses.field(default_factory=ServerDefaults)
    #: tells the APIs of new events, if this runtime is that of an engine
    announcer: EventAnnouncer = dataclasses.field(
        default_factory=lambda: EventAnnouncer(lambda projects: None)
    )
    waits: WaitRegistry = dataclasses.field(default_factory=WaitRegistry)
    #: the tasks that handle signals (``signals.signal_tasks.SignalTasks``)
    signal_tasks: 'SignalTasks' = UNSET
    #: held by the resource that makes its first call after a take-over (``stack.quarantine``)
    quarantine_slot: threading.Lock = dataclasses.field(default_factory=threading.Lock)
    revision: str = 'unknown'
    #: the key of fingerprints that users see, against guessing of what they cover
    secret: bytes = b''
    templates: TemplateCache = dataclasses.field(default_factory=TemplateCache)
    definitions_cache: DefinitionCache = dataclasses.field(default_factory=DefinitionCache)

    def forget_stack(self, stack_id: str) -> None:
        """Free what is cached of a deleted stack: a template of 500 resources is a megabyte.

        Until the caches are full, it would lie between objects of the next stacks, and the memory
        around those could not be returned.
        """
        for template_id in self.definitions_cache.forget(stack_id):
            self.templates.forget(template_id)

    def require_type(self, context: RequestContext, name: str) -> None:
        """Raise Forbidden for a type that the policy denies the requester."""
        if not context.is_admin and not self.allows_type(context, name):
            # as recorded: the policy of Keystone's types is a pattern, and the text their name
            prefix = '' if name.startswith('OS::Keystone::') else 'resource_types:'
            raise exception.Forbidden(action=f'{prefix}{name}')

    def project_id(self, tenant: str) -> str:
        """Return the id of a project in the cloud; the tenant may be the name of a cloud."""
        return tenant if self.clouds is None else self.clouds.project_id(tenant)
