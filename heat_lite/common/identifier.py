"""Identities of stacks, resources and events, as dictionaries on the wire, as ARNs and as URL paths."""

import dataclasses
import functools
import re
import urllib.parse

_ARN = re.compile(r'^arn:openstack:heat::(?P<tenant>[^:]*):stacks/(?P<stack_name>[^/]+)/(?P<stack_id>[^/]+)(?P<path>/.*)?$')


@dataclasses.dataclass(frozen=True)
class HeatIdentifier:
    """Tenant, stack name, stack id and a path below the stack (starting with a slash, or empty)."""

    tenant: str
    stack_name: str
    stack_id: str | None
    path: str = ''

    def __post_init__(self):
        if self.path and not self.path.startswith('/'):
            object.__setattr__(self, 'path', '/' + self.path)

    @classmethod
    def from_dict(cls, identity):
        """The identity that travelled as a dictionary. Raises KeyError or TypeError when it is none."""
        return cls(identity['tenant'], identity['stack_name'], identity['stack_id'], identity.get('path', ''))

    @classmethod
    def from_arn(cls, arn):
        """Raises ValueError when the text is no ARN of ours."""
        match = _ARN.match(arn)
        if not match:
            raise ValueError(f'"{arn}" is not a valid ARN')
        tenant, name, id_, path = (urllib.parse.unquote(part or '') for part in match.groups())
        return cls(tenant, name, id_, path)

    def as_dict(self):
        return {'tenant': self.tenant, 'stack_name': self.stack_name, 'stack_id': self.stack_id, 'path': self.path}

    def arn(self):
        return f'arn:openstack:heat::{_quote(self.tenant)}:{self._tail()}'

    def url_path(self):
        """``tenant/stacks/name/id/path``, each part quoted."""
        return f'{_quote(self.tenant)}/{self._tail()}'

    def _tail(self):
        path = urllib.parse.quote(self.path, safe='/:')
        return f'stacks/{_quote(self.stack_name)}/{_quote(self.stack_id or "")}{path}'

    def stack(self):
        """The identity of the stack itself."""
        return HeatIdentifier(self.tenant, self.stack_name, self.stack_id)

    def resource(self, name):
        return HeatIdentifier(self.tenant, self.stack_name, self.stack_id, f'/resources/{name}')

    def event(self, resource_name, event_id):
        return HeatIdentifier(self.tenant, self.stack_name, self.stack_id, f'/resources/{resource_name}/events/{event_id}')


# the same few projects, names and ids over and over
@functools.lru_cache(maxsize=4096)
def _quote(text):
    return urllib.parse.quote(str(text), safe='')
