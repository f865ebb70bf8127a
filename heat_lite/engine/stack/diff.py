"""The difference between a resource and a new definition, and the decision: nothing, update or
replacement.

Updates and their previews both call ``decide``, so a preview shows what an update does. This module
changes nothing.
"""

import typing
from collections.abc import Collection, Mapping

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values
from heat_lite.engine.resource.resource import Resource
from heat_lite.template import function, stored_properties
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.unknown import Unknown, ValueUnknown, is_known

#: actions whose interruption leaves the object in an unknown state
CREATING_OR_DELETING = (status.CREATE, status.ADOPT, status.DELETE)
PARTS = ('metadata', 'update_policy', 'deletion_policy', 'depends_on')
_CFN_WORDS = {part: part.title().replace('_', '') for part in ('properties', *PARTS)}
_PART_WORDS = {*PARTS, *map(_CFN_WORDS.get, PARTS)}
NONE, CREATE, UPDATE, REPLACE, DELETE = 'none', 'create', 'update', 'replace', 'delete'
IMPORT = 'import'


class TemplateDiff(dict):
    """The changed parts of a definition, by name; with the questions that Heat's plug-ins ask."""

    def properties_changed(self) -> bool:
        return 'properties' in self

    def metadata_changed(self) -> bool:
        return 'metadata' in self

    def update_policy_changed(self) -> bool:
        return 'update_policy' in self


class Changes(typing.NamedTuple):
    """``properties``: name -> new value (None if removed).

    ``definition``: part -> new raw value (Properties, Metadata, ...).
    """

    properties: Values
    definition: Values


class Decision(typing.NamedTuple):
    """What is to be done with one resource, and why.

    ``later`` are the properties whose new values are known only after other resources are done;
    with ``may_replace``, they decide between update and replacement. ``forced_by`` are the
    properties that require the replacement.
    """

    action: str
    changes: Changes | None = None
    forced_by: tuple[str, ...] = ()
    reason: str | None = None
    later: frozenset[str] = frozenset()
    may_replace: bool = False


def decide(
    resource: Resource,
    definition: ResourceDefinition,
    new_type: bool = False,
    later: frozenset[str] = frozenset(),
) -> Decision:
    """Return the Decision about a resource that shall match ``definition``.

    ``new_type``: the definition has another type. ``later``: names of properties whose values are
    not known yet. Raises NotSupported for a change that is never allowed, StackValidationFailed for
    invalid values.
    """
    if is_import(resource, definition):
        return Decision(IMPORT, later=later)
    if resource.action == status.INIT:
        return Decision(CREATE, later=later)
    if resource.record.id in resource.stack.run.replaced:
        return Decision(REPLACE, reason='the request replaces it', later=later)
    if new_type:
        return Decision(
            REPLACE,
            reason=f'its type changes from {resource.type()} to {definition.resource_type}',
            later=later,
        )
    if resource.always_replaced:
        return Decision(REPLACE, reason='each update replaces a resource of its type', later=later)
    if _needs_replacement_after_failure(resource):
        return Decision(REPLACE, reason=f'it is {resource.action}_{resource.status}', later=later)
    refuse_other_external_id(resource, definition)
    if definition.external_id is not None:
        return Decision(NONE)  # an external object is never changed
    changes = between(resource, definition, later)
    if changes is None and not later:
        return Decision(NONE)
    return _change(resource, definition, changes or Changes({}, TemplateDiff()), later)


def _change(
    resource: Resource, definition: ResourceDefinition, changes: Changes, later: frozenset[str]
) -> Decision:
    _refuse_immutable(resource, changes.properties)
    certain = _forcing(resource, definition, set(changes.properties), changes.definition, later)
    forced = certain or _forcing(
        resource, definition, {*changes.properties, *later}, changes.definition, later, doubt=True
    )
    if not forced:
        broken = (
            None
            if resource.status == status.COMPLETE
            else f'it is {resource.action}_{resource.status}'
        )
        return Decision(UPDATE, changes, reason=broken, later=later)
    names = tuple(name for name in sorted(forced) if name)
    return Decision(REPLACE, changes, names, _reason(names), later, may_replace=not certain)


