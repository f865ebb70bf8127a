"""The types that set the quota of a project in a service, and reset it to the default on delete."""

from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.live_state import described_values, map_to_wire, observed_values
from heat_lite.resources.base.property_rules import one_of
from heat_lite.template.schema import OURS, integer, map_, parent

PROJECT = 'project'
UNLIMITED = -1


def limits(texts, **options):
    """Return the properties of limits; ``texts`` tell what each of them limits."""
    return {
        name: integer(
            f'{text}; {UNLIMITED} means unlimited.', update_allowed=True, min=UNLIMITED, **options
        )
        for name, text in texts.items()
    }


def project(service):
    """Return the property of the project whose quota of a service is set."""
    return parent('keystone.project', f'Project of the {service} quota, by name or id.')


class Quota(ServiceResource):
    """A quota of one service.

    ``path`` is the path of quotas in its API, ``key`` the key that wraps a quota; None if nothing
    wraps it. ``method`` is the HTTP method of a change.
    """

    path: str
    key: str | None
    method = 'PUT'
    repeatable = True
    microversion: str | None = None
    headers: dict[str, str] | None = None

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.property_rules = (one_of(*sorted(cls.properties_schema.keys() - {PROJECT})),)

    def handle_create(self):
        yield from self._set_quota()
        self.resource_id_set(self.physical_resource_name())

    def find_existing(self):
        """Return the id if the quota is what the create sets, so that a delete resets it."""
        found, wanted = self.show(), self.stored_properties()
        given = self.values(wanted)
        return self.physical_resource_name() if given.items() <= found.items() else None

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self._set_quota()

    def delete_object(self):
        yield from self.delete_if_present(self._request, 'DELETE')

    def handle_check(self):
        self.show()

    def show(self):
        found = self._request('GET')
        return found if self.key is None else found[self.key]

    def live_properties(self):
        """Return the quota of the project that is the id."""
        return {
            **described_values(self.properties_schema, {}, self.show()),
            PROJECT: self.resource_id,
        }

    def get_live_state(self, resource_properties):
        keys = {name: name for name in self.properties_schema}
        return observed_values(self.properties_schema, keys, self.stored_properties(), self.show())

    def _set_quota(self):
        values = self.values(self.properties)
        yield from self.call_with_retry(self._request, self.method, self._wrap(values))

    def values(self, properties):
        """Return the limits that properties give, by their names on the wire."""
        return map_to_wire(self.properties_schema, properties)

    def _wrap(self, values):
        return values if self.key is None else {self.key: values}

    def _request(self, method, body=None):
        project = self.stored_properties().get(PROJECT) or self.resource_id
        return self.client().request_json(
            method,
            f'{self.path}/{project}',
            body,
            microversion=self.microversion,
            headers=self.headers,
        )


class BarbicanQuota(Quota):
    """The quota of a project for secrets."""

    resource_type = 'OS::Barbican::Quota'
    since = OURS
    path, key = '/project-quotas', 'project_quotas'
    default_client_name = 'barbican'
    entity = 'quotas'

    properties_schema = {
        'project': project('secret'),
        **limits(
            {
                'cas': 'Number of certificate authorities',
                'consumers': 'Number of consumers of a container',
                'containers': 'Number of containers',
                'orders': 'Number of orders',
                'secrets': 'Number of secrets',
            },
        ),
    }


class CinderQuota(Quota):
    """The volume quota of a project."""

    resource_type = 'OS::Cinder::Quota'
    since = '7.0.0'
    extension = 'os-quota-sets'
    path, key = '/os-quota-sets', 'quota_set'
    default_client_name = 'cinder'
    entity = 'quotas'

    properties_schema = {
        'project': project('volume'),
        **limits(
            {
                'backup_gigabytes': 'Size of all backups in GiB',
                'backups': 'Number of backups',
            },
            since='16.0.0',
        ),
        **limits(
            {
                'gigabytes': 'Size of all volumes and snapshots in GiB',
                'snapshots': 'Number of volume snapshots',
                'volumes': 'Number of volumes',
            },
        ),
        **limits(
            {
                'groups': 'Number of groups of volumes',
                'per_volume_gigabytes': 'Size of a volume in GiB',
            },
            since=OURS,
        ),
        'volume_types': map_(
            'Limits for volumes of one type, by the name that Cinder gives them: volumes_TYPE,'
            ' gigabytes_TYPE and snapshots_TYPE.',
            update_allowed=True,
            since=OURS,
            sent=False,
        ),
    }

    def values(self, properties):
        return {**super().values(properties), **(properties['volume_types'] or {})}

    def show(self):
        """Return the quota, with the limits of volume types that the template gives."""
        found, given = super().show(), self.stored_properties().get('volume_types') or {}
        return {**found, 'volume_types': {name: found.get(name) for name in given}}


