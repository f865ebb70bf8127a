"""Finders of objects that properties name by id or by name, one for each custom constraint."""

import dataclasses
import itertools
import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

from heat_lite.clients import errors, rest

_UUID = re.compile(
    r'[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}'
)
_WITH_DOMAIN = re.compile(r'(?P<name>.+)\{(?P<domain>.+)\}')


def name_pattern(name: str) -> str:
    """Return a regular expression that a name matches in each database: Nova filters by one."""
    return re.sub(r'[^\w-]', '.', name)


@dataclasses.dataclass(frozen=True)
class Finder:
    """How to find the objects of one kind.

    ``path``: the collection. ``key`` and ``keys``: keys that wrap one object and the list.
    ``label``: the kind in error messages. ``has_uuids``: ids are UUIDs, so any other value is a
    name. ``name_field``: the field of the name, or None if objects have no names. ``id_field``: the
    field of the id, or None if the given value is the id. ``filters_by_name``: the list accepts the
    name as a query parameter. ``has_refs``: ids are URLs. ``extension``: the extension that the
    service needs. ``not_found``: format of the error, if it differs from the usual one.
    ``optional``: an empty name is valid. ``query``: further query parameters of the list.
    ``details``: the path of the list with all fields, if it is another one. ``name_query``: makes
    the query parameter of a name.
    """

    service: str
    path: str
    key: str | None
    keys: str = ''
    label: str = ''
    has_uuids: bool = True
    name_field: str | None = 'name'
    id_field: str | None = 'id'
    filters_by_name: bool = True
    has_refs: bool = False
    extension: str | None = None
    not_found: str = ''
    optional: bool = False
    query: tuple = ()
    details: str = ''
    name_query: Callable[[str], str] = str

    def by_name(self, name: object) -> dict[str, str]:
        """Return the query parameters that select by a name; none if the list takes no names."""
        if not (self.filters_by_name and self.name_field and isinstance(name, str)):
            return {}
        return {self.name_field: self.name_query(name)}

    @property
    def list_key(self) -> str:
        return self.keys or f'{self.key}s'

    def is_id(self, value: object) -> bool:
        """Return whether a value can only be an id: it has the form of ids, or there are no
        names.
        """
        if self.has_refs or not isinstance(value, str):
            return False
        return not self.name_field or self.has_uuids and bool(_UUID.fullmatch(value))

    def find(self, api: 'rest.Api', value: str) -> str:
        """Return the id of the object with the id or name ``value``. Raises NoSuchObject."""
        if self.optional and value == '':
            return value
        found = self._by_id(api, value) or self._by_name(api, value)
        if found is None:
            raise errors.NoSuchObject(reason=self._not_found(value))
        return found

    def _by_id(self, api: 'rest.Api', value: str) -> str | None:
        if self.has_refs:
            value = value.rstrip('/').rpartition('/')[2]
        if self.has_uuids and self.name_field and not _UUID.fullmatch(value):
            return None
        try:
            found = api.show(f'{self.path}/{quote(value, safe="")}', self.key)
            return value if self.id_field is None else found[self.id_field]
        except (errors.NotFound, errors.BadRequest, errors.Forbidden):
            return None

    def _by_name(self, api: 'rest.Api', value: str, **scope: str) -> str | None:
        if not self.name_field:
            return None
        query = {**dict(self.query), **self.by_name(value), **scope}
        ids = [
            each[self.id_field]
            for each in api.list(self.path, self.list_key, **query)
            if each.get(self.name_field) == value
        ]
        if len(ids) > 1:
            raise errors.NoSuchObject(
                reason=f'{len(ids)} objects of the kind {self.label or self.key} are named '
                f"'{value}' ({', '.join(ids[:5])}): use the id of one"
            )
        return ids[0] if ids else None

    def objects(self, api: 'rest.Api', path: str, **query: object) -> Iterator[dict]:
        """Yield the objects that the collection at ``path`` lists, without what wraps each; a
        response with one object instead of a list gives that one.
        """
        for page in api.pages(path, self.list_key, **{**dict(self.query), **query}):
            for each in [page] if isinstance(page, dict) else page:
                yield each[self.key] if self.key and each.keys() == {self.key} else each

    def choices(self, api: 'rest.Api', most: int) -> list[dict[str, str | None]]:
        """Return the ids and names of the first objects, sorted by name; a name may be None."""
        first = itertools.islice(self.objects(api, self.path), most)
        found = [self._choice(each) for each in first]
        return sorted(found, key=lambda each: (each['name'] or '', each['id'] or ''))

    def _choice(self, item: dict) -> dict[str, str | None]:
        name = item.get(self.name_field) if self.name_field else None
        # an object without an id field is named by the key that lists have for it
        return {'id': item.get(self.id_field or 'name'), 'name': name}

    def _not_found(self, value: str) -> str:
        if self.not_found:
            return self.not_found.format(value)
        if self.label:
            return f'The {self.label} ({value}) could not be found.'
        return f"Unable to find {self.key} with name or id '{value}'"


