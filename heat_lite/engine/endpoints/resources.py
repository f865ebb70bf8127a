"""The RPC endpoint for the resources of a stack: list, describe, signal, mark unhealthy.

Tests: tests/functional/test_queries.py, tests/functional/test_signals.py.
"""

from collections.abc import Collection, Iterator
from typing import Literal

from heat_lite.common import context as request_context, exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.local_stack_domain import DISABLED
from heat_lite.common.value_types import Value
from heat_lite.db import resources as db_resources, stacks as db_stacks
from heat_lite.db.stacks import StackRow
from heat_lite.engine.endpoints.base import Endpoint, Wire, following_moves, on_working_engine
from heat_lite.engine.resource.record import Record
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.signals import signals
from heat_lite.engine.stack import format
from heat_lite.engine.stack.stack import Stack

#: filters of the list -> keys of a formatted resource
FILTERS = {
    'name': 'resource_name',
    'type': 'resource_type',
    'action': 'resource_action',
    'status': 'resource_status',
    'physical_resource_id': 'physical_resource_id',
}


class Resources(Endpoint):
    def list_stack_resources(
        self,
        context: RequestContext,
        stack_identity: Wire,
        nested_depth: int = 0,
        with_detail: bool = False,
        filters: Wire | None = None,
    ) -> list[Wire]:
        """Return the resources of a stack and of nested stacks ``nested_depth`` levels down."""
        top = self._stack(context, stack_identity, show_deleted=True)
        return [
            each
            for level in self._levels(context, top, nested_depth)
            for each in self._list_level(level, with_detail, filters)
        ]

    @staticmethod
    def _list_level(stacks: list[Stack], with_detail: bool, filters: Wire | None) -> Iterator[Wire]:
        """Yield the resources of stacks of one depth.

        Their rows are read by one query, with the columns shown only.
        """
        listed = {} if with_detail else db_resources.list_brief([stack.id for stack in stacks])
        for stack in stacks:
            if not with_detail:
                stack.records.use_listed(listed.get(stack.id, ()))
            yield from _list(stack, with_detail, filters)

    @following_moves
    def describe_stack_resource(
        self,
        context: RequestContext,
        stack_identity: Wire,
        resource_name: str,
        with_attr: list[str] | Literal[False] | None = None,
    ) -> Wire:
        """Return the resource. With ``with_attr=False`` it has no attributes, so that no service is
        asked for them.
        """
        stack = self._stack(context, stack_identity)
        stack.records.expects_few_reads = True
        row = stack.records.best(resource_name)
        if row is None:
            raise exception.ResourceNotFound(resource_name=resource_name, stack_name=stack.name)
        found = stack.resource_of(row)
        _refuse_stack_users(context, stack, found.name)
        required_by = stack.required_by().get(found.name, ())
        return self._describe(stack, found, required_by, with_attr)

    def describe_stack_resources(
        self, context: RequestContext, stack_identity: Wire, resource_name: str | None = None
    ) -> list[Wire]:
        """Return all resources of the stack, or the one with that name."""
        stack = self._stack(context, stack_identity)
        required_by = stack.required_by()
        return [
            self._describe(stack, item, required_by.get(item.name, ()))
            for item in stack.current_resources()
            if resource_name in (None, item.name)
        ]

    @staticmethod
    def _describe(
        stack: Stack,
        item: Resource,
        required_by: Collection[str],
        with_attr: list[str] | Literal[False] | None = None,
    ) -> Wire:
        parent = stack.parent_resource_name
        return format.resource(
            item, required_by, detail=True, with_attributes=with_attr, parent=parent
        )

    def find_physical_resource(self, context: RequestContext, physical_resource_id: str) -> Wire:
        """Return the identity of the resource with this physical id. Raises EntityNotFound."""
        row = db_resources.get_by_physical_id(context, physical_resource_id)
        stack_row = row and db_stacks.get(context, row.stack_id)
        if not stack_row:
            raise exception.no_resource(physical_resource_id)
        return {**format.identity_of(stack_row), 'path': f'/resources/{row.name}'}

    @following_moves
    @on_working_engine
    def resource_signal(
        self,
        context: RequestContext,
        stack_identity: Wire,
        resource_name: str,
        details: Value,
        sync_call: bool = False,
    ) -> Wire | None:
        """Signal a resource. The signal is stored when this returns.

        Types without a signal handler refuse it, except for ``unset_hook``.
        """
        row = self._row(context, stack_identity)
        stack = self._load(_owner_context(context, row), row)
        stack.records.expects_few_reads = True
        if _may_be_disabled(self._runtime, context, row.tenant):
            _refuse_disabled_user(context, stack, signals.find(stack, resource_name))
        return signals.signal(stack, resource_name, details, wait=sync_call)

    @on_working_engine
    def resource_mark_unhealthy(
        self,
        context: RequestContext,
        stack_identity: Wire,
        resource_name: str,
        mark_unhealthy: bool,
        resource_status_reason: str | None = None,
    ) -> None:
        """Let the next update replace the resource, or revoke that."""
        signals.mark(
            self._stack(context, stack_identity),
            resource_name,
            mark_unhealthy,
            resource_status_reason,
        )


