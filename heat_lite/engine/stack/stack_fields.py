"""The columns of the stack table that a Stack holds as attributes of the same name.

Tests: tests/functional/test_engine.py.
"""

import datetime
from typing import Any


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
    convergence: bool | None
    #: the fingerprint of the definition (see ``fingerprint``)
    digest: str | None
    failures: list[dict[str, Any]] | None
    protected: bool
    #: options of the action in progress, for an engine that resumes it
    plan: dict[str, Any] | None

    @classmethod
    def fields_of(cls, source: Any) -> dict[str, Any]:
        """Return the fields of a row or of another stack; those that it lacks are None."""
        return {name: getattr(source, name, None) for name in FIELDS}

    def set_fields(self, fields: dict[str, Any]) -> None:
        """Set all fields; those that are not given are None."""
        for name in FIELDS:
            setattr(self, name, fields.get(name))


FIELDS = tuple(StackFields.__annotations__)