class DomainFinder(Finder):
    """Finder of objects whose names are unique within a domain.

    A value ``name{domain}`` contains the id or name of the domain. An id that the requester may not
    read is taken as it is: the request that contains it is checked by its service.
    """

    def find(self, api: 'rest.Api', value: str) -> str:
        try:
            return super().find(api, value)
        except errors.Forbidden:
            if _UUID.fullmatch(value):
                return value
            raise

    def _by_name(self, api: 'rest.Api', value: str, **scope: str) -> str | None:
        match = _WITH_DOMAIN.fullmatch(value)
        if match is None:
            return super()._by_name(api, value)
        domain_id = FINDERS['keystone.domain'].find(api, match['domain'])
        return super()._by_name(api, match['name'], domain_id=domain_id)


#: texts of the services' client libraries
_NO_MATCH = "No {} matching {{{{'name': '{{}}'}}}}. (HTTP 404)"
_NO_HOST = "No hypervisor matching '{}' could be found. (HTTP 404)"
_NO_PROVIDER = "Unable to find neutron provider '{}', available providers are []."


def _neutron(path: str, key: str, keys: str = '') -> Finder:
    return Finder('neutron', path, key, keys)


def _keystone(path: str, key: str, label: str, kind: type[Finder] = Finder) -> Finder:
    return kind('keystone', path, key, label=label, has_uuids=False)


def _federation(key: str) -> Finder:
    return Finder(
        'keystone', f'/OS-FEDERATION/{key}s', key, label=key, has_uuids=False, name_field=None
    )


def _octavia(path: str, key: str, keys: str = '', id_field: str = 'id') -> Finder:
    return Finder(
        'octavia',
        f'/lbaas/{path}',
        key,
        keys,
        id_field=id_field,
        not_found='{} not found (HTTP 404)',
    )


def _flavor(service: str, query: tuple = ()) -> Finder:
    return Finder(
        service,
        '/flavors',
        'flavor',
        has_uuids=False,
        filters_by_name=False,
        query=query,
        not_found=_NO_MATCH.format('Flavor'),
        details='/flavors/detail',
    )


def _zones(service: str, path: str) -> Finder:
    return Finder(
        service,
        path,
        None,
        'availabilityZoneInfo',
        'availability zone',
        has_uuids=False,
        name_field='zoneName',
        id_field='zoneName',
        filters_by_name=False,
    )


def _lbaas(path: str, key: str) -> Finder:
    """Return a finder of load balancers of Neutron, which exist in old clouds only."""
    return Finder('neutron', f'/lbaas/{path}', key, extension='lbaasv2')