def _list(stack: Stack, with_detail: bool, filters: Wire | None) -> Iterator[Wire]:
    if stack.state == (status.DELETE, status.COMPLETE):
        return
    required_by, parent = stack.required_by(), stack.parent_resource_name
    identity = format.identity_of(stack)
    for item in stack.current_resources():
        one = format.resource(
            item, required_by.get(item.name, ()), with_detail, parent=parent, identity=identity
        )
        if not filters or _matches(one, item.record, filters):
            yield one


def _owner_context(context: RequestContext, row: StackRow) -> RequestContext:
    """Return the context for a signal: a stack user may send it, but has no access to related
    stacks.
    """
    return context if context.tenant_id == row.tenant else request_context.admin_context(row.tenant)


def _refuse_stack_users(context: RequestContext, stack: Stack, name: str) -> None:
    """Raise Forbidden for a stack user whose own resource does not allow access to the one
    named.
    """
    if context.tenant_id == stack.tenant or context.tenant_id != stack.stack_user_project_id:
        return
    own = [item for item in stack.current_resources() if _is_user(item, context)]
    if not any(item.access_allowed(name) for item in own):
        raise exception.Forbidden(action='this action')
    for item in own:
        _refuse_disabled_user(context, stack, item)


def _refuse_disabled_user(context: RequestContext, stack: Stack, item: Resource) -> None:
    """Raise Forbidden for a disabled stack user. ``item``: probably the user's own resource.

    Keystone refuses its own users; this is for those that the service itself issues.
    """
    if not _may_be_disabled(stack.runtime, context, stack.tenant):
        return
    own = [item] if _is_user(item, context) else stack.current_resources()
    if any(DISABLED in each.data() for each in own if _is_user(each, context)):
        raise exception.Forbidden(action='this action: the user is disabled')


def _may_be_disabled(runtime: Runtime, context: RequestContext, tenant: str) -> bool:
    """Return whether the requester is a user that the service itself has issued for a stack."""
    return runtime.clouds is not None and context.tenant_id != tenant


def _is_user(item: Resource, context: RequestContext) -> bool:
    return context.user_id in (item.resource_id, item.data().get('user_id'))


def _matches(listed: Wire, row: Record, filters: Wire) -> bool:
    for name, wanted in filters.items():
        if wanted == '':
            continue  # no restriction
        values = [row.uuid if name == 'id' else listed.get(FILTERS.get(name, name))]
        if name == 'status':
            values.append(f'{row.action}_{row.status}')  # the status as the API shows it
        if not any(value in (wanted if isinstance(wanted, list) else [wanted]) for value in values):
            return False
    return True
