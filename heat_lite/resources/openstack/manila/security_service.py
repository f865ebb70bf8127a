"""OS::Manila::SecurityService."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import description_property, name_property, string


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
            allowed=['ldap', 'kerberos', 'active_directory'],
        ),
        'description': description_property(),
        'dns_ip': string('DNS server of the security service.', update_allowed=True),
        'domain': string('Domain of the security service.', update_allowed=True),
        'password': string('Password of the user of the security service.', update_allowed=True),
        'server': string('Host name or address of the security service.', update_allowed=True),
        'user': string('User of the security service.', update_allowed=True),
    }
