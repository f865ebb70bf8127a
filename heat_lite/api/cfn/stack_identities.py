"""The identity of the stack that StackName names: a name, an id or an ARN."""

from typing import Any

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.rpc.client import EngineClient

ARN = 'arn:'


def find(client: EngineClient, context: RequestContext, name: str) -> dict[str, Any]:
    """Return the identity of a stack. Raises EntityNotFound for a name that no stack has.

    The project is that of the requester, so a foreign ARN names no stack; users of a stack find it
    by the project of the users. An administrator may name stacks of all projects.
    """
    if name.startswith(ARN):
        try:
            identity = HeatIdentifier.from_arn(name)
        except ValueError:
            raise exception.EntityNotFound(entity='Stack', name=name) from None
    else:
        identity = HeatIdentifier.from_dict(client.identify_stack(context, stack_name=name))
    return own(context, identity)


def own(context: RequestContext, identity: HeatIdentifier) -> dict[str, Any]:
    """Return the identity of a stack in the project of the requester."""
    tenant = identity.tenant if context.is_admin else context.tenant_id or ''
    return HeatIdentifier(tenant, identity.stack_name, identity.stack_id).as_dict()
