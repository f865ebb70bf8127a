"""The RPC endpoint that reads stacks: lists, details, templates and outputs.

Tests: tests/functional/test_queries.py.
"""

import contextlib
import uuid

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import session
from heat_lite.db import stacks as db_stacks
from heat_lite.db.queries import StackFilter
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.stack import format
from heat_lite.engine.validation import masking


class StackQueries(Endpoint):
    """Read-only requests about stacks."""

    def identify_stack(self, context: RequestContext, stack_name: str) -> Wire:
        """Return the identity of the stack with that name or id.

        A deleted stack is found by id only.
        """
        row = None
        if _is_uuid(stack_name):
            row = db_stacks.get(context, stack_name, show_deleted=True)
        if row is None:
            row = db_stacks.get_by_name(context, stack_name)
        if row is None:
            raise exception.EntityNotFound(entity='Stack', name=stack_name)
        return format.identity_of(row)

    def list_stacks(
        self,
        context: RequestContext,
        limit: int | None = None,
        marker: str | None = None,
        sort_keys: list[str] | None = None,
        sort_dir: str | None = None,
        filters: Wire | None = None,
        tenant_safe: bool = True,
        show_deleted: bool = False,
        show_nested: bool = False,
        show_hidden: bool = False,
        tags: list[str] | None = None,
        tags_any: list[str] | None = None,
        not_tags: list[str] | None = None,
        not_tags_any: list[str] | None = None,
    ) -> list[Wire]:
        if filters is not None:
            filters = _column_filters(filters)
        stack_filter = StackFilter(
            filters=filters,
            tenant_safe=tenant_safe,
            show_deleted=show_deleted,
            show_nested=show_nested,
            show_hidden=show_hidden,
            hidden_tags=self._runtime.limits.hidden_stack_tags,
            tags=tags,
            tags_any=tags_any,
            not_tags=not_tags,
            not_tags_any=not_tags_any,
        )
        with session.late_reads():
            rows = db_stacks.list_rows(
                context, stack_filter, limit, marker, sort_keys, sort_dir, brief=True
            )
        return [format.stack_row(row) for row in rows]

    def count_stacks(
        self,
        context: RequestContext,
        filters: Wire | None = None,
        tenant_safe: bool = True,
        show_deleted: bool = False,
        show_nested: bool = False,
        show_hidden: bool = False,
        tags: list[str] | None = None,
        tags_any: list[str] | None = None,
        not_tags: list[str] | None = None,
        not_tags_any: list[str] | None = None,
    ) -> int:
        stack_filter = StackFilter(
            filters=filters,
            tenant_safe=tenant_safe,
            show_deleted=show_deleted,
            show_nested=show_nested,
            show_hidden=show_hidden,
            hidden_tags=self._runtime.limits.hidden_stack_tags,
            tags=tags,
            tags_any=tags_any,
            not_tags=not_tags,
            not_tags_any=not_tags_any,
        )
        with session.late_reads():
            return db_stacks.count(context, stack_filter)

    def show_stack(
        self, context: RequestContext, stack_identity: Wire, resolve_outputs: bool = True
    ) -> list[Wire]:
        """Return a list with one stack, or with all stacks if no identity is given."""
        if stack_identity is None:
            stacks = [self._load(context, row) for row in db_stacks.list_rows(context)]
        else:
            stacks = [self._stack(context, stack_identity, show_deleted=True)]
        return [format.stack(stack, resolve_outputs) for stack in stacks]

    def get_template(self, context: RequestContext, stack_identity: Wire) -> Wire:
        stack = self._stack(context, stack_identity, show_deleted=True)
        return masking.redact_nested(stack, stack.template.data)

    def get_environment(self, context: RequestContext, stack_identity: Wire) -> Wire:
        stack = self._stack(context, stack_identity, show_deleted=True)
        for definition in stack.definitions.values():
            with contextlib.suppress(exception.HeatException):
                stack.class_of(definition)  # the registry shows which entries were followed
        shown = stack.template.environment.as_dict()
        environment = masking.masked_environment(shown, stack.template)
        environment['encrypted_param_names'] = masking.encrypted_names(shown, stack.template)
        return masking.redact_nested(stack, environment)

    def get_files(self, context: RequestContext, stack_identity: Wire) -> Wire:
        return dict(self._stack(context, stack_identity, show_deleted=True).template.files)

    def list_outputs(self, context: RequestContext, stack_identity: Wire) -> list[Wire]:
        return self._stack(context, stack_identity).outputs.describe()

    def show_output(self, context: RequestContext, stack_identity: Wire, output_key: str) -> Wire:
        """Return one output. Raises NotFound for an unknown key."""
        stack = self._stack(context, stack_identity)
        return stack.outputs.read(output_key, stack.limits.attribute_timeout)


def _column_filters(filters: Wire) -> Wire:
    """Replace the names that clients use by those of columns."""
    names = {'stack_owner': 'username', 'parent': 'owner_id', 'timeout_mins': 'timeout'}
    names |= {f'stack_{name}': name for name in ('name', 'action', 'status', 'status_reason')}
    return {names.get(key, key): value for key, value in filters.items()}


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except (ValueError, AttributeError, TypeError):
        return False
