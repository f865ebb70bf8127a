"""One run of an action on a stack: the options of its request and its state in the engine.

Tests: tests/functional/test_engine.py.
"""

import dataclasses
import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from heat_lite.common.value_types import Value, Values

if TYPE_CHECKING:
    from heat_lite.engine.resource.resource import Resource


# keys of the column ``stack.plan``: the part of a run that another engine needs to resume it
(
    ABANDON,
    ADOPTED,
    CONVERGE,
    FORCE,
    FORMER_TAGS,
    KEPT,
    NOT_APPLIED,
    ON_REPLACE,
    REPLACED,
    REQUEST,
    RESTORED,
    STACK_DEPTH,
) = (
    'abandon',
    'adopted',
    'converge',
    'force',
    'former_tags',
    'kept',
    'not_applied',
    'on_replace',
    'replaced',
    'request',
    'restored',
    'stack_depth',
)
FAIL = 'fail'


@dataclasses.dataclass(slots=True)
class ActionRun:
    """The options and the state of one run.

    The options come from the request (``from_column`` restores them after a take-over); the
    state belongs to the engine that executes the run.
    """

    action: str = ''

    # ------------------------------------------------------------ options
    #: UPDATE: compare each resource with its real object before deciding what to do
    converge: bool = False
    #: UPDATE: fail a resource that would have to be replaced
    forbid_replacement: bool = False
    #: UPDATE: the names of the resources that it leaves, those of them that differ from what the
    #: request wants, and the ids of the rows that it replaces
    kept: Collection[str] = ()
    not_applied: Collection[str] = ()
    replaced: Collection[int] = ()
    #: DELETE: forget resources that cannot be deleted
    force: bool = False
    #: DELETE: leave the objects in the cloud; also set by the rollback of an adoption
    abandoning: bool = False
    #: UPDATE, RESTORE: the new template, the id of its row, and further columns of the stack
    template: Value = None
    template_id: int | None = None
    values: Values = dataclasses.field(default_factory=dict)
    #: CREATE, UPDATE: why the definition changes, for its revision
    message: str | None = None
    #: UPDATE: the ``Stack.update_base`` that the template was made from; None for any
    base: Values | None = None
    #: UPDATE: the facts that its plan stands on (see ``plan_facts``); None without a plan
    facts: list[Values] | None = None
    #: SNAPSHOT: the snapshot that is taken (``snapshots.Taking``)
    snapshot: Value = None
    #: RESTORE: the id of the snapshot
    restored: str | None = None
    #: number of OS::Heat::Stack resources above the stack, see ``common.context``
    stack_depth: int | None = None
    #: DELETE: the id of the request, by which its repetition is known
    request_id: str | None = None
    #: RETRY: the (action, status) that the requester has seen
    expected_state: tuple[str, str] | None = None

    # ------------------------------------------------------------ state
    #: the monotonic time of the request, or of the begin of a rollback
    began: float = dataclasses.field(default_factory=time.monotonic)
    #: UPDATE: nothing differs from the stored definition, so no resource is visited
    noop: bool = False
    #: the plan deletes every resource (DELETE, rollback of a create)
    deleting: bool = False
    #: ADOPT: ``{resource name: data of the adopted document}``
    adopted: Values = dataclasses.field(default_factory=dict)
    #: the walker at work (``execution.traversal.Traversal``)
    walk: Value = None
    #: walkers of preempted runs whose handlers have not ended yet
    draining: list = dataclasses.field(default_factory=list)
    #: ``{record: Wakeup}`` of the resources that wait for a hook to be cleared
    paused: dict = dataclasses.field(default_factory=dict)
    #: the ``execution.recovery.Progress`` made before a take-over; None for a run that began here
    resumed_from: Value = None
    #: the ``quarantine.Quarantine`` of the resources that the dead engine worked on
    quarantine: Value = None

    @classmethod
    def from_column(cls, action: str, column: Mapping[str, Value] | None) -> 'ActionRun':
        """Return the run that ``stack.plan`` describes."""
        column = column or {}
        return cls(
            action,
            converge=bool(column.get(CONVERGE)),
            forbid_replacement=column.get(ON_REPLACE) == FAIL,
            kept=frozenset(column.get(KEPT) or ()),
            not_applied=column.get(NOT_APPLIED) or (),
            replaced=column.get(REPLACED) or (),
            force=bool(column.get(FORCE)),
            abandoning=bool(column.get(ABANDON)),
            restored=column.get(RESTORED),
            request_id=column.get(REQUEST),
            stack_depth=column.get(STACK_DEPTH),
        )

    def guarded(self, resource: 'Resource', work: Value) -> Value:
        """Return ``work`` on a resource, a generator or None, guarded by the quarantine, if any."""
        if work is None or self.quarantine is None:
            return work
        return self.quarantine.guard(resource, work)

    def as_column(self) -> dict[str, Value] | None:
        """Return the value of ``stack.plan``; None where no option differs from its default."""
        options = {
            CONVERGE: self.converge,
            ON_REPLACE: FAIL if self.forbid_replacement else None,
            KEPT: sorted(self.kept),
            NOT_APPLIED: list(self.not_applied),
            REPLACED: list(self.replaced),
            FORCE: self.force,
            ABANDON: self.abandoning,
            RESTORED: self.restored,
            REQUEST: self.request_id,
            STACK_DEPTH: self.stack_depth,
        }
        return {key: value for key, value in options.items() if value} or None
