"""The identity of the stack that StackName names: a name, an id or an ARN."""

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_types import Values
from heat_lite.rpc.client import EngineClient

ARN = 'arn:'


def find(client: EngineClient, context: RequestContext, name: str) -> Values:
    """Return the identity of a stack. Raises EntityNotFound for a name that no stack has.

    The engine refuses the ARN of another project, except for administrators and for the users of
    that stack.
    """
    if not name.startswith(ARN):
        found = HeatIdentifier.from_dict(client.identify_stack(context, stack_name=name))
        return own(context, found)
    try:
        return HeatIdentifier.from_arn(name).as_dict()
    except ValueError:
        raise exception.no_stack(name) from None


def own(context: RequestContext, identity: HeatIdentifier) -> Values:
    """Return the identity of a stack in the project of the requester."""
    tenant = identity.tenant if context.is_admin else context.tenant_id or ''
    return HeatIdentifier(tenant, identity.stack_name, identity.stack_id).as_dict()
