"""Identifiers of stacks, resources and events (dict, ARN, URL path), and generated names."""

import base64
import dataclasses
import re
import threading
import typing
import urllib.parse
import uuid
from collections.abc import Mapping

from heat_lite.common import lru_cache

_ARN = re.compile(
    r'^arn:openstack:heat::(?P<tenant>[^:]*)'
    r':stacks/(?P<stack_name>[^/]+)/(?P<stack_id>[^/]+)(?P<path>/.*)?$'
)
# Characters that need no quoting; most paths have no others.
_PLAIN = re.compile(r'[A-Za-z0-9_.~/:-]*')


@dataclasses.dataclass(frozen=True)
class HeatIdentifier:
    """The identifier of a stack, or of an entity of the stack.

    ``path`` is empty, or the path below the stack with a leading slash: ``/resources/NAME``.
    """

    tenant: str
    stack_name: str
    stack_id: str | None
    path: str = ''

    def __post_init__(self) -> None:
        if self.path and not self.path.startswith('/'):
            object.__setattr__(self, 'path', '/' + self.path)

    @classmethod
    def from_dict(cls, identity: Mapping[str, typing.Any]) -> 'HeatIdentifier':
        """Return the identifier of a dict from RPC. Raises KeyError or TypeError when invalid."""
        return cls(
            identity['tenant'],
            identity['stack_name'],
            identity['stack_id'],
            identity.get('path', ''),
        )

    @classmethod
    def from_arn(cls, arn: str) -> 'HeatIdentifier':
        """Return the identifier of an ARN. Raises ValueError when the ARN is not one of a stack."""
        match = _ARN.match(arn)
        if not match:
            raise ValueError(f'"{arn}" is not a valid ARN')
        tenant, name, id_, path = (urllib.parse.unquote(part or '') for part in match.groups())
        return cls(tenant, name, id_, path)

    def as_dict(self) -> dict[str, str | None]:
        return {
            'tenant': self.tenant,
            'stack_name': self.stack_name,
            'stack_id': self.stack_id,
            'path': self.path,
        }

    def arn(self) -> str:
        tenant, _, tail = self.url_path().partition('/')
        return f'arn:openstack:heat::{tenant}:{tail}'

    def url_path(self) -> str:
        """Return ``tenant/stacks/name/id/path`` with each part quoted."""
        return stack_path(self.tenant, self.stack_name, self.stack_id) + quoted_path(self.path)

    def stack(self) -> 'HeatIdentifier':
        """Return the identifier of the stack itself."""
        return HeatIdentifier(self.tenant, self.stack_name, self.stack_id)

    def resource(self, name: str) -> 'HeatIdentifier':
        return HeatIdentifier(self.tenant, self.stack_name, self.stack_id, f'/resources/{name}')


# Cached, because each row of a list has the same stack.
@lru_cache.cached_function(4096)
def stack_path(tenant: str, stack_name: str, stack_id: str | None) -> str:
    """Return ``tenant/stacks/name/id`` with each part quoted."""
    return f'{_quote(tenant)}/stacks/{_quote(stack_name)}/{_quote(stack_id or "")}'


def _quote(text: object) -> str:
    return urllib.parse.quote(str(text), safe='')


def quoted_path(path: str) -> str:
    """Return the path below a stack, quoted for a URL."""
    return path if _PLAIN.fullmatch(path) else urllib.parse.quote(path, safe='/:')


_UUID_LOCK = threading.Lock()


class WithUuid:
    """An object with a UUID, which is made when it is first read.

    A step names its object by the UUID while another thread writes the row. Both get the same one:
    else a crash would leave an object that no row names.
    """

    __slots__ = ('uuid',)

    def __getattr__(self, name: str) -> typing.Any:
        if name != 'uuid':
            raise AttributeError(name)
        with _UUID_LOCK:
            try:
                return _STORED_UUID.__get__(self)
            except AttributeError:
                self.uuid = str(uuid.uuid4())
                return self.uuid


_STORED_UUID = WithUuid.__dict__['uuid']


def short_id(source: str | uuid.UUID | None = None) -> str:
    """Return twelve characters a-z2-7: the 60 random bits of the time fields of a UUID.

    Heat derives the same from the same UUID, so both find each other's nested stacks by name.
    Without a ``source`` the UUID is new.
    """
    value = uuid.uuid4() if source is None else uuid.UUID(str(source))
    return base64.b32encode((value.time << 4).to_bytes(8, 'big'))[:12].decode().lower()


#: the key of a moved resource's data: the stack and the name that its object is named after
NAMED_AFTER = 'named_after'


def physical_name(
    stack_name: str, resource_name: str, resource_uuid: str, limit: int | None = 255
) -> str:
    """Return ``STACK-RESOURCE-SHORT_ID``, reduced to ``limit`` characters."""
    name = f'{stack_name}-{resource_name}-{short_id(resource_uuid)}'
    return reduce_name(name, limit)


def object_name(
    data: Mapping[str, str] | None,
    stack_name: str,
    resource_name: str,
    resource_uuid: str,
    limit: int | None = 255,
) -> str:
    """Return the physical name of a resource; ``data`` of a moved one has its former names."""
    named = (data or {}).get(NAMED_AFTER) or f'{stack_name}/{resource_name}'
    stack, name = named.split('/')
    return physical_name(stack, name, resource_uuid, limit)


def reduce_name(name: str, limit: int | None) -> str:
    """Return a name of at most ``limit`` characters.

    A longer name becomes its first two characters, a dash and its end, which is the unique part.
    Raises ValueError for a limit under 4.
    """
    if limit is None or len(name) <= limit:
        return name
    if limit < 4:
        raise ValueError('limit cannot be less than 4')
    return name[:2] + '-' + name[-(limit - 3) :]
