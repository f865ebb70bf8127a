"""The kinds of objects that properties and custom constraints name, and where each is found, by its id or by its name."""

import dataclasses
import re
from urllib.parse import quote

from heat_lite.clients import errors

_UUID = re.compile(r'[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}')
_WITH_DOMAIN = re.compile(r'(?P<name>.+)\{(?P<domain>.+)\}')


@dataclasses.dataclass(frozen=True)
class Kind:
    """``path`` is the collection, ``key`` what one object is wrapped in, ``keys`` the list of them.

    ``uuids``: ids are UUIDs, so that anything else can only be a name. ``by``: the field that holds the name; None: there are no names.
    ``id`` is the field that stands for the object; None: what was given does. ``asks_name``: the service can be asked for a name.
    ``refs``: objects go by their whole address. ``extension`` is what the service must have for such objects. ``missing`` are the words
    for what is not there, where they are others than usual. ``optional``: an empty name is as good as none.
    """

    service: str
    path: str
    key: str | None
    keys: str = ''
    label: str = ''
    uuids: bool = True
    by: str | None = 'name'
    id: str | None = 'id'
    asks_name: bool = True
    refs: bool = False
    extension: str | None = None
    missing: str = ''
    optional: bool = False
    query: tuple = ()
    headers: tuple = ()

    @property
    def list_key(self):
        return self.keys or f'{self.key}s'

    def find(self, api, value):
        """The id of what ``value`` names. Raises NoSuchObject."""
        if self.optional and value == '':
            return value
        found = self._by_id(api, value) or self._by_name(api, value)
        if found is None:
            raise errors.NoSuchObject(reason=self._missing(value))
        return found

    def _by_id(self, api, value):
        if self.refs:
            value = value.rstrip('/').rpartition('/')[2]
        if self.uuids and self.by and not _UUID.fullmatch(value):
            return None
        try:
            found = api.show(f'{self.path}/{quote(value, safe="")}', self.key)
            return value if self.id is None else found[self.id]
        except (errors.NotFound, errors.BadRequest, errors.Forbidden):
            return None

    def _by_name(self, api, value, **within):
        if not self.by:
            return None
        query = {**dict(self.query), **({self.by: value} if self.asks_name else {}), **within}
        # a host has as many services as it likes, and is one all the same
        ids = list(dict.fromkeys(each[self.id] for each in api.list(self.path, self.list_key, **query) if each.get(self.by) == value))
        if len(ids) > 1:
            text = f"{len(ids)} objects of the kind {self._word()} are named '{value}' ({', '.join(ids[:5])}): say which one by its id"
            raise errors.NoSuchObject(reason=text)
        return ids[0] if ids else None

    def _word(self):
        return self.label or self.key

    def _missing(self, value):
        if self.missing:
            return self.missing.format(value)
        if self.label:
            return f'The {self.label} ({value}) could not be found.'
        return f"Unable to find {self.key} with name or id '{value}'"


class InDomain(Kind):
    """What has its name within a domain, which may be told with it: ``name{domain}``, the domain by its id or name."""

    def _by_name(self, api, value):
        told = _WITH_DOMAIN.fullmatch(value)
        if told is None:
            return super()._by_name(api, value)
        return super()._by_name(api, told['name'], domain_id=KINDS['keystone.domain'].find(api, told['domain']))


#: what there is not one of, in the words of the libraries of the services
_NONE = "No {} matching {{{{'name': '{{}}'}}}}. (HTTP 404)"
_NO_HOST = "No hypervisor matching '{}' could be found. (HTTP 404)"
_NO_PROVIDER = "Unable to find neutron provider '{}', available providers are []."


def _neutron(path, key, keys=''):
    return Kind('neutron', path, key, keys)


def _keystone(path, key, label, kind=Kind):
    return kind('keystone', path, key, label=label, uuids=False)


def _octavia(path, key, keys='', id='id'):
    return Kind('octavia', f'/lbaas/{path}', key, keys, id=id, missing='{} not found (HTTP 404)')


def _flavor(service, query=()):
    return Kind(service, '/flavors', 'flavor', uuids=False, asks_name=False, query=query, missing=_NONE.format('Flavor'))


def _lbaas(path, key):
    """Load balancers of the network service, which has none any more but in old clouds."""
    return Kind('neutron', f'/lbaas/{path}', key, extension='lbaasv2')


