"""May this context do that? oslo.policy with our rules, loaded once a process."""

import fnmatch
import logging

from oslo_policy import policy

from heat_lite import policies
from heat_lite.common import exception

LOG = logging.getLogger(__name__)

RESOURCE_TYPES = 'resource_types'


class Enforcer:
    """Answers by the rules of ``policies`` and what the operator's policy file says instead."""

    def __init__(self, conf):
        self._enforcer = policy.Enforcer(conf)
        self._enforcer.suppress_default_change_warnings = True
        self._enforcer.register_defaults(policies.list_rules())
        self._patterns = [f'{RESOURCE_TYPES}:{name}' for name in policies.ADMIN_TYPES if '*' in name]

    def allows(self, context, rule, target=None):
        """Whether ``rule`` lets the context act on ``target`` (its own project unless told otherwise)."""
        target = target or {'project_id': context.project_id, 'user_id': context.user_id}
        try:
            return bool(self._enforcer.enforce(rule, target, context))
        except policy.InvalidScope:
            LOG.info('%s needs another scope than that of user %s', rule, context.user_id)
            return False

    def enforce(self, context, rule, target=None):
        """Raise Forbidden where ``allows`` says no."""
        if not self.allows(context, rule, target):
            raise exception.Forbidden(action=rule)

    def is_admin(self, context):
        """Whether the context is one of the cloud's administrator."""
        # a token of the system is none of a project, so it may do nothing here
        return not context.system_scope and self.allows(context, 'context_is_admin')

    def allows_type(self, context, resource_type):
        """Whether the context may use a resource type in a template; types without a rule are free to all."""
        rules = self._enforcer.registered_rules.keys() | self._enforcer.file_rules.keys()
        rule = f'{RESOURCE_TYPES}:{resource_type}'
        chosen = rule if rule in rules else next((name for name in self._patterns if fnmatch.fnmatchcase(rule, name)), None)
        return chosen is None or self.allows(context, chosen)