def between(
    resource: Resource, definition: ResourceDefinition, later: frozenset[str] = frozenset()
) -> Changes | None:
    """Return the Changes, or None if there are none.

    Properties compare by resolved values: those given at the last action, read through the present
    schema, with those of the new definition.
    """
    changed = _changed_properties(resource, definition, later)
    parts = _changed_parts(resource, definition)
    if changed:
        parts['properties'] = _raw(definition, 'properties')
    if (
        not changed
        and not parts
        and resource.status == status.COMPLETE
        and not _needs_update(resource, definition)
    ):
        return None
    return Changes(changed, parts)


def _changed_parts(resource: Resource, definition: ResourceDefinition) -> TemplateDiff:
    before = resource.definition
    has_parts = not all(map(_PART_WORDS.isdisjoint, (before.raw, definition.raw)))
    if not has_parts and before.deletion_policy == definition.deletion_policy:
        return TemplateDiff()
    names = [name for name in PARTS if _differs(resource, definition, name)]
    return TemplateDiff((name, getattr(definition, name)) for name in names)


def _needs_update(resource: Resource, definition: ResourceDefinition) -> bool:
    try:
        return resource.needs_update(definition)
    except ValueUnknown:
        return True


def is_kept(resource: Resource, definition: ResourceDefinition) -> bool:
    """Return whether ``decide`` has nothing to do with a complete resource, as its definitions tell
    without its schema; False if only ``decide`` can tell.
    """
    record, stack = resource.record, resource.stack
    ids = definition.import_id, definition.external_id, resource.definition.external_id
    return (
        record.status == status.COMPLETE
        and record.action != status.INIT
        and ids == (None, None, None)
        and record.id not in stack.run.replaced
        and not resource.always_replaced
        and type(resource) is stack.class_of(definition)
        and _keeps_properties(resource, definition)
        and not _changed_parts(resource, definition)
        and not _needs_update(resource, definition)
    )


def _keeps_properties(resource: Resource, definition: ResourceDefinition) -> bool:
    """Return whether a definition gives what is stored; False if only the type can tell."""
    given, stored = definition.properties or {}, resource.record.properties or {}
    if type(resource).properties_of is not Resource.properties_of or definition.ignored_paths:
        return False
    if given is not _raw(definition, 'properties'):  # it has functions
        given = resource.stack.resolve(given)
    return is_known(given) and stored_properties.equal(stored, given)


def _changed_properties(
    resource: Resource, definition: ResourceDefinition, later: frozenset[str]
) -> Values:
    if _keeps_properties(resource, definition):
        return {}
    properties = resource.properties_of(definition)
    before = resource.stored_properties()
    changed = stored_properties.changed_values(before, properties, later)
    ceased = {
        name
        for name, value in (resource.record.properties or {}).items()
        if value is not None and name not in properties
    }
    return {**changed, **dict.fromkeys(sorted(ceased))}


def _differs(resource: Resource, definition: ResourceDefinition, part: str) -> bool:
    """Return whether a part of the definition differs.

    Equal text may resolve differently with new parameters.
    """
    before = resource.definition
    was, becomes = _raw(before, part), _raw(definition, part)
    if not is_known(was, becomes) or was != becomes:
        return True
    if part == 'deletion_policy':
        return definition.deletion_policy != before.deletion_policy
    return (
        part == 'metadata'
        and any(function.nodes(definition.metadata))
        and resource.stack.metadata_changes(resource, definition)
    )


def is_import(resource: Resource, definition: ResourceDefinition) -> bool:
    """Return whether an existing object becomes the resource, which has none yet.

    A rollback and a restore create anew what has been deleted since.
    """
    stack = resource.stack
    if definition.import_id is None or resource.resource_id is not None:
        return False
    if resource.action == status.INIT:
        goes_back = not {status.ROLLBACK, status.RESTORE}.isdisjoint(stack.tree.actions())
        return not goes_back or definition.deletion_policy == 'Retain'
    return resource.action == status.ADOPT and stack.action != status.ADOPT


