"""The services of a cloud: what each is called in the catalog, which version of its API is spoken, and how that is said."""

import dataclasses
import re
import uuid

_VERSIONED = re.compile(r'/v\d+(\.\d+)?(/|$)')


@dataclasses.dataclass(frozen=True)
class Service:
    """``type`` is its official name in the catalog (older ones are understood), ``version`` the path of its API below the endpoint.

    ``microversion`` is the newest that we know, where there are any; one that the service knows, too, is sent with each request.
    ``lists_extensions``: it tells which extensions it has.
    """

    type: str
    version: str = ''
    microversion: str | None = None
    lists_extensions: bool = False
    #: what each request says besides
    headers: tuple = ()

    def base(self, endpoint):
        """Where the API is: catalogs name it with or without its version."""
        endpoint = endpoint.rstrip('/')
        return endpoint if _VERSIONED.search(endpoint) or not self.version else endpoint + self.version


#: by the name that resource types and options use
SERVICES = {
    'aodh': Service('alarm', '/v2'),
    'barbican': Service('key-manager', '/v1'),
    'blazar': Service('reservation', '/v1'),
    'cinder': Service('block-storage', '/v3', '3.71', lists_extensions=True),
    'designate': Service('dns', '/v2'),
    'glance': Service('image', '/v2'),
    'heat': Service('orchestration', '/v1'),
    'ironic': Service('baremetal', '/v1', '1.61'),
    'keystone': Service('identity', '/v3'),
    'magnum': Service('container-infra', '/v1', '1.10'),
    'manila': Service('shared-file-system', '/v2', '2.44'),
    'mistral': Service('workflow', '/v2'),
    'neutron': Service('network', '/v2.0', lists_extensions=True),
    'nova': Service('compute', '/v2.1', '2.96'),
    'octavia': Service('load-balancer', '/v2'),
    'openstack': Service('network', '/v2.0', lists_extensions=True),
    'swift': Service('object-store'),
    'trove': Service('database', '/v1.0'),
    'zaqar': Service('messaging', '/v2', headers=(('Client-ID', str(uuid.uuid4())),)),
    'zun': Service('container', '/v1', '1.36'),
}
