"""The disks of a server: how templates say them, and how the compute service wants to be told. Plain data in, plain data out."""

from heat_lite.common import exception

V1, V2 = 'block_device_mapping', 'block_device_mapping_v2'
#: what a disk can be; a mapping names one of them
SOURCES = ('volume_id', 'snapshot_id', 'image', 'swap_size', 'ephemeral_size', 'ephemeral_format')
#: what is handed on as it is
KEPT = ('device_name', 'device_type', 'disk_bus', 'boot_index', 'volume_size', 'volume_type', 'delete_on_termination')
#: the name of the device that a server starts from, in the first form
ROOT = 'vda'
#: a disk that goes with the server
LOCAL = {'destination_type': 'local', 'delete_on_termination': True}


def validate(name, image, mapping, mapping_v2):
    """Raises StackValidationFailed for disks that cannot be, or for a server ``name`` that would have nothing to start from."""
    if mapping and mapping_v2:
        raise exception.ResourcePropertyConflict(V1, V2)
    roots = _roots(mapping or ()) + _roots_v2(mapping_v2 or ())
    if not roots and not image:
        raise exception.StackValidationFailed(f'Neither image nor bootable volume is specified for instance {name}')
    if roots > 1:
        raise exception.StackValidationFailed(f'Multiple bootable sources for instance {name}.')


def _roots(mapping):
    for each in mapping:
        if each['volume_id'] is not None and each['snapshot_id'] is not None:
            raise exception.ResourcePropertyConflict('volume_id', 'snapshot_id')
        if each['volume_id'] is None and each['snapshot_id'] is None:
            raise exception.StackValidationFailed(
                f'Either volume_id or snapshot_id must be specified for device mapping {each["device_name"]}'
            )
    return sum(each['device_name'] == ROOT for each in mapping)


def _roots_v2(mapping):
    for each in mapping:
        sources = [source for source in SOURCES if each.get(source) is not None]
        if len(sources) > 1 and set(sources) != {'ephemeral_size', 'ephemeral_format'}:
            raise exception.ResourcePropertyConflict(*SOURCES)
        if not sources:
            raise exception.StackValidationFailed(
                'Either volume_id, snapshot_id, image_id, swap_size, ephemeral_size or ephemeral_format must be specified.'
            )
    return sum(_body(each)['boot_index'] == 0 for each in mapping)


def body(image, mapping, mapping_v2):
    """What a request for a server says of its disks, under the keys of the compute service. Who says something of disks in the second
    form has to say it of all, of the one that is made of the image, too."""
    said = {}
    if mapping:
        said[V1] = [{name: value for name, value in each.items() if value is not None} for each in mapping]
    if mapping_v2:
        root = [{'uuid': image, 'source_type': 'image', **LOCAL, 'boot_index': 0}] if image else []
        said[V2] = [*root, *(_body(each) for each in mapping_v2)]
    return said


def _body(given):
    """One disk of the second form; a volume is started from and outlives the server unless the template says otherwise."""
    if given.get('swap_size') is not None:
        made = _local(guest_format='swap', volume_size=given['swap_size'])
    elif given.get('ephemeral_size') is not None or given.get('ephemeral_format') is not None:
        made = _local(guest_format=given.get('ephemeral_format'), volume_size=given.get('ephemeral_size'))
    else:
        kind = next(kind for kind in ('volume_id', 'snapshot_id', 'image') if given.get(kind) is not None)
        made = {'source_type': kind.removesuffix('_id'), 'uuid': given[kind], 'destination_type': 'volume'}
        made.update(boot_index=0, delete_on_termination=False)
    return {**made, **{name: given[name] for name in KEPT if given.get(name) is not None}}


def _local(**said):
    """An empty disk that goes with the server, and is never started from."""
    given = {name: value for name, value in said.items() if value is not None}
    return {'source_type': 'blank', **LOCAL, 'boot_index': -1, **given}
