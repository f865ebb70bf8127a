"""Policy checks: oslo.policy with the rules of heat_lite, loaded once per process."""

import fnmatch
import logging
import time
from collections.abc import Mapping

from oslo_config import cfg
from oslo_policy import policy

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.policies import rules

LOG = logging.getLogger(__name__)

RESOURCE_TYPES = 'resource_types'

# Seconds that a decision is cached: clients repeat requests, and a policy file rarely changes.
CACHE_SECONDS = 1.0
MAX_CACHED = 1000
# The attributes of a context that rules can refer to.
CONTEXT_ATTRIBUTES = (
    'user_id',
    'project_id',
    'domain_id',
    'system_scope',
    'user_domain_id',
    'project_domain_id',
    'is_admin',
    'is_admin_project',
    'service_user_id',
    'service_user_domain_id',
    'service_project_id',
    'service_project_domain_id',
)


class Enforcer:
    """Decisions by the default rules and the operator's policy file.

    Each decision is cached for CACHE_SECONDS. ``rules`` is the enforcer of the library.
    """

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self.rules = policy.Enforcer(conf)
        self.rules.suppress_default_change_warnings = True
        self.rules.register_defaults(rules.list_rules())
        self._decisions: dict[tuple, tuple[bool, float]] = {}
        self._fresh_until = 0.0
        self._patterns = [f'{RESOURCE_TYPES}:{name}' for name in rules.ADMIN_TYPES if '*' in name]

    def allows(
        self, context: RequestContext, rule: str, target: Mapping[str, object] | None = None
    ) -> bool:
        """Return whether ``rule`` allows the context to act on ``target``.

        The default target is the project and the user of the context.
        """
        if target:
            return self._decide(context, rule, target)
        key, now = (rule, *_cache_key(context)), time.monotonic()
        allowed, until = self._decisions.get(key, (False, 0.0))
        if until <= now:
            if len(self._decisions) >= MAX_CACHED:
                self._decisions = {}
            own = {'project_id': context.project_id, 'user_id': context.user_id}
            allowed = self._decide(context, rule, own)
            self._decisions[key] = allowed, now + CACHE_SECONDS
        return allowed

    def _decide(self, context: RequestContext, rule: str, target: Mapping[str, object]) -> bool:
        try:
            return bool(self.rules.enforce(rule, target, context))
        except policy.InvalidScope:
            LOG.info(
                'Policy rule %s denied: the token of user %s has another scope than the rule '
                'requires',
                rule,
                context.user_id,
            )
            return False

    def enforce(
        self, context: RequestContext, rule: str, target: Mapping[str, object] | None = None
    ) -> None:
        """Raise Forbidden unless ``rule`` allows the context to act on ``target``."""
        if not self.allows(context, rule, target):
            raise exception.Forbidden(action=rule)

    def is_set(self, rule: str) -> bool:
        """Return whether the operator's policy file sets a rule."""
        self.rules.load_rules()
        return rule in self.rules.file_rules

    def is_admin(self, context: RequestContext) -> bool:
        """Return whether the context is that of an administrator of the cloud."""
        # A system-scoped token belongs to no project, and all requests are about a project.
        return not context.system_scope and self.allows(context, 'context_is_admin')

    def allows_type(self, context: RequestContext, resource_type: str) -> bool:
        """Return whether the context may use a resource type; without a rule every user may.

        A pattern of the operator's file wins over a default for the type.
        """
        if self._fresh_until <= time.monotonic():  # a type without a rule makes no decision
            self.rules.load_rules()
            self._fresh_until = time.monotonic() + CACHE_SECONDS
        rule = f'{RESOURCE_TYPES}:{resource_type}'
        names = [rule, *(name for name in self._patterns if fnmatch.fnmatchcase(rule, name))]
        for known in (self.rules.file_rules, self.rules.registered_rules):
            found = next((name for name in names if name in known), None)
            if found is not None:
                return self.allows(context, found)
        return True


def _cache_key(context: RequestContext) -> tuple:
    return (
        *(getattr(context, name) for name in CONTEXT_ATTRIBUTES),
        tuple(context.roles or ()),
        tuple(context.service_roles or ()),
    )
