"""The resource types of Designate."""

from heat_lite.clients import errors
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.live_state import with_name
from heat_lite.resources.base.named_object import UniqueObject
from heat_lite.resources.base.property_rules import conflict, empty, filled, refuse
from heat_lite.template.schema import (
    OURS,
    description_property,
    integer,
    list_,
    map_,
    name_property,
    parent,
    reference,
    string,
)


def _rest(path, update='PATCH', **options):
    return Rest('designate', path, None, update=update, **options)


class DesignateZone(CloudResource):
    """A DNS zone."""

    resource_type = 'OS::Designate::Zone'
    since = '8.0.0'
    rest = _rest('/zones', ready=('ACTIVE',), deletes_async=True)
    entity = 'zones'
    observed_keys = {'masters': 'masters', 'primaries': 'primaries'}

    properties_schema = {
        'name': string('DNS name of the zone, with a trailing dot.', required=True, max=255),
        'attributes': map_(
            'Attributes by which the scheduler chooses a pool for the zone.', since='24.0.0'
        ),
        'description': description_property(max=160),
        'email': string(
            'E-mail address of the administrator of a primary zone.', update_allowed=True
        ),
        'masters': list_(
            'Primary servers from which a secondary zone is transferred.',
            update_allowed=True,
            history='deprecated 15.0.0',
            sent=False,
        ),
        'primaries': list_('Primary servers of a secondary zone.', update_allowed=True, sent=False),
        'ttl': integer(
            'Time to live of the zone in seconds.', update_allowed=True, min=1, max=2147483647
        ),
        'type': string(
            'Type of the zone: PRIMARY or SECONDARY.',
            default='PRIMARY',
            allowed=['PRIMARY', 'SECONDARY'],
        ),
    }
    property_rules = (
        conflict('masters', 'primaries', test=filled),
        refuse(
            'The name {name} of a zone has to end with a dot.',
            name=lambda value, read: not value.endswith('.'),
        ),
        refuse('Property email is required for zone type PRIMARY', type=('PRIMARY',), email=empty),
        refuse(
            'Property masters is required for zone type SECONDARY',
            type=('SECONDARY',),
            masters=empty,
            primaries=empty,
        ),
    )
    attributes_schema = {'serial': 'Current serial number of the zone.'}

    def normalize(self, found):
        """Return the zone with its servers as the property that the template gives them by."""
        name = 'masters' if self.stored_property('masters') else 'primaries'
        return {**found, 'masters': None, name: found['masters']}

    def body(self, values):
        return {**values, 'masters': self._sources()} if self._sources() else values

    def changes(self, changed, diff):
        return (
            {**changed, 'masters': self._sources()}
            if {'masters', 'primaries'} & diff.keys()
            else changed
        )

    def _sources(self):
        return self.properties['primaries'] or self.properties['masters'] or []


class DesignateRecordSet(CloudResource):
    """A record set: the DNS records of one name and type in a zone."""

    resource_type = 'OS::Designate::RecordSet'
    since = '8.0.0'
    rest = _rest('/zones/{zone}/recordsets', ready=('ACTIVE',), deletes_async=True, update='PUT')
    entity = 'recordsets'

    properties_schema = {
        'name': string(
            'Name of the record set. The name of the zone is added to one without a trailing dot.',
            max=255,
        ),
        'records': list_('Data of the records.', required=True, update_allowed=True),
        'type': string(
            'DNS record type.',
            required=True,
            allowed=[
                'A',
                'AAAA',
                'CNAME',
                'MX',
                'SRV',
                'TXT',
                'SPF',
                'NS',
                'PTR',
                'SSHFP',
                'SOA',
                'CAA',
                'CERT',
                'NAPTR',
            ],
        ),
        'zone': parent('designate.zone', 'Zone of the record set, by name or id.'),
        'description': description_property(max=160),
        'ttl': integer(
            'Time to live of the records in seconds.', update_allowed=True, min=1, max=2147483647
        ),
    }

    def body(self, values):
        result = super().body(values)
        if not result['name'].endswith('.'):
            zone = self.client().show(f'/zones/{self.properties["zone"]}')
            result['name'] = f'{result["name"]}.{zone["name"]}'
        return result

    def normalize(self, found):
        """Return the record set with its name as the template gives it."""
        named = self.stored_properties().get('name')
        return with_name(found, 'name', named, lambda name: f'{name}.{found["zone_name"]}')

    def is_described(self, found):
        """Return False for the records that Designate itself keeps for the zone."""
        return found['type'] not in ('SOA', 'NS') or found['name'] != found.get('zone_name')


def _zone(action, **options):
    return parent('designate.zone', f'Zone that is {action}, by name or id.', **options)


class ZoneShare(CloudResource):
    """A share of a zone: another project may have record sets in it."""

    resource_type = 'OS::Designate::ZoneShare'
    since = OURS
    rest = _rest('/zones/{zone}/shares', keys='shared_zones')
    entity = 'zone_shares'
    unique_by = ('target_project',)

    properties_schema = {
        'target_project': reference(
            'keystone.project',
            'Project that the zone is shared with, by name or id.',
            required=True,
        ),
        'zone': _zone('shared'),
    }

    def objects(self):
        return None


TRANSFERS = '/zones/tasks/transfer_requests'


class ZoneTransferRequest(CloudResource):
    """A transfer request: offers a zone to another project."""

    resource_type = 'OS::Designate::ZoneTransferRequest'
    since = OURS
    rest = _rest('/zones/{zone}/tasks/transfer_requests', list_path=TRANSFERS)
    entity = 'zone_transfers'
    unique_by = ('zone',)
    observed_keys = {'zone': 'zone_id'}

    properties_schema = {
        'zone': _zone('offered', wire='zone_id'),
        'description': description_property(max=160),
        'target_project': reference(
            'keystone.project', 'Only project that may accept the zone, by name or id.'
        ),
    }
    attributes_schema = {
        'key': 'Key by which the other project accepts the zone.',
        'status': 'Status of the transfer: ACTIVE or COMPLETE.',
    }

    def object_path(self):
        return f'{TRANSFERS}/{self.resource_id}'