class DesignateQuota(Quota):
    """The DNS quota of a project."""

    resource_type = 'OS::Designate::Quota'
    since = OURS
    path, key, method = '/quotas', None, 'PATCH'
    #: without it, Designate shows and changes the quota of the own project only
    headers = {'X-Auth-All-Projects': 'true'}
    default_client_name = 'designate'
    entity = 'quotas'

    properties_schema = {
        'project': project('DNS'),
        **limits(
            {
                'api_export_size': 'Number of record sets of an exported zone',
                'recordset_records': 'Number of records of a record set',
                'zone_records': 'Number of records of a zone',
                'zone_recordsets': 'Number of record sets of a zone',
                'zones': 'Number of zones',
            },
        ),
    }


class ManilaQuota(Quota):
    """The quota of a project for shared file systems."""

    resource_type = 'OS::Manila::Quota'
    since = OURS
    path, key = '/quota-sets', 'quota_set'
    default_client_name = 'manila'

    properties_schema = {
        'project': project('share'),
        **limits(
            {
                'gigabytes': 'Size of all shares in GiB',
                'per_share_gigabytes': 'Size of a share in GiB',
                'replica_gigabytes': 'Size of all replicas in GiB',
                'share_group_snapshots': 'Number of snapshots of share groups',
                'share_groups': 'Number of share groups',
                'share_networks': 'Number of share networks',
                'share_replicas': 'Number of replicas',
                'shares': 'Number of shares',
                'snapshot_gigabytes': 'Size of all snapshots in GiB',
                'snapshots': 'Number of snapshots',
            },
        ),
    }


class NeutronQuota(Quota):
    """The network quota of a project."""

    resource_type = 'OS::Neutron::Quota'
    since = '8.0.0'
    extension = 'quotas'
    path, key = '/quotas', 'quota'
    default_client_name = 'neutron'

    properties_schema = {
        'project': project('network'),
        **limits(
            {
                'floatingip': 'Number of floating IPs',
                'network': 'Number of networks',
                'port': 'Number of ports',
                'router': 'Number of routers',
                'security_group': 'Number of Neutron security groups',
                'security_group_rule': 'Number of security group rules',
                'subnet': 'Number of subnets',
            },
        ),
        **limits(
            {
                'rbac_policy': 'Number of RBAC policies',
                'subnetpool': 'Number of subnet pools',
            },
            since='12.0.0',
        ),
    }


class NovaQuota(Quota):
    """The compute quota of a project."""

    resource_type = 'OS::Nova::Quota'
    since = '8.0.0'
    path, key = '/os-quota-sets', 'quota_set'
    #: the last microversion with quotas for networks and injected files
    microversion = '2.35'
    default_client_name = 'nova'
    entity = 'quotas'

    properties_schema = {
        'project': project('compute'),
        **limits(
            {
                'cores': 'Number of virtual CPUs',
                'fixed_ips': 'Number of fixed IP addresses',
                'floating_ips': 'Number of floating IP addresses',
                'instances': 'Number of servers',
                'key_pairs': 'Number of key pairs',
                'metadata_items': 'Number of metadata items of a server',
                'ram': 'Memory of all servers in MiB',
                'security_group_rules': 'Number of rules of a security group',
                'security_groups': 'Number of security groups',
                'server_group_members': 'Number of servers of a server group',
                'server_groups': 'Number of server groups',
            },
        ),
        **limits(
            {
                'injected_file_content_bytes': 'Size of an injected file in bytes',
                'injected_file_path_bytes': 'Length of the path of an injected file in bytes',
                'injected_files': 'Number of injected files',
            },
            history='deprecated 14.0.0',
        ),
    }


class OctaviaQuota(Quota):
    """The load balancing quota of a project."""

    resource_type = 'OS::Octavia::Quota'
    since = '14.0.0'
    path, key = '/lbaas/quotas', 'quota'
    default_client_name = 'octavia'
    entity = 'quotas'

    properties_schema = {
        'project': project('load balancing'),
        **limits(
            {
                'healthmonitor': 'Number of health monitors',
                'listener': 'Number of listeners',
                'loadbalancer': 'Number of load balancers',
                'member': 'Number of pool members',
                'pool': 'Number of pools',
            },
        ),
        **limits(
            {'l7policy': 'Number of layer 7 policies', 'l7rule': 'Number of layer 7 rules'},
            since=OURS,
        ),
    }
