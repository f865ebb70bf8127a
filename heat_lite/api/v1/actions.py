"""Actions on a stack: POST .../actions with a body of one key, the name of the action."""

from collections.abc import Callable

from webob import exc

from heat_lite.api import wsgi
from heat_lite.common.value_types import Value, Values
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc.client import EngineClient

GENERAL = 'actions:action'


class ActionController:
    """Actions, each with a policy rule of its own."""

    def __init__(self, client: EngineClient, policy: Enforcer) -> None:
        self.policy = policy
        self.actions: dict[str, tuple[Callable[..., object], Values]] = {
            'suspend': (client.stack_suspend, {}),
            'resume': (client.stack_resume, {}),
            'check': (client.stack_check, {}),
            'retry': (client.stack_retry, {}),
            'protect': (client.stack_protect, {'protected': True}),
            'unprotect': (client.stack_protect, {'protected': False}),
            'cancel_update': (client.stack_cancel_update, {'cancel_with_rollback': True}),
            'cancel_without_rollback': (
                client.stack_cancel_update,
                {'cancel_with_rollback': False},
            ),
        }

    def action(self, request: wsgi.Request, identity: Values, body: Value = None) -> None:
        """Start the action that the body names."""
        name = _action_name(body or {})
        if name not in self.actions:
            raise exc.HTTPBadRequest(f'Invalid action {name} specified')
        self.policy.enforce(request.context, self._rule(name))
        method, options = self.actions[name]
        method(request.context, stack_identity=identity, **options)

    def _rule(self, name: str) -> str:
        """Return the rule of an action.

        A policy file that sets only the general rule, ``actions:action``, sets it for all actions.
        """
        rule = f'actions:{name}'
        return rule if self.policy.is_set(rule) or not self.policy.is_set(GENERAL) else GENERAL


def _action_name(body: Values) -> str:
    if not body:
        raise exc.HTTPBadRequest('No action specified')
    if len(body) > 1:
        raise exc.HTTPBadRequest('Multiple actions specified')
    return next(iter(body))
