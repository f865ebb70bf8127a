"""Which stacks a list shows, and in what order."""

from oslo_utils import strutils
from sqlalchemy import Boolean, Integer, and_, false, not_, or_, select

from heat_lite.common import status
from heat_lite.db import models, paging

_S, _TAG = models.stack, models.stack_tag
# the API's names beside the columns'
FILTERS = {
    'stack_name': 'name',
    'stack_status': 'status',
    'stack_action': 'action',
    'stack_status_reason': 'status_reason',
    'stack_owner': 'username',
    'stack_identity': 'id',
    'parent': 'owner_id',
    'project': 'tenant',
    'timeout_mins': 'timeout',
    **{name: name for name in ('id', 'name', 'status', 'action', 'status_reason', 'username', 'owner_id', 'tenant', 'timeout')},
    **{name: name for name in ('disable_rollback', 'stack_user_project_id')},
}
SORTS = {
    'stack_name': _S.c.name,
    'stack_status': _S.c.status,
    'creation_time': _S.c.created_at,
    'updated_time': _S.c.updated_at,
    'created_at': _S.c.created_at,
    'updated_at': _S.c.updated_at,
}


def where(context, filters, tenant_safe, show_deleted, show_nested, hidden_tags, tags, tags_any, not_tags, not_tags_any):
    """The conditions, as a list. An administrator of the cloud sees the stacks of all projects, asked for or not."""
    chosen = []
    if tenant_safe and not context.is_admin:
        chosen.append(_S.c.tenant == context.tenant_id)
    if not show_deleted:
        chosen.append(_S.c.deleted_at.is_(None))
    if not show_nested:
        chosen.append(_S.c.owner_id.is_(None))
    chosen.extend(_matches(_S.c[FILTERS[name]], wanted) for name, wanted in (filters or {}).items() if name in FILTERS)
    chosen.extend(_has_any([tag]) for tag in tags or ())
    if tags_any:
        chosen.append(_has_any(tags_any))
    if not_tags:
        chosen.append(not_(and_(*(_has_any([tag]) for tag in not_tags))))
    without = [*hidden_tags, *(not_tags_any or ())]
    if without:
        chosen.append(not_(_has_any(without)))
    return chosen


def _has_any(tags):
    # stack.id appears outside: SQLAlchemy correlates it
    return select(_TAG.c.id).where(_TAG.c.stack_id == _S.c.id, _TAG.c.tag.in_(tags)).exists()


def _matches(column, wanted):
    values = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
    return or_(false(), *(_equals(column, value) for value in values))


def _equals(column, value):
    """One value from a URL against a column: CREATE_COMPLETE is an action and a status."""
    if column is _S.c.status and value not in status.STATUSES:
        action, _, state = str(value).partition('_')
        return and_(_S.c.action == action, column == state)
    if isinstance(column.type, Boolean):
        return column.is_(strutils.bool_from_string(value))
    if isinstance(column.type, Integer):
        return column == int(value) if str(value).isdecimal() and len(str(value)) < 10 else false()
    return column == value


def page(query, limit, marker, sort_keys, sort_dir):
    """Newest first unless keys are given, which go upwards unless told otherwise."""
    columns = [SORTS[key] for key in sort_keys or () if key in SORTS]
    direction = paging.direction(sort_dir, default='asc' if columns else 'desc')
    return paging.page(query, _S, columns or [_S.c.created_at], direction, limit, marker, _S.c.id)
