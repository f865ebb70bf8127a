"""The services of a cloud: type in the catalog, API version and microversion of each."""

import dataclasses
import re
import uuid

import os_service_types
from oslo_config import cfg

_VERSIONED = re.compile(r'/v\d+(\.\d+)?(/|$)')


@dataclasses.dataclass(frozen=True)
class Service:
    """One service.

    ``type``: the official service type; keystoneauth accepts its older aliases too. ``version``:
    path of the API version below the endpoint. ``microversion``: the newest that the client
    supports, if the API has microversions; each request has the newest that the service supports
    too. ``lists_extensions``: the API has a list of its extensions. ``headers``: headers of each
    request. ``heat_type``: the service type by which Heat's errors name the service, if it differs.
    """

    type: str
    version: str = ''
    microversion: str | None = None
    lists_extensions: bool = False
    headers: tuple = ()
    heat_type: str = ''

    def url(self, endpoint: str) -> str:
        """Return the root of the API; the endpoint in the catalog may lack the version."""
        endpoint = endpoint.rstrip('/')
        return endpoint if _VERSIONED.search(endpoint) else endpoint + self.version


#: services by the name that resource types and options use
SERVICES = {
    'aodh': Service('alarm', '/v2', heat_type='alarming'),
    'barbican': Service('key-manager', '/v1'),
    'blazar': Service('reservation', '/v1'),
    'cinder': Service('block-storage', '/v3', '3.71', lists_extensions=True, heat_type='volumev3'),
    'cyborg': Service('accelerator', '/v2'),
    'designate': Service('dns', '/v2'),
    'glance': Service('image', '/v2'),
    'heat': Service('orchestration', '/v1'),
    'ironic': Service('baremetal', '/v1', '1.96'),
    'keystone': Service('identity', '/v3'),
    'magnum': Service('container-infra', '/v1', '1.10'),
    'manila': Service(
        'shared-file-system',
        '/v2',
        '2.44',
        heat_type='sharev2',
        # groups and replicas count as experimental in versions before 2.55 and 2.56
        headers=(('X-OpenStack-Manila-API-Experimental', 'True'),),
    ),
    'masakari': Service('instance-ha', '/v1', '1.2'),
    'mistral': Service('workflow', '/v2', heat_type='workflowv2'),
    'neutron': Service('network', '/v2.0', lists_extensions=True),
    'nova': Service('compute', '/v2.1', '2.96'),
    'octavia': Service('load-balancer', '/v2'),
    'openstack': Service('network', '/v2.0', lists_extensions=True),
    'placement': Service('placement', '', '1.39'),
    'swift': Service('object-store'),
    'trove': Service('database', '/v1.0'),
    'zaqar': Service('messaging', '/v2', headers=(('Client-ID', str(uuid.uuid4())),)),
    'zun': Service('container', '/v1', '1.36'),
}


@dataclasses.dataclass(frozen=True)
class SharedServices:
    """The shared services: their region, None if there are none, and their types.

    A type may be an alias, e.g. ``volumev3``.
    """

    region: str | None
    types: frozenset[str]

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> 'SharedServices':
        known = os_service_types.ServiceTypes()
        types = (known.get_service_type(name) or name for name in conf.shared_services_types)
        return cls(conf.region_name_for_shared_services or None, frozenset(types))

    def region_of(self, service_type: str) -> str | None:
        """Return the region of a service by its official type; None if it is not shared."""
        return self.region if service_type in self.types else None
