"""The resource types of Manila."""

import functools

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.base import object_types
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.live_state import to_wire
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.base.property_rules import empty, filled, needs, needs_api, refuse
from heat_lite.resources.base.service_retry import retry_delays
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    integer,
    integer_attribute,
    list_,
    list_attribute,
    live_text,
    map_,
    name_property,
    parent,
    reference,
    string,
    switch,
)

RULE = ('access_to', 'access_type', 'access_level')
#: properties with another key in update requests
RENAMED = {'name': 'display_name', 'description': 'display_description'}


class ManilaData(CloudResource):
    """A share or a snapshot, whose metadata have a request of their own."""

    def changes(self, changed, diff):
        return {
            RENAMED.get(name, name): value for name, value in changed.items() if name != 'metadata'
        }

    follow_up = object_types.update_metadata


class ManilaShare(ManilaData):
    """A shared file system."""

    resource_type = 'OS::Manila::Share'
    since = '5.0.0'
    rest = Rest(
        'manila',
        '/shares',
        'share',
        ready=('available',),
        failed=(
            'error',
            'error_deleting',
            'extending_error',
            'shrinking_error',
            'shrinking_possible_data_loss_error',
        ),
        deletes_async=True,
        delete_failed=('error_deleting',),
    )
    entity = 'shares'

    properties_schema = {
        'name': name_property(),
        'share_protocol': string(
            'File sharing protocol of the share.',
            required=True,
            allowed=['NFS', 'CIFS', 'GlusterFS', 'HDFS', 'CEPHFS'],
            ours=['MAPRFS'],
            wire='share_proto',
        ),
        'size': integer('Size of the share in GiB.', required=True, update_allowed=True),
        'availability_zone': string('Availability zone of the share.', since=OURS),
        'access_rules': list_(
            'Access rules of the share.',
            {
                'access_level': string('Access level of the rule: rw or ro.', allowed=['ro', 'rw']),
                'access_to': string(
                    'IP address, user or certificate name to which the rule applies.',
                    required=True,
                ),
                'access_type': string(
                    'Type of the access rule.',
                    required=True,
                    allowed=['ip', 'user', 'cert', 'cephx'],
                ),
            },
            default=[],
            update_allowed=True,
            sent=False,
        ),
        'description': description_property(),
        'is_public': switch('Whether other projects can see the share.', default=False),
        'metadata': map_('Metadata of the share.', update_allowed=True),
        'share_group': reference(
            'manila.share_group', 'Share group of the share, by name or id.', since=OURS
        ),
        'share_network': reference(
            'manila.share_network', 'Share network of the share, by name or id.'
        ),
        'share_type': string('Share type of the share, by name or id.', ref='manila.share_type'),
        'snapshot': reference(
            'manila.share_snapshot', 'Snapshot from which the share is created, by name or id.'
        ),
    }
    attributes_schema = {
        'availability_zone': 'Availability zone of the share.',
        'created_at': 'Time at which the share was created.',
        'export_locations': list_attribute('Export locations of the share.'),
        'host': 'Host of the share.',
        'project_id': 'Id of the project that owns the share.',
        'share_server_id': 'Id of the share server.',
        'status': 'Status of the share.',
    }

    parts = ('access_rules',)

    def fetch_part(self, name):
        listed = self._request_action('access_list', None)['access_list']
        return [{key: each[key] for key in RULE} for each in listed]

    def changes(self, changed, diff):
        return {
            name: value for name, value in super().changes(changed, diff).items() if name != 'size'
        }

    def follow_up(self, action, diff):
        yield from super().follow_up(action, diff)
        if action == status.UPDATE and 'size' in diff:
            yield from self._resize(diff['size'])
        if 'access_rules' in diff:
            yield from self.wait_until_ready(None)
            yield from self._apply_access_rules(
                to_wire(self.properties_schema['access_rules'], diff['access_rules'] or [])
            )

    def _resize(self, size):
        """Generator: give the share another size. Manila refuses one that its files exceed."""
        verb = 'extend' if size > self.fetch()['size'] else 'shrink'
        yield from self._act(verb, {'new_size': size})
        yield from self.wait_until_ready(None)

    def _apply_access_rules(self, wanted):
        present = (yield from self._act('access_list', None))['access_list']
        known = {_rule_key(each): each['id'] for each in present}
        keep = {_rule_key(each) for each in wanted}
        denied = {rule for key, rule in known.items() if key not in keep}
        for rule in sorted(denied):
            yield from self.delete_if_present(
                self._request_action, 'deny_access', {'access_id': rule}
            )
        if denied:
            yield from self._wait_until_denied(denied)
        for each in wanted:
            if _rule_key(each) not in known:
                yield from self._act('allow_access', each)
        yield from self._wait_for_access_rules()

    def _wait_until_denied(self, rules):
        """A generator: wait until Manila has removed rules, whose clients take no others before."""
        for pause in retry_delays():
            present = (yield from self._act('access_list', None))['access_list']
            if not any(each['id'] in rules and each['state'] != 'error' for each in present):
                return
            yield pause

    def _wait_for_access_rules(self):
        """A generator: wait until Manila has applied the access rules."""
        for pause in retry_delays():
            found = yield from self.call_with_retry(self.fetch)
            state = found.get('access_rules_status')
            if state == 'error':
                raise exception.ResourceInError(
                    resource_status=state, status_reason='Manila could not apply the access rules'
                )
            if state in (None, 'active'):
                return
            yield pause

    def _act(self, verb, args):
        return (yield from self.call_with_retry(self._request_action, verb, args))

    def _request_action(self, verb, args):
        return self.client().request_json('POST', f'{self.object_path()}/action', {verb: args})

    def resolve_attribute(self, name):
        if name == 'export_locations':
            found = self.client().list(f'{self.object_path()}/export_locations', 'export_locations')
            return [each['path'] for each in found]
        return super().resolve_attribute(name)


