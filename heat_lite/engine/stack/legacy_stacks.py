"""The first action on a stack of Heat's legacy engine.

Tests: tests/functional/test_heat_database.py.
"""

import logging
from collections.abc import Collection, Mapping

from heat_lite.common import exception, status
from heat_lite.db.maintenance import backup_stacks
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)


def is_legacy(stack: Stack) -> bool:
    """Return whether Heat's legacy engine has written the stack, and no action has begun since."""
    return stack.id is not None and stack.digest is None and not stack.convergence


def bring_over(stack: Stack) -> None:
    """Bring the rows of a legacy stack into the form that actions expect. The caller holds its
    lock.

    It can be interrupted and repeated.
    """
    if not is_legacy(stack):
        return
    backups = backup_stacks.absorb_backups(stack.id)
    if backups:
        LOG.info('%s: the resources of %d backup stacks are deleted with it', stack, backups)
    stack.forget_rows()
    backup_stacks.store_requirements(_missing_requirements(stack))
    stack.forget_rows()
    if stack.status == status.IN_PROGRESS and stack.action in (status.UPDATE, status.ROLLBACK):
        # Heat's legacy engine stores the target of an update as the previous template, and changes
        # the template of the stack resource by resource
        target_id = stack.previous_template_id
        if target_id is not None:
            stack.redefine(stack.runtime.templates.get(target_id), target_id)
    # the digest marks the stack as brought over
    stack.store_definition()


def _missing_requirements(stack: Stack) -> dict[int, list[int]]:
    """Return ``{row id: ids of rows}`` for rows without requirements.

    The templates of the rows tell them. Rows of another template are no requirements.
    """
    rows = stack.records.all()
    found = {}
    for template_id in {row.current_template_id for row in rows}:
        named = {row.name: row for row in rows if row.current_template_id == template_id}
        requirements = _requirements(stack, template_id)
        for name, row in named.items():
            ids = [named[each].id for each in requirements.get(name, ()) if each in named]
            if ids and not row.requires:
                found[row.id] = sorted(ids)
    return found


def _requirements(stack: Stack, template_id: int) -> Mapping[str, Collection[str]]:
    """Return ``{name: names that come first}`` of a template; {} if it cannot be read."""
    try:
        template = stack.runtime.templates.get(template_id)
        definition = stack.runtime.definitions_cache.of(stack, template, template_id)
        return definition.requirements(stack)
    except exception.HeatException as error:
        LOG.warning(
            '%s: the order of its resources is unknown, since its template cannot be read: %s',
            stack,
            error,
        )
        return {}
