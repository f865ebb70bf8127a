"""The rules between the properties of a server, and between them and the cloud."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.property_rules import (
    conflict,
    empty,
    filled,
    for_each,
    given,
    missing,
    needs_version,
    only_with,
    refuse,
)
from heat_lite.resources.openstack.nova.server.block_devices import V1, V2
from heat_lite.resources.openstack.nova.server.networks_property import (
    ALLOCATE,
    EXTRA,
    IDENTITY,
)

#: the sources of a disk; a mapping names one of them
SOURCES = ('volume_id', 'snapshot_id', 'image', 'swap_size', 'ephemeral_size', 'ephemeral_format')


def _has(key, entries=1):
    """Return the test for a list of at least so many maps, one of which has the key."""
    return lambda maps, read: len(maps or ()) >= entries and any(filled(each[key]) for each in maps)


def _has_other_keys(value, read):
    return given(value) and sum(given(read(key)) for key in (*IDENTITY, EXTRA, 'floating_ip')) > 1


def _has_two_sources(value, read):
    *others, size, form = (given(read(key)) for key in SOURCES)
    return sum(others) + (size or form) > 1


def _boots(disk):
    return any(given(disk[key]) for key in SOURCES[:3]) and disk['boot_index'] in (None, 0)


def _has_two_boot_disks(disks, read):
    return disks and sum(map(_boots, disks)) + filled(read('image')) > 1


def _refuse_image(read, server):
    """Raise StackValidationFailed for an image that is not active or that needs more than the
    flavor has.
    """
    image, flavor = read('image'), read('flavor')
    if not image:
        return
    show = server.stack.clients().shown  # raises in the linter, before it loads the errors
    try:
        shown, size = show('glance.image', image), show('nova.flavor', flavor)
    except (errors.NotFound, errors.NoSuchObject):
        return  # the same template may make it
    if shown['status'] != 'active':
        raise exception.StackValidationFailed(
            f'Image status is required to be active not {shown["status"]}.'
        )
    for name, what, unit in (('ram', 'minimum ram', ''), ('disk', 'GB minimum disk space', ' GB')):
        need, has = shown.get(f'min_{name}') or 0, size.get(name) or 0
        if has < need:
            raise exception.StackValidationFailed(
                f'Image {image} requires {need} {what}. Flavor {flavor} has only {has}{unit}.'
            )


def _refuse_metadata(read, server):
    """Raise StackValidationFailed for more entries than the project may give a server."""
    count = len(read('metadata') or ())
    most = server.stack.clients().compute_limits()['maxServerMeta'] if count else count
    if 0 <= most < count:
        raise exception.StackValidationFailed(
            f'Instance metadata must not contain greater than {most} entries.  This is the maximum '
            'number allowed by your service provider'
        )


RULES = (
    conflict(V1, V2, test=filled),
    for_each(
        V1,
        conflict('volume_id', 'snapshot_id'),
        refuse(
            'Either volume_id or snapshot_id must be specified for device mapping {device_name}',
            volume_id=missing,
            snapshot_id=missing,
            device_name=given,
        ),
    ),
    for_each(
        V2,
        conflict(*SOURCES, volume_id=_has_two_sources),
        refuse(
            'Either volume_id, snapshot_id, image_id, swap_size, ephemeral_size or '
            'ephemeral_format must be specified.',
            **dict.fromkeys(SOURCES, missing),
        ),
    ),
    refuse(
        'Neither image nor bootable volume is specified for instance {resource.name}',
        image=empty,
        block_device_mapping=lambda disks, read: all(
            disk['device_name'] != 'vda' for disk in disks or ()
        ),
        block_device_mapping_v2=lambda disks, read: not any(map(_boots, disks or ())),
    ),
    refuse(
        'Multiple bootable sources for instance {resource.name}.',
        block_device_mapping_v2=_has_two_boot_disks,
    ),
    for_each(
        'networks',
        refuse(
            'One of the properties "network", "port", "allocate_network" or "subnet" should be set '
            'for the specified network of server "{resource.name}".',
            **dict.fromkeys(('network', 'port', ALLOCATE, 'subnet'), missing),
        ),
        refuse(
            'Can not specify "allocate_network" with other keys of networks at the same time.',
            allocate_network=_has_other_keys,
        ),
        conflict('networks/fixed_ip', 'networks/port'),
        refuse(
            'Property "floating_ip" is not supported if only "network" is specified, because the '
            'corresponding port can not be retrieved.',
            floating_ip=given,
            port=missing,
            subnet=missing,
            port_extra_properties=empty,
        ),
    ),
    refuse(
        'Property "allocate_network" can not be specified if multiple network interfaces set for '
        'server.',
        networks=_has(ALLOCATE, 2),
    ),
    conflict('security_groups', 'networks/port', security_groups=filled, networks=_has('port')),
    refuse(
        'Cannot use the personality parameter as nova no longer supports it. '
        'Use user_data instead.',
        personality=filled,
    ),
    _refuse_image,
    needs_version('2.37', ALLOCATE, networks=_has(ALLOCATE)),
    needs_version('2.42', 'networks.tag', networks=_has('tag')),
    needs_version('2.26', 'tags', tags=filled),
    needs_version('2.19', 'description', description=filled),
    needs_version('2.90', 'hostname', hostname=filled),
    needs_version('2.74', 'host', host=filled),
    needs_version('2.74', 'hypervisor_hostname', hypervisor_hostname=filled),
    needs_version('2.73', 'locked_reason', locked_reason=filled),
    needs_version('2.63', 'trusted_image_certificates', trusted_image_certificates=filled),
    only_with('locked_reason', 'locked', True),
    needs_version('2.67', f'{V2}.volume_type', block_device_mapping_v2=_has('volume_type')),
    _refuse_metadata,
)
