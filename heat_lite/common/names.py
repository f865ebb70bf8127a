"""Physical names: unique, short enough for the cloud, and telling whose they are."""

import base64
import uuid


def short_id(source=None):
    """Twelve characters a-z2-7 made from a UUID (a new one, if none is given)."""
    value = uuid.uuid4() if source is None else uuid.UUID(str(source))
    # the random 60 bits of a version 4 UUID: its version and variant bits carry nothing
    number = value.int
    bits = ((number >> 80) << 12 | (number >> 64) & 0xFFF) & ((1 << 60) - 1)
    return base64.b32encode((bits << 4).to_bytes(8, 'big'))[:12].decode().lower()


def physical_name(stack_name, resource_name, resource_uuid, limit=255):
    """``stack-resource-shortid``, cut in its first two parts where it would be longer than ``limit``."""
    name = f'{stack_name}-{resource_name}-{short_id(resource_uuid)}'
    return reduce_name(name, limit)


def reduce_name(name, limit):
    """The first two characters, a dash, and as much of the end as fits: the end holds the unique part."""
    if limit is None or len(name) <= limit:
        return name
    if limit < 4:
        raise ValueError('limit cannot be less than 4')
    return name[:2] + '-' + name[-(limit - 3) :]
