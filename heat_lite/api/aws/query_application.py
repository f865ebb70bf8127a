"""The application of an API of the query protocol: a table of actions."""

import dataclasses
from collections.abc import Callable, Mapping

import webob

from heat_lite.api import wsgi
from heat_lite.api.aws import faults, query, responses
from heat_lite.common.admission import RequestAdmission
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.policies.enforcer import Enforcer

#: an action: it takes the context and the arguments, and returns the content of its result
Run = Callable[[RequestContext, query.Arguments], Values]


NO_PROJECT = 'the login has no project, and the user no default project: X-Project-Id names it'


@dataclasses.dataclass(frozen=True)
class QueryAction:
    """An action, its policy rule, and the names of its parameters.

    ``params``: of lists without ``.member.N``. ``required``: those that a request must have.
    ``refused``: those of Amazon whose meaning the action does not have; None: all others.
    """

    run: Run
    rule: str
    params: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    refused: tuple[str, ...] | None = None

    def refuses(self, name: str) -> bool:
        """Return whether a request may not have a parameter, e.g. ``Tags.1.x`` for a list."""
        if name in self.params:
            return False
        return self.refused is None or name.partition('.')[0] in (*self.params, *self.refused)


@dataclasses.dataclass
class QueryApplication(wsgi.Responder):
    """The application; ``version``: the one value of the parameter Version."""

    actions: Mapping[str, QueryAction]
    version: str
    enforcer: Enforcer
    admission: RequestAdmission

    def answer(self, environ: wsgi.Environ) -> webob.Response:
        """Return the response to a request whose Query a filter has read and authenticated."""
        found: query.Query = environ[query.QUERY]
        context: RequestContext = environ[wsgi.CONTEXT]
        name = found.params.get('Action', '')
        action = self._action(name)
        if not context.tenant_id:
            raise faults.fault('AccessDenied', NO_PROJECT)
        context.is_admin = self.enforcer.is_admin(context)
        self.enforcer.enforce(context, action.rule)
        self._check(name, action, found)
        with self.admission.permit(context, environ):
            result = action.run(context, found.arguments)
        return responses.action_response(name, result, environ)

    def _action(self, name: str) -> QueryAction:
        if name not in self.actions:
            known = ', '.join(sorted(self.actions))
            raise faults.fault(
                'InvalidAction',
                f'{name[:100]} is none of {known}' if name else f'Action must be one of {known}',
            )
        return self.actions[name]

    def _check(self, name: str, action: QueryAction, found: query.Query) -> None:
        """Raise Fault for a parameter that is missing or that the action refuses."""
        version, arguments = found.params.get('Version', self.version), found.arguments
        if version != self.version:
            raise faults.fault(
                'InvalidParameterValue', f'Version must be {self.version}, not "{version}"'
            )
        for key in arguments:
            if action.refuses(query.base_name(key)):
                raise faults.fault(
                    'InvalidQueryParameter', f'{name} has no parameter {key[:100]} in this service'
                )
        for key in action.required:
            if key not in arguments:
                raise faults.fault('MissingParameter', f'{key} is required by {name}')
