"""OS::Designate::RecordSet."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import description_property, integer, list_, string


class RecordSet(CloudResource):
    """A record set: the DNS records of one name and type in a zone."""

    resource_type = 'OS::Designate::RecordSet'
    heat_class = 'DesignateRecordSet'
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
