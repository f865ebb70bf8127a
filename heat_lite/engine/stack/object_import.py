"""The import of an existing object as a resource: ``import: {id: ...}`` in its definition.

It asks nothing of a resource that the stack has, so it may stay in a template.

Tests: tests/functional/test_object_import.py.
"""

import contextlib
import re
from collections.abc import Mapping, Sequence

from heat_lite.common import exception, status
from heat_lite.common.value_texts import as_json
from heat_lite.common.value_types import Value
from heat_lite.db import resources as db_resources, stacks as db_stacks
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import diff
from heat_lite.template.unknown import ValueUnknown, is_known

#: key of the data of a resource whose object existed before: a rollback leaves it
IMPORTED = 'imported'
#: what no id has: the path to an object would lead elsewhere
NO_ID = re.compile(r'[?#%\x00-\x1f]|(^|/)\.\.?(/|$)|^/|/$|^\s*$')
#: the keys by which services show the project of an object; those of Keystone belong to none
PROJECT_KEYS = ('project_id', 'tenant_id', 'os-vol-tenant-attr:tenant_id', 'owner')
KEYSTONE = 'OS::Keystone::'


def object_id(resource: Resource) -> Value:
    """Return the id of the object to import; it may be unknown yet."""
    found = resource.stack.resolve(resource.definition.import_id)
    refuse_other_path(found, resource.definition.place('import_id'))
    return str(found) if isinstance(found, int | float) else found


def refuse_other_path(found: Value, place: Sequence) -> None:
    """Raise StackValidationFailed for an id that would lead to something else than an object."""
    if isinstance(found, dict | list | bool) or isinstance(found, str) and NO_ID.search(found):
        raise exception.StackValidationFailed(
            f'{as_json(found)} is no id of an object.', path=place
        )


def compare(
    resource: Resource, later: frozenset[str] = frozenset()
) -> tuple[Resource, diff.Decision]:
    """Return the resource as it is after the import, with the live values in the place of the
    stored ones, and the Decision about what its definition then changes.

    ``later`` are the properties whose values are not known yet. Raises StackValidationFailed if
    there is no such object, or if it cannot become what the definition says.
    """
    item = resource.standing_for(object_id(resource))
    record = item.record
    record.action, record.status = status.ADOPT, status.COMPLETE
    given = item.properties.raw_values()
    record.properties = {name: value for name, value in given.items() if is_known(value)}
    stored = item.stored_properties()
    item.require_service(item.stack.clients(), item.type())
    if not item.object_exists():
        raise _refused(item, 'it can not be found')
    _require_own_project(item)
    require_sole_owner(item)
    found = item.importable_state()
    if found is None:
        raise _refused(item, item.not_compared)
    changed = {name: value for name, value in found.items() if value != stored.get(name)}
    record.properties = {**record.properties, **changed}
    decision = diff.decide(item, item.definition, later=later)
    if decision.action == diff.REPLACE and not decision.may_replace:
        raise _refused(item, f'{decision.reason}. Describe the object as it is')
    return item, decision


def project_of(shown: Mapping[str, Value]) -> str | None:
    """Return the id of the project that owns an object, if its service shows it."""
    return next(filter(None, map(shown.get, PROJECT_KEYS)), None)


def other_project(item: Resource) -> str | None:
    """Return the id of the project that owns the object, if it is not that of the stack."""
    shown = item.show()
    if not isinstance(shown, Mapping) or item.type().startswith(KEYSTONE):
        return None
    project, own = project_of(shown), item.stack.runtime.project_id(item.stack.tenant)
    # the setting of a project has the id of the project
    return None if project in (own, item.resource_id) else project


def _require_own_project(item: Resource) -> None:
    """Raise StackValidationFailed if another project owns the object, which its service lets none
    but that project and administrators delete.
    """
    project = None if item.context.is_admin else other_project(item)
    if project is not None:
        raise _refused(
            item,
            f'it belongs to the project {project}. Refer to it by external_id, or by an '
            'OS::HeatLite::Lookup',
        )


def require_sole_owner(item: Resource) -> None:
    """Raise StackValidationFailed if the object belongs to another resource of the project."""
    present = owner(item)
    if present is not None:
        raise _refused(item, f'it belongs to {present} already. Move it, or remove it there first')


def owner(item: Resource) -> str | None:
    """Return STACK/RESOURCE of another resource of the project that would delete the object.

    In the stack itself that is also one that imports the same object.
    """
    stack, key = item.stack, item.object_key()
    for name in stack.bound.importers(item.resource_id):
        if name != item.name:
            other = stack.resource_for(name)
            with contextlib.suppress(ValueUnknown):  # of what it belongs to: it has another path
                if other.object_key() == key and object_id(other) == item.resource_id:
                    return f'{stack.name}/{name}'
    for row in db_resources.list_by_physical_id(item.resource_id):
        found = db_stacks.get(stack.context, row.stack_id)
        if found is None or (row.stack_id, row.name) == (stack.id, item.name):
            continue
        loaded = type(stack).from_row(stack.runtime, stack.context, found)
        other = loaded.resource_for(row.name)
        if other.object_key() == key and not diff.keeps_object(other):
            return f'{found.name}/{row.name}'
    return None


def _refused(item: Resource, reason: str) -> exception.StackValidationFailed:
    return exception.StackValidationFailed(
        f'The object {item.resource_id} ({item.type()}) cannot be imported: {reason.rstrip(".")}.',
        path=item.definition.place('import_id'),
    )
