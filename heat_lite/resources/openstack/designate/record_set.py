"""OS::Designate::RecordSet."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Length, Range
from heat_lite.template.schema import integer, list_, string


class RecordSet(CloudResource):
    """Records of one name and type in a zone."""

    resource_type = 'OS::Designate::RecordSet'
    support_status = support.since('8.0.0')
    rest = Rest('designate', '/zones/{zone}/recordsets', None, ready=('ACTIVE',), vanishes=True)
    entity = 'recordsets'

    properties_schema = {
        'name': string('The name, with a dot at its end.', constraints=[Length(max=255)]),
        'records': list_('What they say.', required=True, update_allowed=True),
        'type': string(
            'Their type.',
            required=True,
            constraints=[
                AllowedValues(['A', 'AAAA', 'CNAME', 'MX', 'SRV', 'TXT', 'SPF', 'NS', 'PTR', 'SSHFP', 'SOA', 'CAA', 'CERT', 'NAPTR'])
            ],
        ),
        'zone': string('The zone, by name or id.', required=True, ref='designate.zone', sent=False),
        'description': string('A text that says what it is for.', update_allowed=True, constraints=[Length(max=160)]),
        'ttl': integer('Seconds for which answers may be remembered.', update_allowed=True, constraints=[Range(min=1, max=2147483647)]),
    }
