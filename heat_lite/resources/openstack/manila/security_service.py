"""OS::Manila::SecurityService."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import string


class SecurityService(CloudResource):
    """Who knows the users of shares."""

    resource_type = 'OS::Manila::SecurityService'
    support_status = support.since('5.0.0')
    rest = Rest('manila', '/security-services', 'security_service')
    entity = 'security_services'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'type': string('What kind of service it is.', required=True, constraints=[AllowedValues(['ldap', 'kerberos', 'active_directory'])]),
        'description': string('A text that says what it is for.', update_allowed=True),
        'dns_ip': string('The name server that it is found by.', update_allowed=True),
        'domain': string('The domain of the users.', update_allowed=True),
        'password': string('The password of that user.', update_allowed=True),
        'server': string('Its host name or address.', update_allowed=True),
        'user': string('The user as whom it is asked.', update_allowed=True),
    }
