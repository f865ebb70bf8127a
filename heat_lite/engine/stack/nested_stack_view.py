"""The nested stack of a resource, to read: its identity, outputs and members.

Tests: tests/functional/test_nested_stacks.py.
"""

import itertools
import json
from collections.abc import Sequence

from heat_lite.common import exception, identifier, status
from heat_lite.common.value_types import Value, Values
from heat_lite.db import stacks as db_stacks
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack import adoption
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_definition import Foresight
from heat_lite.engine.validation import validation
from heat_lite.engine.validation.validation import ValidationPass
from heat_lite.template import attributes
from heat_lite.template.template import Template

#: values that are not plain data get a number of their own, so that they equal nothing else
_UNIQUE = itertools.count()


def nested_in(
    parent: Stack,
    name: str,
    resource_name: str,
    template: Template,
    timeout_mins: int | None = None,
    **fields: Value,
) -> Stack:
    """Return a stack, not stored, that is nested in ``parent``."""
    made = parent.make(
        template,
        name=name,
        tenant=parent.tenant,
        username=parent.username,
        owner_id=parent.id,
        nested_depth=parent.nested_depth + 1,
        parent_resource_name=resource_name,
        user_creds_id=parent.user_creds_id,
        stack_user_project_id=parent.stack_user_project_id,
        disable_rollback=True,
        convergence=parent.convergence,
        timeout_mins=parent.timeout_mins if timeout_mins is None else timeout_mins,
        action=status.CREATE,
        status=status.IN_PROGRESS,
        status_reason='Stack CREATE started',
        **fields,
    )
    made.tree.parent = parent
    return made


class NestedStackView:
    """The nested stack of one resource, to read; ``stack`` is None where there is none."""

    def __init__(self, runtime: Runtime, resource: Resource) -> None:
        self._runtime = runtime
        self._resource = resource
        self._stack: Stack | None = None
        self._reload = False

    @property
    def _parent(self) -> Stack:
        return self._resource.stack

    @property
    def stack(self) -> Stack | None:
        """The stack as last read; one whose action was begun here is the live object."""
        if self._stack is None:
            foresee = self._parent.foreseen_nested.get(self._resource.resource_id)
            row = self._row() if foresee is None else None
            self._stack = row and self._load(row) if foresee is None else foresee(self._parent)
        return self._stack

    def refresh(self) -> None:
        """Read the stack anew at its next use: another engine may have changed it."""
        self._stack, self._reload = None, True

    def _row(self) -> 'db_stacks.StackRow | None':
        """Return the row; None for a stack of another project, which ``external_id`` may name."""
        resource_id = self._resource.resource_id
        if resource_id is None:
            return None
        row = self._parent.tree.child_row(resource_id, self._reload)
        return row if row is not None and row.tenant == self._parent.tenant else None

    def _load(self, row: 'db_stacks.StackRow') -> Stack:
        loaded = Stack.from_row(self._runtime, self._parent.context, row)
        loaded.tree.parent = self._parent
        loaded.foreseen_nested = self._parent.foreseen_nested
        return loaded

    # ------------------------------------------------------------ before it exists

    def draft(self, template: Template, timeout_mins: int | None = None) -> Stack:
        """Return the stack that ``template`` would make, not stored.

        Raises RequestLimitExceeded beyond the depth limit.
        """
        parent = self._parent
        limit = self._runtime.limits.max_nested_stack_depth
        if parent.nested_depth >= limit:
            raise exception.RequestLimitExceeded(
                exception.append_hint(f'Recursion depth exceeds {limit}.', self._repetition())
            )
        drafted = nested_in(parent, self.name(), self._resource.name, template, timeout_mins)
        if parent.foresight is not None:
            drafted.foresight, drafted.checks_values = Foresight(), False
        return drafted

    def _repetition(self) -> str:
        """Return a sentence about the template that contains itself, '' if none does."""
        files: list[str] = []
        stack, definition = self._parent, self._resource.definition
        while True:
            file = stack.template_of_type(definition)
            if file in files:
                way = ' > '.join([file, *reversed(files[files.index(file) :])])
                return f' The template contains itself: {way}'
            files += [file] if file else []
            outer = stack.tree.parent
            if outer is None:
                return ''
            stack, definition = outer, outer.definitions[str(stack.parent_resource_name)]

    def validate(self, template: Template, run: ValidationPass, times: int = 1) -> None:
        """Validate the stack that ``template`` would make, with its own nested stacks, as a part of
        a ValidationPass.

        ``times`` is how many equal stacks it stands for in the limit of resources.
        """
        drafted = self.draft(template)
        before, key = run.counted, self._dedup_key(drafted)
        if key not in run.seen:
            validation.nested_stack(drafted, run)
            run.seen[key] = run.counted - before
        run.counted = before + times * run.seen[key]

    def _dedup_key(self, drafted: Stack) -> tuple[int, str]:
        """The key that equal nested stacks share, so that one of them is validated for all."""
        definition = self._resource.definition
        facade = definition.metadata, definition.deletion_policy, definition.update_policy
        return drafted.nested_depth, json.dumps(
            [drafted.template.content(), facade], default=lambda _: next(_UNIQUE)
        )

    def name(self) -> str:
        """Return the physical name of the resource; in a preview, which has no row, its names."""
        if self._parent.id is None:
            return f'{self._parent.name}-{self._resource.name}'
        return self._resource.physical_resource_name()

    def identifier(self) -> identifier.HeatIdentifier | None:
        """Return the HeatIdentifier of the nested stack, None where there is none."""
        if self._resource.resource_id is None:
            return None
        return identifier.HeatIdentifier(
            self._parent.tenant, self.name(), self._resource.resource_id
        )

    # ------------------------------------------------------------ its values

    def existing_stack(self) -> Stack | None:
        """Return the stack; None where it was never created or is deleted."""
        stack = self.stack
        return None if stack is None or stack.deleted_at is not None else stack

    def read_member(self, *path: str) -> Value:
        """Return the reference of a member resource, or its attribute where the path goes on.

        None where there is no stack. Raises GroupMemberNotFound.
        """
        stack = self.existing_stack()
        if stack is None:
            return None
        if not path:
            raise exception.InvalidTemplateAttribute(resource=self._resource.name, key='resource')
        member, *rest = path
        try:
            item = stack.resource_for(str(member))
        except exception.ResourceNotFound:
            raise exception.GroupMemberNotFound(
                member=str(member), group=self._resource.name
            ) from None
        return item.attribute(*rest) if rest else item.reference_id()

    def output(self, name: str, path: Sequence[Value] = ()) -> Value:
        """Return the value at ``path`` in an output.

        Raises InvalidTemplateAttribute for an unknown output, TemplateOutputError for a failed one.
        """
        stack = self.existing_stack()
        if stack is None:
            return None
        found = next(
            (each for each in stack.outputs.read_all() if each['output_key'] == name), None
        )
        if found is None:
            raise exception.InvalidTemplateAttribute(resource=self._resource.name, key=name)
        if found.get('output_error'):
            raise exception.TemplateOutputError(
                resource=self._resource.name, attribute=name, reason=found['output_error']
            )
        return attributes.select(found['output_value'], path)

    def document(self) -> Values:
        """Return the exported document of the stack, which exists."""
        stack: Value = self.stack
        return adoption.export_stack(stack)

    def find(self) -> str | None:
        """Return the id of the stack that an interrupted create has stored, None without one."""
        name = self.name()
        rows = db_stacks.child_rows(self._parent.id).values()
        return next(
            (
                row.id
                for row in rows
                if row.parent_resource_name == self._resource.name and row.name == name
            ),
            None,
        )