def _rule_key(rule):
    return tuple(rule.get(name) or ('rw' if name == 'access_level' else '') for name in RULE)


#: extra specs that are properties of their own
CAPABILITIES = ('driver_handles_share_servers', 'snapshot_support')


class ManilaShareType(DeletedFirst):
    """A share type."""

    resource_type = 'OS::Manila::ShareType'
    since = '5.0.0'
    rest = Rest('manila', '/types', 'share_type', keys='share_types', microversion='2.50')
    entity = 'share_types'
    observed_keys = {name: name for name in (*CAPABILITIES, 'extra_specs')}

    properties_schema = {
        'name': string('Name of the share type.', required=True, update_allowed=True),
        'description': description_property(since=OURS),
        'driver_handles_share_servers': boolean(
            'Whether the driver creates a share server for each share network.',
            required=True,
            sent=False,
        ),
        'extra_specs': map_('Extra specs of the share type.', update_allowed=True, sent=False),
        'is_public': boolean(
            'Whether all projects can use the share type.',
            default=True,
            update_allowed=True,
            wire='share_type_access:is_public',
        ),
        'snapshot_support': boolean(
            'Whether shares of this type support snapshots.',
            default=True,
            since='6.0.0',
            sent=False,
        ),
    }

    def body(self, values):
        return {**values, 'extra_specs': {name: self.properties[name] for name in CAPABILITIES}}

    def normalize(self, found):
        """Return the type with its capabilities beside the other extra specs."""
        specs, given = found['extra_specs'], self.stored_property('extra_specs') or {}
        others = {name: specs[name] for name in specs if name not in CAPABILITIES or name in given}
        return {**found, **specs, 'extra_specs': others}

    def follow_up(self, action, diff):
        yield from object_types.update_specs(self, action, diff, 'extra_specs')


def refuse_other_subnet(read, resource):
    network, subnet = read('neutron_network'), read('neutron_subnet')
    if not network or not subnet:
        return
    clients = resource.stack.clients()
    found = clients.shown('neutron.subnet', subnet)
    if found['network_id'] != clients.find('neutron.network', network):
        raise exception.StackValidationFailed(
            'Provided neutron_subnet does not belong to provided neutron_network.'
        )


class ManilaShareNetwork(CloudResource):
    """A share network: the network over which shares are exported."""

    resource_type = 'OS::Manila::ShareNetwork'
    since = '5.0.0'
    rest = Rest('manila', '/share-networks', 'share_network')
    entity = 'share_networks'

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'neutron_network': string(
            'Neutron network of the share network, by name or id.',
            update_allowed=True,
            ref='neutron.network',
            wire='neutron_net_id',
        ),
        'neutron_subnet': reference(
            'neutron.subnet',
            'Neutron subnet of the share network, by name or id.',
            update_allowed=True,
        ),
        'nova_network': string(
            'Nova network, for clouds without Neutron.',
            update_allowed=True,
            history='hidden 21.0.0',
            sent=False,
        ),
        'security_services': list_(
            'Ids of the security services of the share network.',
            string(),
            default=[],
            update_allowed=True,
            sent=False,
        ),
    }
    property_rules = (
        refuse('Nova network is no longer supported', nova_network=filled),
        needs('neutron_network', 'neutron_subnet', filled, empty),
        refuse_other_subnet,
    )
    attributes_schema = {
        'cidr': 'CIDR of the subnet.',
        'ip_version': 'IP version of the network.',
        'network_type': 'Type of the physical network, for example "vlan".',
        'segmentation_id': 'Segmentation id of the network.',
    }

    parts = ('security_services',)

    def fetch_part(self, name):
        query = {'share_network_id': self.resource_id}
        listed = self.client().list('/security-services', 'security_services', **query)
        return [each['id'] for each in listed]

    def follow_up(self, action, diff):
        if 'security_services' in diff:
            before = (
                set()
                if action == status.CREATE
                else set(self.stored_property('security_services') or ())
            )
            after = set(diff['security_services'] or ())
            for each in sorted(before - after):
                yield from self.delete_if_present(
                    self._request_action, 'remove_security_service', each
                )
            for each in sorted(after - before):
                yield from self.call_with_retry(self._request_action, 'add_security_service', each)

    def _request_action(self, action, service):
        self.client().request_json(
            'POST', f'{self.object_path()}/action', {action: {'security_service_id': service}}
        )


