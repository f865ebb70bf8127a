"""The columns of the stack table that a Stack holds as attributes.

Tests: tests/functional/test_engine.py.
"""

import datetime

from heat_lite.common.value_types import Row, Values


class StackFields:
    """The attributes of a stack that are stored in its row, with their types."""

    id: str
    name: str
    tenant: str
    username: str | None
    owner_id: str | None
    nested_depth: int
    parent_resource_name: str | None
    user_creds_id: int | None
    stack_user_project_id: str | None
    disable_rollback: bool | None
    action: str
    status: str
    status_reason: str
    created_at: datetime.datetime | None
    updated_at: datetime.datetime | None
    deleted_at: datetime.datetime | None
    current_traversal: str | None
    template_id: int | None
    previous_template_id: int | None
    timeout_mins: int | None
    convergence: bool | None
    #: a former fingerprint of the definition; a stack of Heat's legacy engine has none
    digest: str | None
    failures: list[Values] | None
    protected: bool
    #: options of the action in progress, for an engine that resumes it
    plan: Values | None
    #: see ``former_places``
    moved: Values | None

    @classmethod
    def fields_of(cls, row: Row) -> Values:
        """Return the fields of a row; those that it lacks are None."""
        return {name: getattr(row, COLUMNS.get(name, name), None) for name in FIELDS}

    def set_fields(self, fields: Values) -> None:
        """Set all fields; those that are not given are None."""
        for name in FIELDS:
            setattr(self, name, fields.get(name))
        self.nested_depth = self.nested_depth or 0
        self.status_reason = self.status_reason or ''

    def copy_state(self, live: 'StackFields') -> None:
        """Take over the state of another copy of this stack."""
        self.action, self.status = live.action, live.status
        self.status_reason = live.status_reason


#: the columns of other names than the fields
COLUMNS = {
    'template_id': 'raw_template_id',
    'previous_template_id': 'prev_raw_template_id',
    'timeout_mins': 'timeout',
}
FIELDS = tuple(StackFields.__annotations__)
