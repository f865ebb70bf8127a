"""The resource types of Designate."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import conflict, empty, filled, refuse
from heat_lite.template.schema import description_property, integer, list_, map_, string, text


class DesignateZone(CloudResource):
    """A DNS zone."""

    resource_type = 'OS::Designate::Zone'
    since = '8.0.0'
    rest = Rest('designate', '/zones', None, ready=('ACTIVE',), deletes_async=True, update='PATCH')
    entity = 'zones'

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
        refuse('Property email is required for zone type PRIMARY', type=('PRIMARY',), email=empty),
        refuse(
            'Property masters is required for zone type SECONDARY',
            type=('SECONDARY',),
            masters=empty,
            primaries=empty,
        ),
    )
    attributes_schema = {'serial': text('Current serial number of the zone.')}

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
    rest = Rest(
        'designate', '/zones/{zone}/recordsets', None, ready=('ACTIVE',), deletes_async=True
    )
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
        'zone': string(
            'Zone of the record set, by name or id.',
            required=True,
            ref='designate.zone',
            sent=False,
        ),
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

    def is_described(self, found):
        """Return False for the records that Designate itself keeps for the zone."""
        return found['type'] not in ('SOA', 'NS') or found['name'] != found.get('zone_name')
