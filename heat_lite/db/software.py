"""Software configurations and their deployments to servers."""

from collections.abc import Callable

from oslo_db import exception as db_exception
from sqlalchemy import ColumnElement, or_, select, true

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row
from heat_lite.db import models, queries, session

_C, _D = models.software_config.c, models.software_deployment.c


@session.writer
def create_config(context: RequestContext, values: dict) -> str:
    """Insert a configuration (name, group, config, tenant) and return its id.

    The default tenant is the project of the context.
    """
    return session.insert_row(models.software_config, {'tenant': context.tenant_id, **values})


@session.reader
def get_config(context: RequestContext, config_id: str) -> Row:
    query = select(models.software_config).where(_C.id == config_id, _config_visible_to(context))
    return session.first(query)


@session.reader
def count_configs(context: RequestContext) -> int:
    return session.count(models.software_config, _C.tenant == context.tenant_id)


@session.reader
def list_configs(
    context: RequestContext,
    limit: int | None = None,
    marker: str | None = None,
    tenant_safe: bool = True,
) -> Row:
    """Return a page of configurations, newest first, without their column ``config``."""
    query = select(_C.id, _C.name, _C.group, _C.tenant, _C.created_at)
    if tenant_safe:
        query = query.where(_config_visible_to(context))
    return session.rows(
        queries.paginate(
            query, models.software_config, [_C.created_at], 'desc', limit, marker, _C.id
        )
    )


@session.writer
def delete_config(context: RequestContext, config_id: str) -> bool:
    """Delete a configuration and return whether it existed.

    Raises InvalidRestrictedAction while a deployment refers to it.
    """
    try:
        return (
            session.delete(models.software_config, _C.id == config_id, _config_visible_to(context))
            == 1
        )
    except db_exception.DBReferenceError as error:
        raise exception.InvalidRestrictedAction(
            f'Software config with id {config_id} can not be deleted as it is referenced.'
        ) from error


@session.writer
def create_deployment(context: RequestContext, values: dict) -> str:
    """Insert a deployment and return its id.

    The default tenant is the project of the context.
    """
    return session.insert_row(models.software_deployment, {'tenant': context.tenant_id, **values})


@session.reader
def get_deployment(context: RequestContext, deployment_id: str) -> Row:
    return session.first(
        select(models.software_deployment).where(_D.id == deployment_id, _visible_to(context))
    )


@session.reader
def count_deployments(context: RequestContext) -> int:
    return session.count(models.software_deployment, _D.tenant == context.tenant_id)


@session.reader
def configs_of_server(context: RequestContext, server_id: str) -> Row:
    """Return the configurations of a server in the order of their deployments."""
    query = (
        select(models.software_config)
        .join(models.software_deployment, _D.config_id == _C.id)
        .where(_D.server_id == server_id, _visible_to(context))
    )
    # each row may take a megabyte
    return list(session.execute(query.order_by(_D.created_at, _D.id)))


@session.reader
def list_deployments(context: RequestContext, server_id: str | None = None) -> Row:
    """Return the deployments of a server, or all of the project, oldest first."""
    query = select(models.software_deployment).where(_visible_to(context))
    if server_id is not None:
        query = query.where(_D.server_id == server_id)
    # each row may take a megabyte
    return list(session.execute(query.order_by(_D.created_at, _D.id)))


@session.writer
def update_deployment(
    context: RequestContext, deployment_id: str, change: Callable[[Row], dict | None]
) -> dict | None:
    """Store the columns that ``change(row)`` gives, and return them; None stores nothing.

    The row is locked meanwhile; one that is gone is not changed.
    """
    chosen = _D.id == deployment_id, _visible_to(context)
    row = session.first(select(models.software_deployment).where(*chosen).with_for_update())
    values = None if row is None else change(row)
    if values is not None:
        session.update(models.software_deployment, values, *chosen)
    return values


@session.writer
def delete_deployment(context: RequestContext, deployment_id: str) -> bool:
    return (
        session.delete(models.software_deployment, _D.id == deployment_id, _visible_to(context))
        == 1
    )


def _config_visible_to(context: RequestContext) -> ColumnElement[bool]:
    """Return the condition of configurations that the context can see."""
    return true() if context.is_admin else _C.tenant == context.tenant_id


def _visible_to(context: RequestContext) -> ColumnElement[bool]:
    """Return the condition of deployments that the context can see.

    These are those of its project, and for the users of a stack within a server, those of the
    stack.
    """
    return (
        true()
        if context.is_admin
        else or_(_D.tenant == context.tenant_id, _D.stack_user_project_id == context.tenant_id)
    )
