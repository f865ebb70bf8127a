"""The disks of a server in its request. Pure functions."""

from heat_lite.common.value_types import without_none

V1, V2 = 'block_device_mapping', 'block_device_mapping_v2'
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
#: a disk on the compute host, deleted with the server
LOCAL = {'destination_type': 'local', 'delete_on_termination': True}


def body(image, mapping, mapping_v2):
    """Return the disks in the request for a server.

    Nova requires block_device_mapping_v2 to list all disks, that of the image too.
    """
    request = {}
    if mapping:
        request[V1] = [without_none(disk) for disk in mapping]
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
    given = without_none(options)
    return {'source_type': 'blank', **LOCAL, 'boot_index': -1, **given}
