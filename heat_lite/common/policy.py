"""May this context do that? oslo.policy with our rules, loaded once a process."""

import fnmatch
import logging
import time

from oslo_policy import policy

from heat_lite import policies
from heat_lite.common import exception

LOG = logging.getLogger(__name__)

RESOURCE_TYPES = 'resource_types'

# seconds for which an answer holds: a client asks the same many times, and a file of policies changes a few times a year
REMEMBERED = 1.0
MOST_REMEMBERED = 1000
# all of a context that rules can see
SEEN = (
    'user_id project_id domain_id system_scope user_domain_id project_domain_id is_admin is_admin_project '
    'service_user_id service_user_domain_id service_project_id service_project_domain_id'
).split()


class Enforcer:
    """Answers by the rules of ``policies`` and what the operator's policy file says instead; each answer holds for a second."""

    def __init__(self, conf):
        self._enforcer = policy.Enforcer(conf)
        self._enforcer.suppress_default_change_warnings = True
        self._enforcer.register_defaults(policies.list_rules())
        self._answers = {}
        self._patterns = [f'{RESOURCE_TYPES}:{name}' for name in policies.ADMIN_TYPES if '*' in name]

    def allows(self, context, rule, target=None):
        """Whether ``rule`` lets the context act on ``target`` (its own project unless told otherwise)."""
        if target:
            return self._ask(context, rule, target)
        key, now = (rule, *_seen(context)), time.monotonic()
        answer, until = self._answers.get(key, (None, 0))
        if until <= now:
            if len(self._answers) >= MOST_REMEMBERED:
                self._answers = {}
            answer = self._ask(context, rule, {'project_id': context.project_id, 'user_id': context.user_id})
            self._answers[key] = answer, now + REMEMBERED
        return answer

    def _ask(self, context, rule, target):
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


def _seen(context):
    return (*(getattr(context, name) for name in SEEN), tuple(context.roles or ()), tuple(context.service_roles or ()))
