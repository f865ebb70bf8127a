"""OS::Octavia::L7Rule."""

from heat_lite.common import exception
from heat_lite.resources.openstack.octavia.base import OctaviaResource, waited_for
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import boolean, string


class L7Rule(OctaviaResource):
    """Which requests a policy is for."""

    resource_type = 'OS::Octavia::L7Rule'
    support_status = support.since('10.0.0')
    rest = waited_for('/lbaas/l7policies/{l7policy}/rules', 'rule')
    entity = None
    default_client_name = 'octavia'

    properties_schema = {
        'compare_type': string(
            'How it is compared.',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['REGEX', 'STARTS_WITH', 'ENDS_WITH', 'CONTAINS', 'EQUAL_TO'])],
        ),
        'l7policy': string('The policy, by name or id.', required=True, ref='octavia.l7policy', sent=False),
        'type': string(
            'What is compared.',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['HOST_NAME', 'PATH', 'FILE_TYPE', 'HEADER', 'COOKIE'])],
        ),
        'value': string('What it is compared with.', required=True, update_allowed=True),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'invert': boolean('Whether it is for all others.', default=False, update_allowed=True),
        'key': string('Which header, or which cookie, is compared.', update_allowed=True),
    }

    def validate(self):
        super().validate()
        kind = self.properties['type']
        if kind in ('HEADER', 'COOKIE') and not self.properties['key']:
            raise exception.StackValidationFailed(f'Property key is missing. This property should be specified for rules of {kind} type.')
