"""Labels of the objects in a container engine: which service, stack and resource each is of."""

from collections.abc import Mapping

#: the label that all objects of this service have
MARK = 'heat_lite'
#: the unique physical name of the resource, by which its object is found again
OBJECT = 'heat_lite.object'
#: the service: objects of others that use the same engine have another id
SERVICE = 'heat_lite.service'
STACK_ID, STACK_NAME = 'heat_lite.stack_id', 'heat_lite.stack_name'
RESOURCE, PROJECT = 'heat_lite.resource', 'heat_lite.project'
#: what the physical name of a helper container ends in, and of a volume in a snapshot
_COPY = '-copy'


def named(physical_name: str) -> dict[str, list[str]]:
    """Return the filter of a list that only the object with this physical name passes."""
    return {'label': [f'{OBJECT}={physical_name}']}


def label_resource(stack_id: str, name: str) -> dict[str, list[str]]:
    """Return the filter of a list that all objects of a resource pass, also replaced ones."""
    return {'label': [f'{STACK_ID}={stack_id}', f'{RESOURCE}={name}']}


def label_copy(labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of a helper, or of a copy, of the object with these labels."""
    return {**labels, OBJECT: copy_name(labels[OBJECT])}


def copy_name(physical_name: str) -> str:
    """Return the physical name of a helper, or of a copy, of an object."""
    return physical_name + _COPY


def owner(labels: Mapping[str, str]) -> str:
    """Return the physical name of the resource that an object, its helper or its copy is of."""
    return labels.get(OBJECT, '').removesuffix(_COPY)