class ZoneTransferAccept(CloudResource):
    """The acceptance of a zone. Its deletion leaves the zone in the project."""

    resource_type = 'OS::Designate::ZoneTransferAccept'
    since = OURS
    rest = _rest('/zones/tasks/transfer_accepts', ready=('COMPLETE',))
    entity = 'zone_transfers'
    unique_by = ('transfer_request',)

    properties_schema = {
        'key': string('Key of the transfer request.', required=True),
        'transfer_request': string(
            'Id of the transfer request.', required=True, wire='zone_transfer_request_id'
        ),
    }
    attributes_schema = {'zone_id': 'Id of the zone.'}

    def objects(self):
        return {}  # only administrators may list what is over

    def handle_delete(self):
        return


class TSIGKey(CloudResource):
    """A TSIG key, which authenticates zone transfers. For administrators."""

    resource_type = 'OS::Designate::TSIGKey'
    since = OURS
    rest = _rest('/tsigkeys')
    entity = 'tsigkeys'

    properties_schema = {
        'name': name_property(),
        'algorithm': string(
            'Algorithm of the key.',
            required=True,
            update_allowed=True,
            allowed=[f'hmac-{name}' for name in 'sha256 sha512 sha384 sha224 sha1 md5'.split()],
        ),
        'resource': string(
            'What the key is for: a pool by id, or a zone by name or id.',
            required=True,
            update_allowed=True,
            wire='resource_id',
        ),
        'scope': string(
            'Kind of what the key is for.',
            required=True,
            update_allowed=True,
            allowed=['POOL', 'ZONE'],
        ),
        'secret': string('Secret of the key.', required=True, update_allowed=True),
    }

    def body(self, values):
        return self._with_zone(super().body(values))

    def changes(self, changed, diff):
        return self._with_zone(super().changes(changed, diff))

    def objects(self):
        return {}  # keys belong to no project

    def _with_zone(self, values):
        if 'resource_id' not in values or self.properties['scope'] != 'ZONE':
            return values
        return {**values, 'resource_id': self._zone_id(values['resource_id'])}

    def _zone_id(self, name):
        return self.stack.clients().find('designate.zone', name)

    def normalize(self, found):
        """Return the key with its zone as the template names it."""
        if found['scope'] != 'ZONE':
            return found
        named = self.stored_properties().get('resource')
        return with_name(found, 'resource_id', named, self._zone_id)


class OperatorRule(UniqueObject):
    """A rule for the names of all zones. For administrators."""

    def objects(self):
        return {}  # rules belong to no project


class Blacklist(OperatorRule):
    """A pattern of names that zones may not have."""

    resource_type = 'OS::Designate::Blacklist'
    since = OURS
    rest = _rest('/blacklists')
    entity = 'blacklists'
    unique_by = ('pattern',)

    properties_schema = {
        'pattern': string(
            'Regular expression for the names.', required=True, update_allowed=True, max=255
        ),
        'description': description_property(max=160),
    }


class TLD(OperatorRule):
    """A top-level domain. If there are any, the names of zones end with one of them."""

    resource_type = 'OS::Designate::TLD'
    since = OURS
    rest = _rest('/tlds')
    entity = 'tlds'
    unique_by = ('name',)

    properties_schema = {
        'name': string(
            'Name of the domain, without a trailing dot.',
            required=True,
            update_allowed=True,
            max=255,
        ),
        'description': description_property(max=160),
    }


REVERSE, NO_NAME = '/reverse/floatingips', {'ptrdname': None}


class PTRRecord(CloudResource):
    """A reverse (PTR) record: the DNS name of a floating IP."""

    resource_type = 'OS::Designate::PTRRecord'
    since = OURS
    rest = _rest(REVERSE, ready=('ACTIVE',))
    entity = 'floatingips'
    repeatable = True

    properties_schema = {
        'floating_ip': string(
            'Floating IP that gets the name, by address or id.',
            required=True,
            ref='neutron.floating_ip',
            sent=False,
        ),
        'name': string(
            'DNS name of the floating IP, with a trailing dot.',
            required=True,
            update_allowed=True,
            custom='dns_domain',
            wire='ptrdname',
        ),
        'description': description_property(max=160),
        'ttl': integer(
            'Time to live of the record in seconds.', update_allowed=True, min=1, max=2147483647
        ),
    }
    attributes_schema = {'address': 'Address of the floating IP.'}

    def has_name(self):
        return False  # it is one

    def create_object(self, values):
        """Generator: set the name of a floating IP, whose id Designate puts behind the region."""
        end = f':{self.properties["floating_ip"]}'
        listed = yield from self.call_with_retry(self.client().list, REVERSE, 'floatingips')
        self.resource_id_set(next(each['id'] for each in listed if each['id'].endswith(end)))
        return (yield from self.call_with_retry(self._update, values))

    def changes(self, changed, diff):
        return self.request_values()  # Designate resets what a request leaves out

    def fetch(self):
        found = super().fetch()
        if found['ptrdname'] is None:
            raise errors.NotFound(f'{self.resource_id} has no name')
        return found

    def live_properties(self):
        return {**super().live_properties(), 'floating_ip': self.resource_id.rpartition(':')[2]}

    def is_described(self, found):
        return found['ptrdname'] is not None

    def delete_object(self):
        yield from self.delete_if_present(self._update, NO_NAME)
