"""Actions on a stack: POST .../actions with the name of exactly one."""

from webob import exc

from heat_lite.api.v1 import params


class ActionController:
    """Each action has a rule of its own."""

    scope = 'actions'

    def __init__(self, client, policy):
        self.policy = policy
        self.actions = {
            'suspend': (client.stack_suspend, {}),
            'resume': (client.stack_resume, {}),
            'check': (client.stack_check, {}),
            'retry': (client.stack_retry, {}),
            'protect': (client.stack_protect, {'protected': True}),
            'unprotect': (client.stack_protect, {'protected': False}),
            'cancel_update': (client.stack_cancel_update, {'cancel_with_rollback': True}),
            'cancel_without_rollback': (client.stack_cancel_update, {'cancel_with_rollback': False}),
        }

    def action(self, request, body=None, **where):
        """Begin the action that is the one key of the body."""
        name = _only(body or {})
        if name not in self.actions:
            raise exc.HTTPBadRequest(f'Invalid action {name} specified')
        self.policy.enforce(request.context, f'actions:{name}')
        method, options = self.actions[name]
        method(request.context, stack_identity=params.identity_of(**where), **options)


def _only(body):
    if not body:
        raise exc.HTTPBadRequest('No action specified')
    if len(body) > 1:
        raise exc.HTTPBadRequest('Multiple actions specified')
    return next(iter(body))
