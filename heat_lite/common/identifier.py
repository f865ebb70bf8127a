"""Identities of stacks, resources and events, as dictionaries on the wire, as ARNs and as URL paths."""

import dataclasses
import functools
import re
import urllib.parse

_ARN = re.compile(r'^arn:openstack:heat::(?P<tenant>[^:]*):stacks/(?P<stack_name>[^/]+)/(?P<stack_id>[^/]+)(?P<path>/.*)?$')
# what need not be quoted, and most paths are made of
_PLAIN = re.compile(r'[A-Za-z0-9_.~/:-]*')


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
        tenant, _, tail = self.url_path().partition('/')
        return f'arn:openstack:heat::{tenant}:{tail}'

    def url_path(self):
        """``tenant/stacks/name/id/path``, each part quoted."""
        return stack_path(self.tenant, self.stack_name, self.stack_id) + quoted_path(self.path)

    def stack(self):
        """The identity of the stack itself."""
        return HeatIdentifier(self.tenant, self.stack_name, self.stack_id)

    def resource(self, name):
        return HeatIdentifier(self.tenant, self.stack_name, self.stack_id, f'/resources/{name}')


# a list says the same one for each of its rows
@functools.lru_cache(maxsize=4096)
def stack_path(tenant, stack_name, stack_id):
    """``tenant/stacks/name/id``, each part quoted."""
    return f'{_quote(tenant)}/stacks/{_quote(stack_name)}/{_quote(stack_id or "")}'


def _quote(text):
    return urllib.parse.quote(str(text), safe='')


def quoted_path(path):
    """The path below a stack, as it stands in a URL."""
    return path if _PLAIN.fullmatch(path) else urllib.parse.quote(path, safe='/:')
