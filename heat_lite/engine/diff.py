"""What differs between a resource as it is and a new definition of it, and what has to be done about it: nothing, an update, a replacement.

The steps of an update and the preview of one both ask ``decide``, so that what is foretold is what happens. Nothing here changes anything.
"""

import typing
from collections.abc import Mapping

from heat_lite.common import exception, status
from heat_lite.template import function

#: actions in the midst of which nobody knows what there is
MAKING_OR_TAKING = (status.CREATE, status.ADOPT, status.DELETE)
PARTS = ('metadata', 'update_policy', 'deletion_policy', 'depends_on')
NONE, CREATE, UPDATE, REPLACE, DELETE = 'none', 'create', 'update', 'replace', 'delete'


class Changes(typing.NamedTuple):
    """``properties``: name -> new value (None where it was removed); ``definition``: part -> new raw value (Properties, Metadata, ...)."""

    properties: dict
    definition: dict


class Decision(typing.NamedTuple):
    """What is to be done with one resource, and why.

    ``later`` are the properties whose new values only show when other resources are done; with ``may_replace`` it is these that decide
    between an update and a replacement. ``forced_by`` are the properties that take the replacement.
    """

    action: str
    changes: Changes | None = None
    forced_by: tuple = ()
    reason: str | None = None
    later: frozenset = frozenset()
    may_replace: bool = False


def decide(resource, definition, new_type=False, later=frozenset()):
    """The Decision about a resource that shall become what ``definition`` says. Raises NotSupported for a change that is never allowed,
    StackValidationFailed for values that the type does not take.

    ``new_type``: the definition asks for another type. ``later`` are names of properties whose values cannot be told yet.
    """
    if resource.action == status.INIT:
        return Decision(CREATE, later=later)
    if new_type:
        return Decision(REPLACE, reason=f'its type changes from {resource.type()} to {definition.resource_type}', later=later)
    if resource.always_replaced:
        return Decision(REPLACE, reason='each update replaces a resource of its type', later=later)
    if _beyond_repair(resource):
        return Decision(REPLACE, reason=f'it is {resource.action}_{resource.status}', later=later)
    refuse_other_external_id(resource, definition)
    if definition.external_id is not None:
        return Decision(NONE)  # somebody else's object is never changed
    changes = between(resource, definition, later)
    if changes is None and not later:
        return Decision(NONE)
    return _change(resource, definition, changes or Changes({}, {}), later)


def _change(resource, definition, changes, later):
    _refuse_immutable(resource, changes.properties)
    sure = _forcing(resource, definition, set(changes.properties), changes.definition, later)
    forced = sure or _forcing(resource, definition, {*changes.properties, *later}, changes.definition, later, doubt=True)
    if not forced:
        broken = f'it is {resource.action}_{resource.status}' if not _resting(resource) else None
        return Decision(UPDATE, changes, reason=broken, later=later)
    names = tuple(name for name in sorted(forced) if name)
    return Decision(REPLACE, changes, names, _because(names), later, may_replace=not sure)


def between(resource, definition, later=frozenset()):
    """The changes, or None when there are none.

    Properties compare by their resolved values: what was stored at the last action with what the new definition gives now.
    """
    properties = resource.properties_of(definition)
    after = {name: properties[name] for name in properties if name not in later} if later else properties.resolved()
    before = resource.record.properties or {}
    changed = {name: value for name, value in after.items() if value != before.get(name)}
    changed.update({name: None for name in before if name not in properties})
    parts = {name: getattr(definition, name) for name in PARTS if _differs(resource, definition, name)}
    if changed:
        parts['properties'] = definition.raw.get('properties', definition.raw.get('Properties'))
    if not changed and not parts and _resting(resource) and not resource.needs_update(definition):
        return None
    return Changes(changed, parts)


def _differs(resource, definition, part):
    """Whether a part of the definition is another one; what is written the same may mean something else with other parameters."""
    before = resource.definition
    if _raw(definition, part) != _raw(before, part):
        return True
    if part == 'deletion_policy':
        return definition.deletion_policy != before.deletion_policy
    return part == 'metadata' and any(function.nodes(definition.metadata)) and resource.stack.metadata_changes(resource, definition)


def refuse_other_external_id(resource, definition):
    """Raises NotSupported where the definition names another object of somebody else, or one where there was none, or none any more."""
    before, after = resource.definition.external_id, definition.external_id
    if (before is None) != (after is None) or after is not None and resource.stack.resolve(after) != resource.resource_id:
        raise exception.NotSupported(feature=f'Update to property external_id of {resource.name} ({resource.type()})')


def _refuse_immutable(resource, changed):
    schemata = resource.properties_schema
    immutable = sorted(name for name in changed if name in schemata and schemata[name].immutable)
    if immutable:
        text = ', '.join(immutable)
        raise exception.NotSupported(feature=f'Update to properties {text} of {resource.name} ({resource.type()})')


def _forcing(resource, definition, changed, parts, later, doubt=False):
    """The properties among the changed ones that only a new resource can take; ``{''}`` where it is no single property.

    Where the type's answer depends on a value that is known only later, ``doubt`` decides.
    """
    schemata = resource.properties_schema
    fixed = {name for name in changed if name not in schemata or not schemata[name].update_allowed}
    if fixed:
        return fixed
    after = resource.properties_of(definition)
    try:
        return _wanted_by_type(resource, changed, parts, _Known(after, later) if later else after)
    except _KnownLater as unknown:
        return {unknown.name} if doubt else set()


def _wanted_by_type(resource, changed, parts, after):
    before = {**dict.fromkeys(resource.properties_schema), **(resource.record.properties or {})}
    if resource.needs_replace_with_prop_diff(changed, after, before):
        return {name for name in changed if resource.needs_replace_with_prop_diff({name}, after, before)} or changed
    if resource.needs_replace(after) or resource.needs_replace_with_tmpl_diff(parts):
        return {''}
    return set()


class _KnownLater(Exception):
    def __init__(self, name):
        super().__init__(name)
        self.name = name


class _Known(Mapping):
    """Properties of which some are known only later: whoever reads one of these learns just that."""

    def __init__(self, properties, later):
        self._properties, self._later = properties, later

    def __getitem__(self, name):
        if name in self._later:
            raise _KnownLater(name)
        return self._properties[name]

    def __iter__(self):
        return iter(self._properties)

    def __len__(self):
        return len(self._properties)

    def __getattr__(self, name):
        return getattr(self._properties, name)


def _because(names):
    if not names:
        return 'its type says so'
    return f'only a new resource can take another {", ".join(names)}'


def _beyond_repair(resource):
    """Whether it has failed in a way that its type does not know how to mend. What was interrupted in the midst of a change has not."""
    failed = resource.status == status.FAILED or resource.status != status.COMPLETE and resource.action in MAKING_OR_TAKING
    if resource.action == status.CHECK:
        return failed and resource.always_replace_on_check_failed
    return failed and resource.needs_replace_failed()


def _resting(resource):
    """Whether its last action ended well, so that nothing has to be done again."""
    return resource.status == status.COMPLETE


def _raw(definition, name):
    return definition.raw.get(name, definition.raw.get(_CFN_NAMES.get(name)))


_CFN_NAMES = {
    'metadata': 'Metadata',
    'update_policy': 'UpdatePolicy',
    'deletion_policy': 'DeletionPolicy',
    'depends_on': 'DependsOn',
}
