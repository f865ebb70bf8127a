"""The disks of a server: rules and the request. Pure functions."""

from heat_lite.common import exception

V1, V2 = 'block_device_mapping', 'block_device_mapping_v2'
#: the sources of a disk; a mapping names one of them
SOURCES = ('volume_id', 'snapshot_id', 'image', 'swap_size', 'ephemeral_size', 'ephemeral_format')
#: keys that are the same in templates and requests
PLAIN = (
    'device_name',
    'device_type',
    'disk_bus',
    'boot_index',
    'volume_size',
    'volume_type',
    'delete_on_termination',
)
#: the microversion that knows the types of new volumes
WITH_VOLUME_TYPE = '2.67'
#: the device name of the boot disk in block_device_mapping
ROOT = 'vda'
#: a disk on the compute host, deleted with the server
LOCAL = {'destination_type': 'local', 'delete_on_termination': True}


def validate(name, image, mapping, mapping_v2):
    """Validate the disks of the server resource ``name``; it needs exactly one to boot from.

    Raises StackValidationFailed or ResourcePropertyConflict.
    """
    if mapping and mapping_v2:
        raise exception.ResourcePropertyConflict(V1, V2)
    first, boot_disks = _count_boot_disks(mapping or ()), _count_boot_disks_v2(mapping_v2 or ())
    if not first and not boot_disks and not image:
        raise exception.StackValidationFailed(
            f'Neither image nor bootable volume is specified for instance {name}'
        )
    if mapping_v2 and boot_disks + bool(image) > 1:
        raise exception.StackValidationFailed(f'Multiple bootable sources for instance {name}.')


def require_types(mapping_v2, supports):
    """Raise StackValidationFailed if a disk has a ``volume_type`` that Nova does not know.

    ``supports(microversion)`` tells whether requests can have a microversion.
    """
    if any(disk['volume_type'] for disk in mapping_v2 or ()) and not supports(WITH_VOLUME_TYPE):
        raise exception.StackValidationFailed(
            f'{V2}.volume_type needs microversion {WITH_VOLUME_TYPE} of Nova.'
        )


def _count_boot_disks(mapping):
    for disk in mapping:
        if disk['volume_id'] is not None and disk['snapshot_id'] is not None:
            raise exception.ResourcePropertyConflict('volume_id', 'snapshot_id')
        if disk['volume_id'] is None and disk['snapshot_id'] is None:
            raise exception.StackValidationFailed(
                'Either volume_id or snapshot_id must be specified for device mapping '
                f'{disk["device_name"]}'
            )
    return sum(disk['device_name'] == ROOT for disk in mapping)


def _count_boot_disks_v2(mapping):
    for disk in mapping:
        sources = [source for source in SOURCES if disk.get(source) is not None]
        if len(sources) > 1 and set(sources) != {'ephemeral_size', 'ephemeral_format'}:
            raise exception.ResourcePropertyConflict(*SOURCES)
        if not sources:
            raise exception.StackValidationFailed(
                'Either volume_id, snapshot_id, image_id, swap_size, ephemeral_size or '
                'ephemeral_format must be specified.'
            )
    return sum(_disk_v2(disk)['boot_index'] == 0 for disk in mapping)


def body(image, mapping, mapping_v2):
    """Return the disks in the request for a server.

    Nova requires block_device_mapping_v2 to list all disks, that of the image too.
    """
    request = {}
    if mapping:
        request[V1] = [
            {name: value for name, value in disk.items() if value is not None} for disk in mapping
        ]
    if mapping_v2:
        root = [{'uuid': image, 'source_type': 'image', **LOCAL, 'boot_index': 0}] if image else []
        request[V2] = [*root, *(_disk_v2(disk) for disk in mapping_v2)]
    return request


def _disk_v2(disk):
    """Return one disk of block_device_mapping_v2.

    By default a volume is the boot disk and is kept when the server is deleted.
    """
    if disk.get('swap_size') is not None:
        request = _blank_disk(guest_format='swap', volume_size=disk['swap_size'])
    elif disk.get('ephemeral_size') is not None or disk.get('ephemeral_format') is not None:
        request = _blank_disk(
            guest_format=disk.get('ephemeral_format'), volume_size=disk.get('ephemeral_size')
        )
    else:
        kinds = ('volume_id', 'snapshot_id', 'image')
        source = next(kind for kind in kinds if disk.get(kind) is not None)
        request = {
            'source_type': source.removesuffix('_id'),
            'uuid': disk[source],
            'destination_type': 'volume',
            'boot_index': 0,
            'delete_on_termination': False,
        }
    return {**request, **{name: disk[name] for name in PLAIN if disk.get(name) is not None}}


def _blank_disk(**options):
    """Return an empty local disk that is not a boot disk."""
    given = {name: value for name, value in options.items() if value is not None}
    return {'source_type': 'blank', **LOCAL, 'boot_index': -1, **given}
