"""What all stacks of one engine share: the types, the task pool, the limits, the parsed templates."""

import dataclasses
from collections.abc import Callable
from typing import Any

from heat_lite.db import templates as db_templates
from heat_lite.engine import recent
from heat_lite.engine.addresses import Addresses
from heat_lite.engine.bells import Bells
from heat_lite.engine.guests import Guests
from heat_lite.engine.meaning import Meanings
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template


@dataclasses.dataclass(frozen=True)
class Limits:
    """Values of options, read once at the edge. Times are in seconds."""

    max_resources_per_stack: int = 1000
    max_nested_stack_depth: int = 5
    max_stacks_per_tenant: int = 512
    max_stacks_at_work: int = 0
    max_stacks_at_work_per_tenant: int = 0
    nested_stacks_at_work: int = 100
    max_events_per_stack: int = 1000
    event_purge_batch_size: int = 200
    stack_action_timeout: int = 3600
    error_wait_time: int = 240
    delete_conflict_wait: int = 300
    action_retry_limit: int = 5
    client_retry_limit: int = 2
    max_snapshots_per_stack: int = 32
    max_software_configs_per_tenant: int = 4096
    max_software_deployments_per_tenant: int = 4096
    enable_stack_adopt: bool = False
    enable_stack_abandon: bool = False
    max_parallel_handlers: int = 16
    hidden_stack_tags: tuple[str, ...] = ()
    observe_on_update: bool = False
    trust_after: float = 5.0


class TemplateCache:
    """Parsed templates by the id of their row: the row never changes, so neither does what was parsed from it."""

    def __init__(self, most=256, kilobytes=64 * 1024):
        self._recent = recent.Recent(most, kilobytes, recent.weight_of)

    def get(self, context, template_id) -> Template:
        template = self._recent.get(template_id)
        if template is not None:
            return template
        row = db_templates.get(context, template_id)
        return self.keep(template_id, Template(row.template, row.files, Environment(row.environment)))

    def keep(self, template_id, template):
        """Remember what has just been stored, so that it is not read back."""
        return self._recent.keep(template_id, template)


@dataclasses.dataclass
class Runtime:
    """``clients(context)`` gives the facade to the cloud, ``engine_rpc`` is the client for engines (nested stacks), ``listener`` the one
    for a certain engine. ``running`` knows the stacks that this engine works on,
    ``children(resource)`` gives the stack inside a resource, ``places`` says which engine works on it, ``users(stack)`` its users in
    Keystone (None: there is no Keystone), ``software(context)`` the software configurations and deployments that a context sees."""

    registry: Any
    pool: Any
    limits: Limits
    engine_id: str
    clients: Callable[[Any], Any]
    running: Any = None
    engine_rpc: Any = None
    listener: Any = None
    plugins: Any = None
    notifier: Any = None
    #: where events are told besides the database; None: nowhere
    sinks: Any = None
    children: Any = None
    places: Any = None
    users: Any = None
    #: keeps what users leave for later (see ``clients.trusts``); None where nothing is kept
    trusts: Any = None
    software: Any = None
    #: ``allows_type(context, type name)``: whether the policy lets whoever asks use a type
    allows_type: Callable[[Any, str], bool] = lambda context, name: True
    addresses: Addresses = dataclasses.field(default_factory=Addresses)
    guests: Guests = dataclasses.field(default_factory=Guests)
    bells: Bells = dataclasses.field(default_factory=Bells)
    revision: str = 'unknown'
    #: what goes into fingerprints that users see, so that nobody can guess what they were made of
    secret: bytes = b''
    templates: TemplateCache = dataclasses.field(default_factory=TemplateCache)
    meanings: Meanings = dataclasses.field(default_factory=Meanings)