def keeps_object(resource: Resource) -> bool:
    """Return whether the object stays where it is when the stack no longer has the resource."""
    definition = resource.definition
    return definition.deletion_policy == 'Retain' or definition.external_id is not None


def prevents_destroy(resource: Resource, *wanted: ResourceDefinition) -> bool:
    """Return whether the lifecycle of a resource, present or ``wanted``, protects its object.

    A resource that has never been complete is not protected.
    """
    made = resource.action not in (status.INIT, status.CREATE) or resource.state == (
        status.CREATE,
        status.COMPLETE,
    )
    definitions = (resource.definition, *wanted)
    return made and not keeps_object(resource) and any(d.prevents_destroy for d in definitions)


def refuse_other_external_id(resource: Resource, definition: ResourceDefinition) -> None:
    """Raise NotSupported if the definition adds, removes or changes ``external_id``."""
    before, after = resource.definition.external_id, definition.external_id
    value = None if after is None else resource.stack.resolve(after)
    if (before is None) != (after is None) or (
        value is not None and not isinstance(value, Unknown) and str(value) != resource.resource_id
    ):
        raise exception.NotSupported(
            feature=f'Update to property external_id of {resource.name} ({resource.type()})'
        )


def _refuse_immutable(resource: Resource, changed: Collection[str]) -> None:
    schemata = resource.properties_schema
    immutable = sorted(name for name in changed if name in schemata and schemata[name].immutable)
    if immutable:
        text = ', '.join(immutable)
        raise exception.NotSupported(
            feature=f'Update to properties {text} of {resource.name} ({resource.type()})'
        )


def _forcing(
    resource: Resource,
    definition: ResourceDefinition,
    changed: Collection[str],
    parts: Mapping[str, Value],
    later: frozenset[str],
    doubt: bool = False,
) -> Collection[str]:
    """Return the changed properties that require a replacement; ``{''}`` if it is no single
    property.

    ``doubt`` is the answer where the type reads a value that is known only later.
    """
    after = resource.properties_of(definition)
    # the schema of a template changes with the template
    schemata = {**after.schemata, **resource.properties_schema}
    fixed = {name for name in changed if name not in schemata or not schemata[name].update_allowed}
    if fixed:
        return fixed
    try:
        return _forced_by_type(resource, changed, parts, after)
    except ValueUnknown:
        return later if doubt else set()


def _forced_by_type(
    resource: Resource,
    changed: Collection[str],
    parts: Mapping[str, Value],
    after: Mapping[str, Value],
) -> Collection[str]:
    before = resource.stored_properties()
    if resource.needs_replace_with_prop_diff(changed, after, before):
        return {
            name for name in changed if resource.needs_replace_with_prop_diff({name}, after, before)
        } or changed
    if resource.needs_replace(after) or resource.needs_replace_with_tmpl_diff(parts):
        return {''}
    return set()


def _reason(names: Collection[str]) -> str:
    if not names:
        return 'its type says so'
    return f'only a new resource can take another {", ".join(names)}'


def _needs_replacement_after_failure(resource: Resource) -> bool:
    """Return whether the resource has failed in a way that its type cannot repair.

    An interrupted update is no such failure.
    """
    failed = (
        resource.status == status.FAILED
        or resource.status != status.COMPLETE
        and resource.action in CREATING_OR_DELETING
    )
    if resource.action == status.CHECK:
        return failed and resource.always_replace_on_check_failed
    return failed and resource.needs_replace_failed()


def _raw(definition: ResourceDefinition, part: str) -> Value:
    """Return a part as the template has it; ``update_policy`` is UpdatePolicy in CloudFormation."""
    raw = definition.raw
    return raw[part] if part in raw else raw.get(_CFN_WORDS[part])