FINDERS: dict[str, Finder] = {
    'barbican.container': Finder(
        'barbican',
        '/containers',
        None,
        'containers',
        'Container',
        id_field='container_ref',
        has_refs=True,
    ),
    'barbican.secret': Finder(
        'barbican', '/secrets', None, 'secrets', 'Secret', id_field='secret_ref', has_refs=True
    ),
    'blazar.reservation': Finder(
        'blazar', '/leases', 'lease', label='Reservation', filters_by_name=False
    ),
    'cinder.availability_zone': _zones('cinder', '/os-availability-zone'),
    'cinder.backup': Finder(
        'cinder',
        '/backups',
        'backup',
        label='Volume backup',
        details='/backups/detail',
    ),
    'cinder.group': Finder('cinder', '/groups', 'group', label='Group', filters_by_name=False),
    'cinder.group_type': Finder(
        'cinder', '/group_types', 'group_type', label='GroupType', filters_by_name=False
    ),
    'cinder.qos_specs': Finder(
        'cinder',
        '/qos-specs',
        'qos_specs',
        'qos_specs',
        filters_by_name=False,
        not_found=_NO_MATCH.format('QoSSpecs'),
    ),
    'cinder.snapshot': Finder(
        'cinder',
        '/snapshots',
        'snapshot',
        label='VolumeSnapshot',
        details='/snapshots/detail',
    ),
    'cinder.volume': Finder(
        'cinder', '/volumes', 'volume', label='Volume', details='/volumes/detail'
    ),
    'cinder.vtype': Finder(
        'cinder',
        '/types',
        'volume_type',
        label='VolumeType',
        filters_by_name=False,
        query=(('is_public', 'None'),),
    ),
    'designate.zone': Finder('designate', '/zones', None, 'zones', 'Designate Zone'),
    'glance.image': Finder(
        'glance',
        '/images',
        None,
        'images',
        'Image',
        not_found="No images matching {{'name': '{}'}}.",
    ),
    'ironic.node': Finder(
        'ironic',
        '/nodes',
        None,
        'nodes',
        'Node',
        has_uuids=False,
        id_field='uuid',
        filters_by_name=False,
        details='/nodes/detail',
    ),
    'ironic.portgroup': Finder(
        'ironic',
        '/portgroups',
        None,
        'portgroups',
        'Portgroup',
        has_uuids=False,
        id_field='uuid',
        filters_by_name=False,
        details='/portgroups/detail',
    ),
    'keystone.domain': _keystone('/domains', 'domain', 'KeystoneDomain'),
    'keystone.endpoint_group': _keystone(
        '/OS-EP-FILTER/endpoint_groups', 'endpoint_group', 'endpoint group'
    ),
    'keystone.group': _keystone('/groups', 'group', 'KeystoneGroup', DomainFinder),
    'keystone.identity_provider': _federation('identity_provider'),
    'keystone.mapping': _federation('mapping'),
    'keystone.project': _keystone('/projects', 'project', 'KeystoneProject', DomainFinder),
    'keystone.region': Finder(
        'keystone', '/regions', 'region', label='KeystoneRegion', has_uuids=False, name_field=None
    ),
    'keystone.role': _keystone('/roles', 'role', 'KeystoneRole', DomainFinder),
    'keystone.service': _keystone('/services', 'service', 'KeystoneService'),
    'keystone.user': _keystone('/users', 'user', 'KeystoneUser', DomainFinder),
    'magnum.cluster': Finder(
        'magnum', '/clusters', None, 'clusters', 'Cluster', id_field='uuid', filters_by_name=False
    ),
    'magnum.cluster_template': Finder(
        'magnum',
        '/clustertemplates',
        None,
        'clustertemplates',
        'ClusterTemplate',
        id_field='uuid',
        filters_by_name=False,
    ),
    'manila.share': Finder('manila', '/shares', 'share', label='share'),
    'manila.share_group': Finder(
        'manila',
        '/share-groups',
        'share_group',
        label='share group',
        details='/share-groups/detail',
    ),
    'manila.share_group_type': Finder(
        'manila',
        '/share-group-types',
        'share_group_type',
        label='share group type',
        filters_by_name=False,
    ),
    'manila.share_network': Finder(
        'manila',
        '/share-networks',
        'share_network',
        label='share network',
        details='/share-networks/detail',
    ),
    'manila.share_snapshot': Finder(
        'manila',
        '/snapshots',
        'snapshot',
        label='share snapshot',
        details='/snapshots/detail',
    ),
    'manila.share_type': Finder(
        'manila', '/types', 'share_type', label='share type', filters_by_name=False
    ),
    'masakari.segment': Finder(
        'masakari', '/segments', 'segment', id_field='uuid', filters_by_name=False
    ),
    'mistral.workflow': Finder(
        'mistral', '/workflows', None, 'workflows', 'Workflow', has_uuids=False
    ),
    'neutron.address_group': _neutron('/address-groups', 'address_group'),
    'neutron.address_scope': _neutron('/address-scopes', 'address_scope'),
    'neutron.bgp_peer': _neutron('/bgp-peers', 'bgp_peer'),
    'neutron.bgpvpn': _neutron('/bgpvpn/bgpvpns', 'bgpvpn'),
    'neutron.endpoint_group': _neutron('/vpn/endpoint-groups', 'endpoint_group'),
    'neutron.firewall_policy': _neutron(
        '/fwaas/firewall_policies', 'firewall_policy', 'firewall_policies'
    ),
    'neutron.floating_ip': Finder(
        'neutron', '/floatingips', 'floatingip', name_field='floating_ip_address'
    ),
    'neutron.flow_classifier': _neutron('/sfc/flow_classifiers', 'flow_classifier'),
    'neutron.ikepolicy': _neutron('/vpn/ikepolicies', 'ikepolicy', 'ikepolicies'),
    'neutron.ipsecpolicy': _neutron('/vpn/ipsecpolicies', 'ipsecpolicy', 'ipsecpolicies'),
    'neutron.lbaas.listener': _lbaas('listeners', 'listener'),
    'neutron.lbaas.loadbalancer': _lbaas('loadbalancers', 'loadbalancer'),
    'neutron.lbaas.pool': _lbaas('pools', 'pool'),
    'neutron.lbaas.provider': Finder(
        'neutron',
        '/service-providers',
        'provider',
        'service_providers',
        id_field='name',
        not_found=_NO_PROVIDER,
    ),
    'neutron.local_ip': _neutron('/local_ips', 'local_ip'),
    'neutron.network': _neutron('/networks', 'network'),
    'neutron.port': _neutron('/ports', 'port'),
    'neutron.port_pair': _neutron('/sfc/port_pairs', 'port_pair'),
    'neutron.port_pair_group': _neutron('/sfc/port_pair_groups', 'port_pair_group'),
    'neutron.qos_policy': _neutron('/qos/policies', 'policy', 'policies'),
    'neutron.router': _neutron('/routers', 'router'),
    'neutron.security_group': _neutron('/security-groups', 'security_group'),
    'neutron.segment': _neutron('/segments', 'segment'),
    'neutron.subnet': _neutron('/subnets', 'subnet'),
    'neutron.subnetpool': _neutron('/subnetpools', 'subnetpool'),
    'neutron.taas.tap_flow': _neutron('/taas/tap_flows', 'tap_flow'),
    'neutron.taas.tap_service': _neutron('/taas/tap_services', 'tap_service'),
    'neutron.vpnservice': _neutron('/vpn/vpnservices', 'vpnservice'),
    'nova.availability_zone': _zones('nova', '/os-availability-zone'),
    'nova.flavor': _flavor('nova', query=(('is_public', 'None'),)),
    'nova.host': Finder(
        'nova',
        '/os-services',
        None,
        'services',
        'Host',
        name_field='host',
        id_field='host',
        filters_by_name=False,
        query=(('binary', 'nova-compute'),),
        not_found=_NO_HOST,
    ),
    'nova.keypair': Finder(
        'nova',
        '/os-keypairs',
        'keypair',
        label='Key',
        has_uuids=False,
        name_field=None,
        id_field='name',
        optional=True,
    ),
    'nova.network': _neutron('/networks', 'network'),
    'nova.server': Finder(
        'nova',
        '/servers',
        'server',
        label='Server',
        details='/servers/detail',
        name_query=name_pattern,
    ),
    'octavia.availabilityzone': _octavia('availabilityzones', 'availability_zone', id_field='name'),
    'octavia.availabilityzoneprofile': _octavia(
        'availabilityzoneprofiles', 'availability_zone_profile'
    ),
    'octavia.flavor': _octavia('flavors', 'flavor'),
    'octavia.flavorprofile': _octavia('flavorprofiles', 'flavorprofile'),
    'octavia.l7policy': _octavia('l7policies', 'l7policy', 'l7policies'),
    'octavia.listener': _octavia('listeners', 'listener'),
    'octavia.loadbalancer': _octavia('loadbalancers', 'loadbalancer'),
    'octavia.pool': _octavia('pools', 'pool'),
    'placement.resource_provider': Finder(
        'placement',
        '/resource_providers',
        None,
        'resource_providers',
        'ResourceProvider',
        id_field='uuid',
    ),
    'trove.flavor': _flavor('trove'),
    'trove.instance': Finder('trove', '/instances', 'instance'),
    'zaqar.queue': Finder(
        'zaqar', '/queues', None, 'queues', 'Queue', has_uuids=False, name_field=None, id_field=None
    ),
}
