"""``heat-lite-manage container_orphans``: objects of container engines that no stack has."""

import contextlib
import dataclasses
import importlib
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from oslo_config.cfg import ConfigOpts

from heat_lite.clients import container_endpoints, errors
from heat_lite.common import container_labels, context, identifier, installation
from heat_lite.common.container_labels import MARK, RESOURCE, SERVICE, STACK_ID, STACK_NAME
from heat_lite.common.value_types import Value
from heat_lite.db import resources, stacks

#: the kinds in the order in which they can be removed, and the requests that remove them
REMOVALS = {
    'container': ('remove_container', {'force': True, 'v': True}),
    'network': ('remove_network', {}),
    'volume': ('remove_volume', {}),
    'image': ('remove_image', {'force': True}),
}
CONNECTION = ('ca_file', 'cert_file', 'key_file', 'insecure', 'timeout')
TIMEOUT = 60


@dataclasses.dataclass(frozen=True)
class Found:
    """An object of an engine with the label of this service."""

    kind: str
    id: str
    name: str
    labels: dict[str, str]

    def __str__(self) -> str:
        label = self.labels.get
        note = '' if label(SERVICE) else f' (without the label {SERVICE})'
        owner = f'resource {label(RESOURCE)} of stack {label(STACK_NAME)}'
        return f'{self.kind} {self.name}: {owner}{note}'


def container_orphans(conf: ConfigOpts) -> int:
    """Find containers, networks, volumes and images that no stack of the database has.

    Return 1 if there are any, and with --delete if any could not be removed. A label distinguishes
    objects of other services. Earlier versions did not set it: --delete leaves objects without it
    unless there is --unlabelled, too.
    """
    engine = _engine(conf)
    keys = (conf.auth_encryption_key, *conf.heat_lite.former_encryption_keys)
    try:
        own, others = split_by_service(labelled(engine), keys)
        found = orphans(own)
        for each in found:
            print(each)
        print(f'{engine.url}: {len(found)} orphans; {len(others)} objects are of other services')
        if not conf.command.delete:
            return 1 if found else 0
    except errors.ServiceError as error:
        raise ValueError(str(error)) from error
    removable = []
    for each in found:
        if SERVICE in each.labels or conf.command.unlabelled:
            removable.append(each)
        else:
            print(f'{each.kind} {each.name}: left; --unlabelled removes it, too')
    return 1 if remove(engine, removable) else 0


def remove(engine: Any, found: Iterable[Found]) -> list[str]:
    """Remove objects. Return what could not be removed, with the reasons."""
    failed = []
    for each in found:
        method, options = REMOVALS[each.kind]
        try:
            with contextlib.suppress(errors.NotFound):
                engine.call(method, each.id, **options)
            print(f'{each.kind} {each.name}: removed')
        except errors.ServiceError as error:
            failed.append(f'{each.kind} {each.name}: {error}')
    for line in failed:
        print(f'not removed: {line}')
    return failed


def _engine(conf: ConfigOpts) -> Any:
    """Return the client of the container engine. Raises ValueError if there is none."""
    group = conf.clients_docker
    local = container_endpoints.find_local()
    url = conf.command.url or group.url or (local and local.url)
    if not url:
        raise ValueError('There is no container engine: name it by --url URL.')
    options = {name: getattr(group, name) for name in CONNECTION}
    module = importlib.import_module('heat_lite.clients.container_engine')
    return module.ContainerEngine(url, {**options, 'timeout': options['timeout'] or TIMEOUT})


def labelled(engine: Any) -> Any:
    """Return the objects of an engine that have the label of this service."""
    marked = {'label': [MARK]}
    found = []
    for each in engine.call('containers', all=True, filters=marked):
        name = (each.get('Names') or [each['Id']])[0].lstrip('/')
        found.append(Found('container', each['Id'], name, each['Labels']))
    for each in engine.call('networks', filters=marked):
        found.append(Found('network', each['Id'], each['Name'], each['Labels']))
    for each in engine.call('volumes', filters=marked).get('Volumes') or ():
        found.append(Found('volume', each['Name'], each['Name'], each['Labels']))
    for each in engine.call('images', filters=marked):
        name = (each.get('RepoTags') or [each['Id']])[0]
        found.append(Found('image', each['Id'], name, each['Labels']))
    return found


def split_by_service(found: Value, keys: Sequence[str]) -> tuple[Any, list]:
    """Return the objects of the services with these encryption keys or without the label of a
    service, and those of other services.
    """
    ids = {None, *(installation.service_id(each.encode()) for each in keys)}
    own = [each for each in found if each.labels.get(SERVICE) in ids]
    return own, [each for each in found if each.labels.get(SERVICE) not in ids]


def orphans(found: Value) -> list:
    """Return the objects of stacks that are gone, and of resources that are gone.

    An object whose create was interrupted is none: the resource finds it again. Nor is one that
    another stack has adopted: it keeps its labels.
    """
    names = _names({each.labels.get(STACK_ID, '') for each in found})
    lost = [each for each in found if not _is_used(each, names.get(each.labels.get(STACK_ID)))]
    adopted = resources.existing_physical_ids([each.id for each in lost])
    return [each for each in lost if each.id not in adopted]


def _is_used(found: Value, names: Collection[str] | None) -> bool:
    """Return whether a resource has an object; ``names`` are those of the stack, None without."""
    if names is None:
        return False
    return container_labels.owner(found.labels) in names


def _names(stack_ids: Collection[str]) -> dict[str, set[str]]:
    """Return ``{stack id: physical names of its resources}`` of the living stacks."""
    admin = context.admin_context()
    living = [row for row in (stacks.get(admin, each) for each in sorted(stack_ids)) if row]
    names: dict[str, set[str]] = {row.id: set() for row in living}
    stack_names = {row.id: row.name for row in living}
    for row in resources.list_by_stacks(list(names)):
        stack_name = stack_names[row.stack_id]
        physical = identifier.object_name(row.data, stack_name, row.name, row.uuid)
        names[row.stack_id].add(physical)
    return names