class SecurityService(CloudResource):
    """A security service, which authenticates the users of shares."""

    resource_type = 'OS::Manila::SecurityService'
    since = '5.0.0'
    rest = Rest('manila', '/security-services', 'security_service')
    entity = 'security_services'

    properties_schema = {
        'name': name_property(),
        'type': string(
            'Type of the security service.',
            required=True,
            update_allowed=True,
            allowed=['ldap', 'kerberos', 'active_directory'],
        ),
        'description': description_property(),
        'dns_ip': string('DNS server of the security service.', update_allowed=True),
        'domain': string('Domain of the security service.', update_allowed=True),
        'ou': string('Organizational unit in which shares are.', update_allowed=True, since=OURS),
        'password': string('Password of the user of the security service.', update_allowed=True),
        'server': string('Host name or address of the security service.', update_allowed=True),
        'user': string('User of the security service.', update_allowed=True),
    }


def share_property(noun):
    return string(
        f'Share of the {noun}, by name or id.',
        required=True,
        ref='manila.share',
        wire='share_id',
    )


def managed(kind, **options):
    """Return the Rest of an object that Manila makes and deletes in the background."""
    return Rest(
        'manila',
        f'/{kind}s'.replace('_', '-'),
        kind,
        ready=('available',),
        failed=('error', 'error_deleting'),
        deletes_async=True,
        delete_failed=('error_deleting',),
        **options,
    )


class ShareAccess(CloudResource):
    """The access of one client to a share that this or another stack has made."""

    resource_type = 'OS::Manila::ShareAccess'
    since = OURS
    rest = Rest(
        'manila',
        '/shares/{share}/action',
        'access',
        status='state',
        ready=('active',),
        failed=('error',),
        deletes_async=True,
    )

    properties_schema = {
        'access_to': string('Address, user or certificate name of the client.', required=True),
        'access_type': string(
            'Type of the access.', required=True, allowed=['ip', 'user', 'cert', 'cephx']
        ),
        'share': parent('manila.share', 'Share, by name or id.'),
        'access_level': string(
            'Level of the access: rw or ro.', default='rw', allowed=['rw', 'ro']
        ),
    }
    attributes_schema = {
        'access_key': live_text('Key of the client, for cephx.'),
        'state': 'State of the access.',
    }

    @functools.cached_property
    def parents(self):
        """The share of an external access, which Manila shows at the access."""
        if self.definition.external_id is None:
            return {}
        path = f'/share-access-rules/{self.resource_id}'
        answer = self.client().request_json('GET', path, microversion='2.45')
        return {'share': answer['access']['share_id']}

    def create_object(self, values):
        return (yield from self.send('POST', self.collection(), {'allow_access': values}))['access']

    def _listed(self):
        answer = self.client().request_json('POST', self.collection(), {'access_list': None})
        return answer['access_list']

    def fetch(self):
        found = [each for each in self._listed() if each['id'] == self.resource_id]
        if not found:
            raise errors.NotFound(f'The share has no access {self.resource_id}.')
        return found[0]

    def find_existing(self):
        """Return the access of the client, which has at most one."""
        wanted = {name: self.stored_property(name) for name in ('access_to', 'access_type')}
        return next((each['id'] for each in self._listed() if wanted.items() <= each.items()), None)

    def delete_object(self):
        body = {'deny_access': {'access_id': self.resource_id}}
        request = self.client().request_json
        if (yield from self.delete_if_present(request, 'POST', self.collection(), body)):
            yield from self.wait_until_deleted()

    def objects(self):
        """Return None: a share lists its accesses to its owner only."""
        return None


class ShareSnapshot(ManilaData):
    """A snapshot of a share, from which shares are created."""

    resource_type = 'OS::Manila::ShareSnapshot'
    since = OURS
    rest = managed('snapshot')

    properties_schema = {
        'name': name_property(),
        'share': share_property('snapshot'),
        'description': description_property(),
        'metadata': map_('Metadata of the snapshot.', update_allowed=True),
    }
    attributes_schema = {
        'created_at': 'Time at which the snapshot was created.',
        'share_size': integer_attribute('Size of the share in GiB.'),
        'status': 'Status of the snapshot.',
    }


class ShareGroup(CloudResource):
    """A group of shares that are copied at one moment."""

    resource_type = 'OS::Manila::ShareGroup'
    since = OURS
    rest = managed('share_group')

    properties_schema = {
        'name': name_property(),
        'availability_zone': string('Availability zone of the group.'),
        'description': description_property(),
        'share_group_type': reference(
            'manila.share_group_type',
            'Share group type, by name or id. If omitted, the default one.',
        ),
        'share_network': reference(
            'manila.share_network', 'Share network of the group, by name or id.'
        ),
        'share_types': list_(
            'Types of the shares of the group, by name or id.', string(ref='manila.share_type')
        ),
    }
    property_rules = (needs_api('2.31'),)
    attributes_schema = {'status': 'Status of the group.'}