KINDS = {
    'barbican.container': Kind('barbican', '/containers', None, 'containers', 'Container', id='container_ref', refs=True),
    'barbican.secret': Kind('barbican', '/secrets', None, 'secrets', 'Secret', id='secret_ref', refs=True),
    'blazar.reservation': Kind('blazar', '/leases', 'lease', label='Reservation', asks_name=False),
    'cinder.backup': Kind('cinder', '/backups', 'backup', label='Volume backup'),
    'cinder.qos_specs': Kind('cinder', '/qos-specs', 'qos_specs', 'qos_specs', asks_name=False, missing=_NONE.format('QoSSpecs')),
    'cinder.snapshot': Kind('cinder', '/snapshots', 'snapshot', label='VolumeSnapshot'),
    'cinder.volume': Kind('cinder', '/volumes', 'volume', label='Volume'),
    'cinder.vtype': Kind('cinder', '/types', 'volume_type', label='VolumeType', asks_name=False, query=(('is_public', 'None'),)),
    'designate.zone': Kind('designate', '/zones', None, 'zones', 'Designate Zone'),
    'glance.image': Kind('glance', '/images', None, 'images', 'Image', missing="No images matching {{'name': '{}'}}."),
    'ironic.node': Kind('ironic', '/nodes', None, 'nodes', 'Node', uuids=False, id='uuid', asks_name=False),
    'ironic.portgroup': Kind('ironic', '/portgroups', None, 'portgroups', 'Portgroup', uuids=False, id='uuid', asks_name=False),
    'keystone.domain': _keystone('/domains', 'domain', 'KeystoneDomain'),
    'keystone.group': _keystone('/groups', 'group', 'KeystoneGroup', InDomain),
    'keystone.project': _keystone('/projects', 'project', 'KeystoneProject', InDomain),
    'keystone.region': Kind('keystone', '/regions', 'region', label='KeystoneRegion', uuids=False, by=None),
    'keystone.role': _keystone('/roles', 'role', 'KeystoneRole', InDomain),
    'keystone.service': _keystone('/services', 'service', 'KeystoneService'),
    'keystone.user': _keystone('/users', 'user', 'KeystoneUser', InDomain),
    'magnum.cluster_template': Kind('magnum', '/clustertemplates', None, 'clustertemplates', 'ClusterTemplate', id='uuid', asks_name=False),
    'manila.share_network': Kind('manila', '/share-networks', 'share_network', label='share network'),
    'manila.share_snapshot': Kind('manila', '/snapshots', 'snapshot', label='share snapshot'),
    'manila.share_type': Kind('manila', '/types', 'share_type', label='share type', asks_name=False),
    'mistral.workflow': Kind('mistral', '/workflows', None, 'workflows', 'Workflow', uuids=False),
    'neutron.address_scope': _neutron('/address-scopes', 'address_scope'),
    'neutron.flow_classifier': _neutron('/sfc/flow_classifiers', 'flow_classifier'),
    'neutron.lbaas.listener': _lbaas('listeners', 'listener'),
    'neutron.lbaas.loadbalancer': _lbaas('loadbalancers', 'loadbalancer'),
    'neutron.lbaas.pool': _lbaas('pools', 'pool'),
    'neutron.lbaas.provider': Kind('neutron', '/service-providers', 'provider', 'service_providers', id='name', missing=_NO_PROVIDER),
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
    'nova.flavor': Kind(
        'nova', '/flavors', 'flavor', uuids=False, asks_name=False, missing=_NONE.format('Flavor'), query=(('is_public', 'None'),)
    ),
    'nova.host': Kind('nova', '/os-services', None, 'services', 'Host', by='host', id='host', asks_name=False, missing=_NO_HOST),
    'nova.keypair': Kind('nova', '/os-keypairs', 'keypair', label='Key', uuids=False, by=None, id='name', optional=True),
    'nova.network': _neutron('/networks', 'network'),
    'nova.server': Kind('nova', '/servers', 'server', label='Server'),
    'octavia.availabilityzone': _octavia('availabilityzones', 'availability_zone', id='name'),
    'octavia.availabilityzoneprofile': _octavia('availabilityzoneprofiles', 'availability_zone_profile'),
    'octavia.flavor': _octavia('flavors', 'flavor'),
    'octavia.flavorprofile': _octavia('flavorprofiles', 'flavorprofile'),
    'octavia.l7policy': _octavia('l7policies', 'l7policy', 'l7policies'),
    'octavia.listener': _octavia('listeners', 'listener'),
    'octavia.loadbalancer': _octavia('loadbalancers', 'loadbalancer'),
    'octavia.pool': _octavia('pools', 'pool'),
    'trove.flavor': _flavor('trove'),
    'zaqar.queue': Kind('zaqar', '/queues', None, 'queues', 'Queue', uuids=False, by=None, id=None),
}
