"""What differs between a resource as it is and a new definition of it, and whether that takes a replacement."""

import typing

from heat_lite.common import exception, status

PARTS = ('metadata', 'update_policy', 'deletion_policy', 'external_id')


class Changes(typing.NamedTuple):
    """``properties``: name -> new value (None where it was removed); ``definition``: part -> new raw value (Properties, Metadata, ...)."""

    properties: dict
    definition: dict


def between(resource, definition):
    """The changes, or None when there are none.

    Properties compare by their resolved values: what was stored at the last action with what the new definition gives now.
    """
    after = resource.properties_of(definition).resolved()
    before = resource.record.properties or {}
    changed = {name: value for name, value in after.items() if value != before.get(name)}
    changed.update({name: None for name in before if name not in after})
    parts = {name: getattr(definition, name) for name in PARTS if _raw(definition, name) != _raw(resource.definition, name)}
    if changed:
        parts['properties'] = definition.raw.get('properties', definition.raw.get('Properties'))
    if not changed and not parts and _resting(resource):
        return None
    return Changes(changed, parts)


def check_replacement(resource, definition, changes):
    """Raises UpdateReplace where the schema or the type wants a new resource, NotSupported for a property that may never change."""
    schemata = resource.properties_schema
    changed = set(changes.properties)
    immutable = sorted(name for name in changed if schemata[name].immutable)
    if immutable:
        text = ', '.join(immutable)
        raise exception.NotSupported(feature=f'Update to properties {text} of {resource.name} ({resource.type()})')
    after = resource.properties_of(definition)
    if (
        any(not schemata[name].update_allowed for name in changed)
        or resource.needs_replace(after)
        or resource.needs_replace_with_prop_diff(changed, after, resource.properties)
        or resource.needs_replace_with_tmpl_diff(changes.definition)
    ):
        raise exception.UpdateReplace(resource.name)


def _raw(definition, name):
    return definition.raw.get(name, definition.raw.get(_CFN_NAMES.get(name)))


_CFN_NAMES = {'metadata': 'Metadata', 'update_policy': 'UpdatePolicy', 'deletion_policy': 'DeletionPolicy'}


def _resting(resource):
    """Whether its last action ended well, so that nothing has to be done again."""
    return resource.status == status.COMPLETE
