"""Software configurations, and their deployments to servers."""

from oslo_db import exception as db_exception
from sqlalchemy import delete, func, insert, or_, select, true, update

from heat_lite.common import exception
from heat_lite.db import models, paging, session

_C, _D = models.software_config, models.software_deployment


@session.writer
def create_config(context, values: dict) -> str:
    """name, group, config; the tenant is the context's unless given. The id."""
    return session.execute(insert(_C).values({'tenant': context.tenant_id, **values})).inserted_primary_key[0]


@session.reader
def get_config(context, config_id: str, tenant_safe: bool = True):
    query = select(_C).where(_C.c.id == config_id)
    return session.execute(query.where(_owned_by(context)) if tenant_safe else query).first()


@session.reader
def count_configs(context) -> int:
    return session.execute(select(func.count(_C.c.id)).where(_C.c.tenant == context.tenant_id)).scalar()


@session.reader
def list_configs(context, limit: int | None = None, marker: str | None = None, tenant_safe: bool = True):
    """A page, newest first, without the configurations themselves."""
    query = select(_C.c.id, _C.c.name, _C.c.group, _C.c.tenant, _C.c.created_at)
    if tenant_safe:
        query = query.where(_owned_by(context))
    return session.execute(paging.page(query, _C, [_C.c.created_at], 'desc', limit, marker, _C.c.id)).all()


@session.writer
def delete_config(context, config_id: str) -> bool:
    """Raises InvalidRestrictedAction while a deployment uses it."""
    try:
        return session.execute(delete(_C).where(_C.c.id == config_id, _owned_by(context))).rowcount == 1
    except db_exception.DBReferenceError as error:
        raise exception.InvalidRestrictedAction(f'Software config with id {config_id} can not be deleted as it is referenced.') from error


@session.writer
def create_deployment(context, values: dict) -> str:
    """config_id, server_id, values and state; the tenant is the context's unless given. The id."""
    return session.execute(insert(_D).values({'tenant': context.tenant_id, **values})).inserted_primary_key[0]


@session.reader
def get_deployment(context, deployment_id: str):
    return session.execute(select(_D).where(_D.c.id == deployment_id, _seen_by(context))).first()


@session.reader
def count_deployments(context) -> int:
    return session.execute(select(func.count(_D.c.id)).where(_D.c.tenant == context.tenant_id)).scalar()


@session.reader
def configs_of_server(context, server_id: str):
    """The configurations that are deployed to a server, in the order of their deployments."""
    query = select(_C).join(_D, _D.c.config_id == _C.c.id).where(_D.c.server_id == server_id, _seen_by(context))
    return session.execute(query.order_by(_D.c.created_at, _D.c.id)).all()


@session.reader
def list_deployments(context, server_id: str | None = None):
    """Those of a server, or all of the project, oldest first."""
    query = select(_D).where(_seen_by(context))
    if server_id is not None:
        query = query.where(_D.c.server_id == server_id)
    return session.execute(query.order_by(_D.c.created_at, _D.c.id)).all()


@session.writer
def update_deployment(context, deployment_id: str, values: dict, expect: str | None = None) -> bool:
    """Only where its status is the expected one, if one is."""
    query = update(_D).where(_D.c.id == deployment_id, _seen_by(context))
    if expect is not None:
        query = query.where(_D.c.status == expect)
    return session.execute(query.values(values)).rowcount == 1


@session.writer
def delete_deployment(context, deployment_id: str) -> bool:
    return session.execute(delete(_D).where(_D.c.id == deployment_id, _seen_by(context))).rowcount == 1


def _owned_by(context):
    """The administrator of the cloud sees all."""
    return true() if context.is_admin else _C.c.tenant == context.tenant_id


def _seen_by(context):
    """The project, and the users that the stack has inside the server."""
    return true() if context.is_admin else or_(_D.c.tenant == context.tenant_id, _D.c.stack_user_project_id == context.tenant_id)
