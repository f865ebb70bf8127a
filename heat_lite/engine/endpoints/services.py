"""The RPC endpoint for the engines themselves: the list of engines and their build.

Tests: tests/http/test_contracts.py.
"""

import logging
from collections.abc import Mapping

from heat_lite import conf as options
from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import locks as db_locks, services as db_services
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.runtime import EngineLimits
from heat_lite.engine.stack import format

LOG = logging.getLogger(__name__)
#: stacks at work that a list of engines has at most
MOST_STACKS = 1000
#: the ends of the names of options that limit a project
PER = ('_per_tenant', '_per_stack', '_per_alarm', '_stack_depth', '_template_size')
#: what a backend may state about the requester beside the roles, and what it must
IDENTITY = (
    'user_id',
    'user_name',
    'user_domain_id',
    'project_id',
    'project_name',
    'project_domain_id',
    'auth_token',
)
REQUIRED = ('user_id', 'project_id')


class Services(Endpoint):
    def list_services(self, context: RequestContext, with_stacks: bool = False) -> list[Wire]:
        """Return all registered engines that have not been removed.

        ``with_stacks``: each with the top-level stacks that it works on, MOST_STACKS in all.
        """
        found = [format.service(row, db_services.is_up(row)) for row in db_services.list_rows()]
        if with_stacks:
            at_work = db_locks.stacks_at_work(MOST_STACKS)
            for each in found:
                own = [row for row in at_work if row.engine_id == each['engine_id']]
                each['stacks'] = [format.stack_at_work(row) for row in own]
        return found

    def project_limits(self, context: RequestContext) -> list[Wire]:
        """Return name, value and help of the options that limit a project."""
        limits = self._runtime.limits
        return [
            {'name': each.dest, 'limit': getattr(limits, each.dest), 'help': each.help}
            for group in EngineLimits.GROUPS
            for each in options.groups()[group]
            if each.dest.endswith(PER)
        ]

    def get_revision(self, context: RequestContext) -> str:
        """Return the name of this build (option ``[revision] heat_revision``)."""
        return self._runtime.revision

    def authenticated_to_backend(self, context: RequestContext) -> Wire | None:
        """Return the identity of a request, which the ``cloud_backend`` of this engine decides.

        ``context`` has the credentials and the project of the URL, nothing of it validated. None:
        the credentials are not accepted. Raises ServiceUnavailable without a ``cloud_backend``.
        """
        if self._runtime.cloud_backend is None:
            raise exception.ServiceUnavailable(
                reason='the engine has no cloud_backend in [DEFAULT], so no request is authentic'
            )
        answer = self._runtime.cloud_backend(context).authenticated()
        if not answer:
            return None
        identity = _identity(answer)
        if identity is None:
            LOG.error(
                'Request for project %s refused: authenticated() of the cloud_backend returned no '
                'map with %s, a list of roles, and texts for the others of %s',
                context.project_id,
                ', '.join(REQUIRED),
                ', '.join(IDENTITY),
            )
        return identity


def _identity(answer: object) -> Wire | None:
    """Return the identity that a backend states; None if it states none, or not in full."""
    if not isinstance(answer, Mapping) or not all(answer.get(name) for name in REQUIRED):
        return None
    identity = {name: answer[name] for name in IDENTITY if answer.get(name) is not None}
    roles = answer.get('roles')
    if not isinstance(roles, (list, tuple)):
        return None
    if not all(isinstance(text, str) for text in (*identity.values(), *roles)):
        return None
    return {**identity, 'roles': ','.join(roles)}
