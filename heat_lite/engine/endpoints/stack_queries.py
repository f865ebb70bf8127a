"""The RPC endpoint that reads stacks: lists, details, templates and outputs.

Tests: tests/functional/test_queries.py.
"""

import contextlib
import uuid
from typing import Unpack

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import session, stacks as db_stacks
from heat_lite.db.queries import StackFilter, StackScope
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.stack import format, revisions
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
            raise exception.no_stack(stack_name)
        return format.identity_of(row)

    def list_stacks(
        self,
        context: RequestContext,
        limit: int | None = None,
        marker: str | None = None,
        sort_keys: list[str] | None = None,
        sort_dir: str | None = None,
        **scope: Unpack[StackScope],
    ) -> list[Wire]:
        """Return a page of the stacks of a scope, which has the fields of StackFilter."""
        with session.late_reads():
            rows = db_stacks.list_rows(
                context, self._filter(**scope), limit, marker, sort_keys, sort_dir, brief=True
            )
        return [format.stack_row(row) for row in rows]

    def count_stacks(self, context: RequestContext, **scope: Unpack[StackScope]) -> int:
        with session.late_reads():
            return db_stacks.count(context, self._filter(**scope))

    def _filter(self, **scope: Unpack[StackScope]) -> StackFilter:
        return StackFilter(hidden_tags=self._runtime.limits.hidden_stack_tags, **scope)

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

    def get_template_text(self, context: RequestContext, stack_identity: Wire) -> str | None:
        """Return the template as its author wrote it; None if it came as data."""
        stack = self._stack(context, stack_identity, show_deleted=True)
        return masking.redact_nested(stack, stack.template.text)

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

    def list_revisions(self, context: RequestContext, stack_identity: Wire) -> list[Wire]:
        """Return the definitions that the stack has had, the newest first."""
        stack = self._stack(context, stack_identity, show_deleted=True)
        return [revisions.shown(row) for row in revisions.list_all(stack)]

    def show_revision(self, context: RequestContext, stack_identity: Wire, revision: str) -> Wire:
        """Return one of them with its template, environment and files."""
        stack = self._stack(context, stack_identity, show_deleted=True)
        return revisions.described(stack, revisions.find(stack, revision))

    def list_outputs(self, context: RequestContext, stack_identity: Wire) -> list[Wire]:
        return self._stack(context, stack_identity).outputs.describe()

    def show_output(self, context: RequestContext, stack_identity: Wire, output_key: str) -> Wire:
        """Return one output. Raises NotFound for an unknown key."""
        stack = self._stack(context, stack_identity)
        return stack.outputs.read(output_key, stack.limits.attribute_timeout)


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except (ValueError, AttributeError, TypeError):
        return False
